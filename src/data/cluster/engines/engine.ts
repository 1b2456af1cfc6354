import {
  type Append,
  AppendUnknown,
  type Claim,
  type EngineHealth,
  type Head,
  type Log,
  type LogFiles,
  type LogRecord,
  LogTrimmed,
  RecordTooLarge,
  type Snapshot,
  type WriteLease,
} from "../log.ts";
import { reasonOf } from "../../../lib/reason.ts";
import { EngineUnanswered, firstWithin } from "./attempt.ts";

/** Keys that the engine removes when their holder no longer renews them. */
export interface LeasedKeys {
  /** Puts a key that does not exist. Its lease begins with this call. @returns undefined while another holder has it */
  put(key: string, ttlMs: number, value: string): Promise<(LeasedKey & Pick<Claim, "update">) | undefined>;
  /** The keys that begin with `prefix`, and their values. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
}

interface LeasedKey {
  /** @returns false if the engine has ended the lease */
  renew(patienceMs: number): Promise<boolean>;
  release(patienceMs: number): Promise<unknown>;
}

interface LeaseOptions {
  ttlMs: number;
  /** When the request was sent that began the lease, as a time of `performance.now()`. */
  since: number;
  renew: () => Promise<boolean>;
}

/** A lease is taken for ended so much before its time: clocks do not run at the same speed. */
const MARGIN = 0.1;

/**
 * Renews a lease each third of its time. It lasts from when the renewal was *sent*, so the engine ends it later than this node
 * does, regardless of network delays.
 */
export const keepLease = ({ ttlMs, since, renew }: LeaseOptions) => {
  const lost = new AbortController();
  let deadline = since + ttlMs * (1 - MARGIN);
  let isStopped = false;
  let timer: NodeJS.Timeout;

  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  const end = (reason: string) => {
    if (isStopped) return;
    stop();
    lost.abort(reason);
  };
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(next, Math.min(ms, deadline - performance.now()));
  };
  const next = () => {
    // A stopped process resumes here late.
    if (performance.now() >= deadline) return end("no renewal was confirmed in time");
    const sent = performance.now();
    schedule(deadline - sent);
    void renewSince(sent);
  };
  const renewSince = async (sent: number): Promise<void> => {
    try {
      const isHeld = await renew();
      if (isStopped) return;
      if (!isHeld) return end("the engine ended it");
      deadline = Math.max(deadline, sent + ttlMs * (1 - MARGIN));
      schedule(ttlMs / 3);
    } catch {
      if (!isStopped) schedule(ttlMs / 10);
    }
  };
  schedule(ttlMs / 3);
  /** `lost` aborts when the lease may have ended, with the reason. */
  return { lost: lost.signal, stop };
};

const RELEASE_PATIENCE_MS = 1000;

/** The keys that this process holds: each is renewed until it is released or lost. */
export const heldKeys = () => {
  const held = new Set<AsyncDisposable>();
  return {
    async hold<Key extends LeasedKey>(
      put: () => Promise<Key | undefined>,
      ttlMs: number,
    ): Promise<(Key & Pick<Claim, "lost"> & AsyncDisposable) | undefined> {
      const since = performance.now();
      const key = await put();
      if (!key) return undefined;
      const { lost, stop } = keepLease({ ttlMs, since, renew: () => key.renew(ttlMs / 3) });
      const own = {
        ...key,
        lost,
        async [Symbol.asyncDispose]() {
          stop();
          held.delete(own);
          // If this fails, it expires.
          await key.release(RELEASE_PATIENCE_MS).catch(() => {});
        },
      };
      lost.addEventListener("abort", () => held.delete(own));
      held.add(own);
      return own;
    },
    async close(): Promise<void> {
      await Promise.all([...held].map((own) => own[Symbol.asyncDispose]()));
    },
  };
};

type HeldKeys = ReturnType<typeof heldKeys>;

/** The line of nodes that wait for the write lease. The first one has it. */
export interface Line {
  /** Puts this node at the end of the line. @returns undefined while an earlier place of this node has not expired */
  join(ttlMs: number): Promise<LeasedKey | undefined>;
  /** Whether this node is in line, and no other before it. */
  isFirst(patienceMs: number): Promise<boolean>;
  /** Calls back when the line may have moved, and after every reconnection, until `signal`. */
  watch(onMove: () => void, signal: AbortSignal): void;
}

export type Debug = (details: { reason: string }, decision: string) => unknown;

/** How long a node that has stopped keeps the write lease, and its place in the line; etcd looks for ended leases twice a second. */
const TTL_MS = 2000;
/** How long a node waits for the write lease, before it writes without. */
const PATIENCE_MS = 3500;
/** For the case that a notification does not come. */
const LOOK_MS = 250;

const WITHOUT_LEASE: WriteLease = { release: async () => {} };

