import { until } from "./support.ts";

/** A plain TCP connection to this machine: what is written goes out as it is, what comes in is kept as text. */
export const connect = async (port: number) => {
  let received = "";
  let closedAt: number | undefined;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_socket, bytes) => void (received += bytes.toString("latin1")),
      close: () => void (closedAt = performance.now()),
      error: () => void (closedAt = performance.now()),
    },
  });
  return {
    write: (text: string) => void socket.write(text),
    received: () => received,
    isClosed: () => closedAt !== undefined,
    /** Waits until what was received matches. */
    until: (pattern: RegExp, ms?: number) =>
      until(`${pattern} in ${JSON.stringify(received)}`, () => pattern.test(received), ms),
    /** Waits until the server has closed the connection. */
    closed: (ms?: number) => until("closed", () => closedAt !== undefined, ms),
    [Symbol.dispose]: () => socket.terminate(),
  };
};
