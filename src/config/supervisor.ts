/** What a service manager passes to a service: sd_notify(3) and sd_watchdog_enabled(3). */
export interface Supervisor {
  /** The socket for messages to the service manager: a path, or an abstract name after `@`. */
  socket: string;
  /** The service manager kills the service if it hears nothing for this time; undefined: it does not. */
  watchdogMs: number | undefined;
}

type Environment = Record<string, string | undefined>;

const watchdogOf = ({ WATCHDOG_USEC, WATCHDOG_PID }: Environment, pid: number): number | undefined => {
  const microseconds = Number(WATCHDOG_USEC);
  const isForOther = WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(pid);
  return microseconds > 0 && !isForOther ? microseconds / 1000 : undefined;
};

/**
 * Reads and removes the variables of the service manager: processes that the server starts must not speak for it.
 * @returns undefined if no service manager waits for messages
 */
export const takeSupervisor = (
  env: Environment = process.env,
  pid: number = process.pid,
): Supervisor | undefined => {
  const socket = env["NOTIFY_SOCKET"];
  const watchdogMs = watchdogOf(env, pid);
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  return socket ? { socket, watchdogMs } : undefined;
};