/** Takes the write lease: first come, first served. */
const writeLeases = ({ join, isFirst, watch }: Line, held: HeldKeys, debug: Debug) => {
  const closing = new AbortController();
  let isWatching = false;
  let wake: (() => void) | undefined;

  const startWatch = (): void => {
    if (!isWatching) watch(() => wake?.(), closing.signal);
    isWatching = true;
  };

  /** Waits at this node's place in the line. @returns why it does not have the lease; undefined if it has */
  const refusalAt = async (lost: AbortSignal, end: number): Promise<string | undefined> => {
    for (;;) {
      const { promise: moved, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      if (await isFirst(Math.max(1, end - performance.now()))) return undefined;
      await firstWithin([moved], LOOK_MS);
      if (lost.aborted) return "its place in the line expired";
      if (closing.signal.aborted) return "the log was closed";
      if (performance.now() > end) return `other nodes held it for ${PATIENCE_MS} ms`;
    }
  };

  const continueWithout = (reason: string): WriteLease => {
    debug({ reason }, "writes without the write lease");
    return WITHOUT_LEASE;
  };

  return {
    /** Waits in line. It does not throw: without an engine, the node continues without the lease. */
    async take(): Promise<WriteLease> {
      startWatch();
      const since = performance.now();
      const place = await held.hold(() => join(TTL_MS), TTL_MS).catch(reasonOf);
      if (place === undefined) return continueWithout("its previous place has not expired");
      if (typeof place === "string") return continueWithout(place);
      const refusal = await refusalAt(place.lost, since + PATIENCE_MS).catch(reasonOf);
      if (refusal !== undefined) {
        void place[Symbol.asyncDispose]();
        return continueWithout(refusal);
      }
      const waitedMs = Math.round(performance.now() - since);
      debug({ reason: `first in line after ${waitedMs} ms` }, "took the write lease");
      place.lost.addEventListener("abort", () =>
        debug({ reason: String(place.lost.reason) }, "lost the write lease"),
      );
      return {
        async release(reason) {
          await place[Symbol.asyncDispose]();
          debug({ reason }, "released the write lease");
        },
      };
    },
    close: (): void => closing.abort(),
  };
};

export type Place = Pick<Head, "log" | "position">;

/**
 * The primitives of an engine. A request may be carried out twice, because its response may be lost: so it is a read, a
 * comparison before a write, or a write that a second time changes nothing. All throw EngineUnavailable, and EngineUnanswered if
 * the request may have been carried out.
 */
export interface Engine extends Pick<Log, "head" | "watch" | "snapshot" | "reclaim"> {
  /** Starts a log with its first snapshot, if the head is still `before`. @returns whether it was */
  begin(first: Snapshot, before: Head | undefined): Promise<boolean>;
  /** Moves the head and puts the record in one atomic step, if the log still ends with `after`. */
  append(after: Head, id: string, record: Uint8Array): Promise<Appended>;
  /** Reads the log and its records as of one moment. @returns undefined if the engine has another log */
  read(after: Place, limit: number): Promise<Records | undefined>;
  /** Replaces the newest snapshot, if it is still `before`. @returns whether it was */
  replaceSnapshot(before: Snapshot, next: Snapshot): Promise<boolean>;
  /**
   * Removes the records of this log up to a position, and those of other logs. Stores the position first, so that no reader
   * takes the next record for the first.
   */
  trim(upTo: Place): Promise<void>;
  readonly claims: LeasedKeys;
  readonly line: Line;
  readonly files: LogFiles;
  health(): Promise<EngineHealth>;
  close(): void;
}

/** `found`: the id of the record at the next position, which is durable. `trimmed`: the position up to which records were removed. */
export type Appended =
  | { readonly won: true; readonly isAwaited: boolean }
  | { readonly won: false; readonly found: string | undefined; readonly trimmed: number };

export interface Records {
  /** The position up to which records were removed. */
  readonly trimmed: number;
  readonly records: LogRecord[];
}

const MAX_RECORD_BYTES = 64 * 1024 * 1024;
/** How many bytes a read returns at most, unless the first record is larger. */
export const MAX_READ_BYTES = 4 * 1024 * 1024;

/** The head is elsewhere: another node was first, or this record is there from an attempt without a response. */
const settle = ({ position }: Head, id: string, appended: Appended): Append => {
  if (appended.won) return appended;
  const { found, trimmed } = appended;
  if (found === undefined && trimmed > position)
    throw new AppendUnknown(`the record at position ${position + 1} was removed meanwhile`);
  return { won: found === id, isAwaited: false };
};

export const logOf = (engine: Engine, debug: Debug = () => {}): Log => {
  const { head, watch, snapshot, files, health, reclaim } = engine;
  const held = heldKeys();
  const leases = writeLeases(engine.line, held, debug);
  return {
    head,
    watch,
    snapshot,
    files,
    health,
    reclaim,
    async create(first, replaces) {
      for (;;) {
        const before = await head();
        // The response to the first attempt may have been lost.
        const isOwn = before?.log === first.log;
        if (!isOwn && before?.log !== replaces) return false;
        if (!isOwn && !(await engine.begin(first, before))) continue;
        await engine.trim(first);
        return true;
      }
    },
    async append(after, id, record) {
      if (record.length > MAX_RECORD_BYTES) throw new RecordTooLarge(record.length, MAX_RECORD_BYTES);
      try {
        return settle(after, id, await engine.append(after, id, record));
      } catch (error) {
        if (error instanceof EngineUnanswered) throw new AppendUnknown(error.message, { cause: error });
        throw error;
      }
    },
    async read(after, limit) {
      const found = await engine.read(after, limit);
      if (!found) throw new LogTrimmed("the engine has another log");
      if (after.position >= found.trimmed) return found.records;
      throw new LogTrimmed(`the records up to position ${found.trimmed} were removed`);
    },
    writeLease: leases.take,
    claim: (name, ttlMs, value = "") => held.hold(() => engine.claims.put(name, ttlMs, value), ttlMs),
    claims: (prefix) => engine.claims.list(prefix),
    async announce(next) {
      for (;;) {
        const current = await snapshot();
        // The response to the first attempt may have been lost.
        if (current && Bun.deepEquals(current, next)) return true;
        if (current?.log !== next.log || next.position <= current.position) return false;
        if (await engine.replaceSnapshot(current, next)) return true;
      }
    },
    async trim(upTo) {
      const current = await snapshot();
      if (current) await engine.trim({ log: current.log, position: Math.min(upTo, current.position) });
    },
    async close() {
      leases.close();
      await held.close();
      engine.close();
    },
  };
};
