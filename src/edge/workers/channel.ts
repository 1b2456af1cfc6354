import { reasonOf } from "../../lib/reason.ts";

/** A message between two processes: a call, or the response to one. */
type Packet =
  | { id: number; call: string; data: unknown }
  | { id: number; result: unknown }
  | { id: number; error: string };

/** The functions that the other process may call, by name. */
export type Handlers = Readonly<Record<string, (data: never) => unknown>>;

const ENDED = "the process has ended";

/**
 * Calls to another process, and its calls to this one, over a connection that keeps the order of messages.
 * @param post sends a message; it may throw if the other process has ended
 */
export const channel = (post: (packet: Packet) => void, handlers: Handlers) => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  let isClosed = false;

  const close = (reason = ENDED): void => {
    isClosed = true;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };

  const send = (packet: Packet): void => {
    try {
      post(packet);
    } catch {
      close();
    }
  };

  const respond = async (id: number, call: string, data: unknown): Promise<void> => {
    const response = await (async () => handlers[call]?.(data as never))().then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, error: reasonOf(error) }),
    );
    if (!isClosed) send(response);
  };

  return {
    /** @throws Error if the call fails there, or the other process ends before it responds */
    ask<Result>(call: string, data?: unknown): Promise<Result> {
      const pending = Promise.withResolvers<unknown>();
      if (isClosed) pending.reject(new Error(ENDED));
      else {
        waiting.set(++calls, pending);
        send({ id: calls, call, data });
      }
      return pending.promise as Promise<Result>;
    },
    receive(packet: Packet): void {
      if ("call" in packet) return void respond(packet.id, packet.call, packet.data);
      const pending = waiting.get(packet.id);
      waiting.delete(packet.id);
      if ("error" in packet) pending?.reject(new Error(packet.error));
      else pending?.resolve(packet.result);
    },
    /** The other process has ended: calls that wait fail with the reason. */
    close,
  };
};

export type Channel = ReturnType<typeof channel>;

/**
 * Connects a worker with the process that started it. The worker ends when that process does. Signals of a terminal or a
 * service manager go to all processes: a worker leaves it to its owner to stop it.
 */
export const connectToOwner = (handlers: Handlers): Channel => {
  const link = channel((packet) => process.send?.(packet), handlers);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  process.on("message", (packet: Parameters<Channel["receive"]>[0]) => link.receive(packet));
  return link;
};
