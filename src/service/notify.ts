import { sendDatagram } from "./datagram.ts";

/** A server that starts slowly, because it migrates, asks for this much more time. */
const EXTENSION_MS = 60_000;
const EXTEND_EVERY_MS = 20_000;
/** How often the status line is renewed without a watchdog. */
const STATUS_EVERY_MS = 30_000;

export interface NotifyOptions {
  /** The socket of the service manager: a path, or an abstract name after `@`. */
  socket: string;
  /** The service manager kills the service if it hears nothing for this time; undefined: it does not. */
  watchdogMs: number | undefined;
  onError: (error: unknown) => void;
  send?: (socket: string, text: string) => void;
}

/**
 * Tells a service manager how the server is, with the messages of sd_notify(3). Call `starting`, `ready` and `stopping` in
 * this order. A message that cannot be sent stops nothing: `onError` is called once.
 */
export const serviceNotifier = ({ socket, watchdogMs, onError, send = sendDatagram }: NotifyOptions) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasFailed = false;
  let isStopping = false;

  const notify = (...assignments: readonly string[]): void => {
    try {
      send(socket, assignments.join("\n"));
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
  };

  const extend = () => notify(`EXTEND_TIMEOUT_USEC=${EXTENSION_MS * 1000}`, "STATUS=Starting");

  return {
    /** The server begins to start. While the event loop turns, the service manager waits. */
    starting(): void {
      extend();
      timer = setInterval(extend, EXTEND_EVERY_MS);
      // A start that fails must end the process.
      timer.unref();
    },
    /**
     * The server serves. From now on it reports its state twice in the time of the watchdog. A state that never comes, like an
     * event loop that does not turn, makes the service manager restart the server. A state such as a full disk does not,
     * because a restart would not help.
     * @param state one line, such as "Ready"; must not throw
     */
    ready(state: () => Promise<string>): void {
      clearInterval(timer);
      notify("READY=1", "STATUS=Ready");
      const report = async (): Promise<void> => {
        const line = await state();
        if (isStopping) return;
        notify("WATCHDOG=1", `STATUS=${line.replaceAll("\n", " ")}`);
        timer = setTimeout(() => void report(), watchdogMs === undefined ? STATUS_EVERY_MS : watchdogMs / 2);
      };
      void report();
    },
    /** The server stops. It needs no watchdog any more. */
    stopping(): void {
      isStopping = true;
      clearTimeout(timer);
      notify("STOPPING=1", "STATUS=Stopping");
    },
  };
};

export type ServiceNotifier = ReturnType<typeof serviceNotifier>;
