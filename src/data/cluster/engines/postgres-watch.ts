import type { Head } from "../log.ts";
import type { Connection, PostgresPrimary } from "./postgres-primary.ts";

const CONNECT_MS = 5000;
/** Notifications may get lost with a connection, or in a proxy in between. */
const POLL_MS = 1000;

interface Listener {
  readonly channel: string;
  readonly onNotify: () => void;
}

/** Listens on the connection to the primary, on the next one after a failover, and polls once a second. */
export const postgresWatch = ({ connect }: PostgresPrimary, head: () => Promise<Head | undefined>) => {
  /** The function that stops each one on the current connection. */
  const listeners = new Map<Listener, (() => void) | undefined>();
  let current: Connection | undefined;
  let isRunning = false;
  let wake: (() => void) | undefined;
  let last = "";

  const start = async ({ sql }: Connection, listener: Listener): Promise<void> => {
    const subscription = await sql.listen(listener.channel, () => listener.onNotify());
    const stop = () => void subscription.unlisten().catch(() => {});
    if (!listeners.has(listener)) return stop();
    listeners.set(listener, stop);
    listener.onNotify();
  };

  const subscribe = async (connection: Connection): Promise<void> => {
    if (connection !== current) {
      current = connection;
      for (const listener of listeners.keys()) listeners.set(listener, undefined);
      connection.ended.signal.addEventListener("abort", () => wake?.());
    }
    for (const [listener, stop] of listeners) if (!stop) await start(connection, listener);
  };

  const look = async (): Promise<void> => {
    const text = JSON.stringify((await head()) ?? null);
    if (text === last) return;
    last = text;
    for (const { onNotify } of listeners.keys()) onNotify();
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    while (listeners.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, POLL_MS);
      try {
        await subscribe(await connect(CONNECT_MS));
        await look();
      } catch {
        // The next round tries again.
      }
      await promise;
      clearTimeout(timer);
    }
    isRunning = false;
  };

  return {
    /** Calls back after notifications, and after each new connection, until `signal`. */
    listen(channel: string, onNotify: () => void, signal: AbortSignal): void {
      if (signal.aborted) return;
      const listener = { channel, onNotify };
      listeners.set(listener, undefined);
      signal.addEventListener("abort", () => {
        listeners.get(listener)?.();
        listeners.delete(listener);
      });
      if (!isRunning) void run();
      wake?.();
    },
    close(): void {
      for (const stop of listeners.values()) stop?.();
      listeners.clear();
      wake?.();
    },
  };
};

export type PostgresWatch = ReturnType<typeof postgresWatch>;
