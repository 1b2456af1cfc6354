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
export class PostgresWatch {
  readonly #primary: PostgresPrimary;
  readonly #head: () => Promise<Head | undefined>;
  /** The function that stops each one on the current connection. */
  readonly #listeners = new Map<Listener, (() => void) | undefined>();
  #connection: Connection | undefined;
  #isRunning = false;
  #wake: () => void = () => {};
  #last = "";

  constructor(primary: PostgresPrimary, head: () => Promise<Head | undefined>) {
    this.#primary = primary;
    this.#head = head;
  }

  /** Calls back after notifications, and after each new connection, until `signal`. */
  listen(channel: string, onNotify: () => void, signal?: AbortSignal): void {
    if (signal?.aborted) return;
    const listener = { channel, onNotify };
    this.#listeners.set(listener, undefined);
    signal?.addEventListener("abort", () => {
      this.#listeners.get(listener)?.();
      this.#listeners.delete(listener);
    });
    if (!this.#isRunning) void this.#run();
    this.#wake();
  }

  close(): void {
    for (const stop of this.#listeners.values()) stop?.();
    this.#listeners.clear();
    this.#wake();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#listeners.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, POLL_MS);
      try {
        await this.#subscribe(await this.#primary.connect(CONNECT_MS));
        await this.#look();
      } catch {
        // The next round tries again.
      }
      await promise;
      clearTimeout(timer);
    }
    this.#isRunning = false;
  }

  async #subscribe(connection: Connection): Promise<void> {
    if (connection !== this.#connection) {
      this.#connection = connection;
      for (const listener of this.#listeners.keys()) this.#listeners.set(listener, undefined);
      connection.ended.signal.addEventListener("abort", () => this.#wake());
    }
    for (const [listener, stop] of this.#listeners) if (!stop) await this.#start(connection, listener);
  }

  async #start({ sql }: Connection, listener: Listener): Promise<void> {
    const subscription = await sql.listen(listener.channel, () => listener.onNotify());
    const stop = () => void subscription.unlisten().catch(() => {});
    if (!this.#listeners.has(listener)) return stop();
    this.#listeners.set(listener, stop);
    listener.onNotify();
  }

  async #look(): Promise<void> {
    const head = await this.#head();
    const text = JSON.stringify(head ?? null);
    if (text === this.#last) return;
    this.#last = text;
    for (const { onNotify } of this.#listeners.keys()) onNotify();
  }
}
