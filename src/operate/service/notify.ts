import { dlopen, ptr } from "bun:ffi";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
/** The size of `sun_path` in `sockaddr_un` (unix(7)). */
const MAX_PATH_BYTES = 108;

const MUSL_ARCH: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };
/** glibc, then musl. */
const LIBRARIES = ["libc.so.6", `libc.musl-${MUSL_ARCH[process.arch] ?? process.arch}.so.1`];

const SYMBOLS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
  close: { args: ["i32"], returns: "i32" },
} as const;

const openLibrary = () => {
  let reason: unknown;
  for (const name of LIBRARIES)
    try {
      return dlopen(name, SYMBOLS).symbols;
    } catch (error) {
      reason = error;
    }
  throw reason;
};

/** A `sockaddr_un` (unix(7)). A path that begins with `@` names an abstract socket. */
const addressOf = (path: string): Buffer => {
  const isAbstract = path.startsWith("@");
  const name = Buffer.from(isAbstract ? `\0${path.slice(1)}` : `${path}\0`);
  if (name.length > MAX_PATH_BYTES) throw new Error(`${path} is too long for a socket`);
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, name]);
};

/**
 * Sends one datagram to a Unix socket, on Linux. Neither `node:dgram` nor Bun can, so this calls the C library: 0.4 ms the
 * first time, 0.02 ms later.
 * @throws if it was not sent
 */
export const sendDatagram = (path: string, text: string): void => {
  const address = addressOf(path);
  const data = Buffer.from(text);
  const libc = openLibrary();
  const handle = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const sent = libc.sendto(handle, ptr(data), data.length, MSG_NOSIGNAL, ptr(address), address.length);
  libc.close(handle);
  if (Number(sent) !== data.length) throw new Error(`${path} does not accept a datagram`);
};

/** A server that starts slowly, because it migrates, asks for this much more time. */
const EXTENSION_MS = 60_000;
const EXTEND_EVERY_MS = 20_000;
/** How often the status line is renewed without a watchdog. */
const STATUS_EVERY_MS = 30_000;

interface NotifyOptions {
  /** The socket of the service manager: a path, or an abstract name after `@`. */
  socket: string;
  /** The service manager kills the service if it hears nothing for this time; undefined: it does not. */
  watchdogMs: number | undefined;
  onError: (error: unknown) => void;
  send?: (socket: string, text: string) => void;
}

/**
 * Reports the server's state to a service manager, with messages of sd_notify(3). Call `starting`, `ready` and `stopping` in
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
