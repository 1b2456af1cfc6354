import type { Database as Client } from "bun:sqlite";
import type { Changes } from "./changes.ts";
import { StorageUnavailable, isBusy, isStorageFailure } from "./failure.ts";

/** A prepared query of Drizzle's: what it returns for the values of its placeholders. */
interface Prepared<Rows> {
  all(values?: Record<string, unknown>): Rows;
}

/** One prepared write and its values. */
export interface Statement<Rows = unknown> {
  readonly query: Prepared<Rows>;
  readonly values: Record<string, unknown>;
}

type RowsOf<Statements extends readonly Statement[]> = {
  -readonly [K in keyof Statements]: Statements[K] extends Statement<infer Rows> ? Rows : never;
};

/**
 * Writes the statements of one atomic act: all of them or none. Answers with the rows of each when they are on disk.
 * Acts that arrive together share one transaction and one fsync; an act that breaks a constraint fails alone.
 * @param last asked inside the transaction, with the rows, for one more statement of the same act; undefined: there is none
 * @throws StorageUnavailable when the storage refused; nothing of the act was written.
 */
export type Commit = <const Statements extends readonly Statement[]>(
  statements: Statements,
  last?: (rows: RowsOf<Statements>) => Statement | undefined,
) => Promise<RowsOf<Statements>>;

interface Act {
  statements: readonly Statement[];
  last: ((rows: unknown[]) => Statement | undefined) | undefined;
  since: number;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  commit: Commit;
  /** How many transactions this connection has committed: it grows with every write of its own. */
  count(): number;
  /** Why the storage refused the last write; undefined if it took it. */
  refusal(): StorageUnavailable | undefined;
  /** Waits until everything that was queued is on disk or refused. */
  drain(): Promise<void>;
}

export interface GroupCommitSettings {
  /** Most acts that share one transaction; 1 commits each by itself. */
  groupSize?: number;
  /** How long an act waits for a lock that another process holds, in milliseconds. */
  lockWait?: number;
  /** Most acts that may wait. */
  queueLimit?: number;
  /** Told of each transaction, so that it can tell this connection's writes from others'. */
  changes?: Pick<Changes, "beginOwn" | "endOwn">;
}

const RETRY_MS = 10;

/** Queues acts and commits, once in a turn of the event loop, those that have gathered. */
export const groupCommit = (
  client: Client,
  { groupSize = 1024, lockWait = 5000, queueLimit = 100_000, changes }: GroupCommitSettings = {},
): GroupCommit => {
  const begin = client.prepare("BEGIN IMMEDIATE");
  const end = client.prepare("COMMIT");
  const changedRows = client.prepare<{ rows: number }, []>("SELECT total_changes() AS rows");
  let queue: Act[] = [];
  let scheduled = false;
  let committed = 0;
  let refused: StorageUnavailable | undefined;
  let idle: (() => void)[] = [];

  const schedule = (delay?: number) => {
    if (scheduled) return;
    scheduled = true;
    if (delay === undefined) setImmediate(flush);
    else setTimeout(flush, delay);
  };

  const flush = () => {
    scheduled = false;
    const acts = queue.slice(0, groupSize);
    const blocked = acts.length > 0 && commitTogether(acts) === "locked";
    if (blocked) expire();
    else queue = queue.slice(acts.length);
    if (queue.length > 0) schedule(blocked ? RETRY_MS : undefined);
    else for (const done of idle.splice(0)) done();
  };

  /** Refuses the acts that have waited too long for another process's lock. */
  const expire = () => {
    const oldest = performance.now() - lockWait;
    const [late, rest] = [
      queue.filter((act) => act.since < oldest),
      queue.filter((act) => act.since >= oldest),
    ];
    queue = rest;
    for (const act of late) act.reject(new StorageUnavailable("the database is locked by another process"));
  };

  const commitTogether = (acts: Act[]): "done" | "locked" => {
    const settled: (() => void)[] = [];
    try {
      begin.run();
      changes?.beginOwn();
      const before = changedRows.get()?.rows;
      for (const act of acts) settled.push(perform(act));
      const wrote = before !== changedRows.get()?.rows;
      end.run();
      changes?.endOwn(wrote);
      committed++;
      refused = undefined;
    } catch (error) {
      if (client.inTransaction) client.run("ROLLBACK");
      if (isBusy(error)) return "locked";
      const reason = isStorageFailure(error)
        ? new StorageUnavailable(String(error), { cause: error })
        : error;
      if (reason instanceof StorageUnavailable) refused = reason;
      for (const act of acts) act.reject(reason);
      return "done";
    }
    for (const settle of settled) settle();
    return "done";
  };

  /** Runs one act inside the open transaction; what it tells its caller waits for the COMMIT. */
  const perform = (act: Act): (() => void) => {
    // A single statement is undone by SQLite itself when it fails; only several need a savepoint.
    const several = act.statements.length > 1 || act.last !== undefined;
    if (several) client.run("SAVEPOINT act");
    try {
      const rows = act.statements.map(({ query, values }) => query.all(values));
      const last = act.last?.(rows);
      if (last) last.query.all(last.values);
      if (several) client.run("RELEASE act");
      return () => act.resolve(rows);
    } catch (error) {
      if (isStorageFailure(error) || !client.inTransaction) throw error;
      if (several) client.run("ROLLBACK TO act; RELEASE act");
      return () => act.reject(error);
    }
  };

  return {
    commit: (statements, last) =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueLimit) return reject(new StorageUnavailable("too many writes are waiting"));
        queue.push({
          statements,
          last: last as Act["last"],
          since: performance.now(),
          resolve: resolve as (rows: unknown[]) => void,
          reject,
        });
        schedule();
      }),
    count: () => committed,
    refusal: () => refused,
    drain: () =>
      new Promise((done) => {
        if (queue.length === 0) return done();
        idle.push(done);
      }),
  };
};
