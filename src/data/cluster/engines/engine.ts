import { AppendUnknown, LogTrimmed, RecordTooLarge } from "../errors.ts";
import type { Append, EngineHealth, Head, Log, LogFiles, LogRecord, Snapshot } from "../log.ts";
import { EngineUnanswered } from "./attempt.ts";
import { heldKeys, type LeasedKeys } from "./held-keys.ts";
import { type Debug, type Line, writeLeases } from "./write-lease.ts";

/** A position in a log. */
export type Place = Pick<Head, "log" | "position">;

/**
 * The primitives of an engine. A request may be carried out twice, because its response may be lost: so it is a read, a
 * comparison before a write, or a write that a second time changes nothing. All throw EngineUnavailable, and EngineUnanswered if
 * the request may have been carried out.
 */
export interface Engine extends Pick<Log, "head" | "watch" | "snapshot"> {
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

/** The log in an engine. */
export const logOf = (engine: Engine, debug: Debug = () => {}): Log => {
  const { head, watch, snapshot, files, health } = engine;
  const held = heldKeys();
  const leases = writeLeases(engine.line, held, debug);
  return {
    head,
    watch,
    snapshot,
    files,
    health,
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
