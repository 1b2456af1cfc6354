import type { SQL } from "bun";
import { AppendUnknown, LogTrimmed, RecordTooLarge } from "../errors.ts";
import type { Append, Head, LogRecord, Snapshot } from "../log.ts";
import { AttemptFailed, EngineUnanswered } from "./attempt.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";

const MAX_RECORD_BYTES = 64 * 1024 * 1024;
const MAX_READ_BYTES = 4 * 1024 * 1024;
const LIMIT_MS = 2000;
/** A slow network takes so many bytes in a millisecond. */
const BYTES_PER_MS = 10_000;

interface Position {
  log: string;
  position: string;
  id: string;
}

/** Records of the log `name`, and its head, which is one row: the first to update it appends. */
export class PostgresRecords {
  readonly #primary: PostgresPrimary;
  readonly #name: string;
  readonly #node: string;
  readonly #channel: string;

  /** @param channel who listens to it learns of each record @param node who waits for turns under this name */
  constructor(primary: PostgresPrimary, options: { name: string; channel: string; node: string }) {
    this.#primary = primary;
    this.#name = options.name;
    this.#channel = options.channel;
    this.#node = options.node;
  }

  async head(): Promise<Head | undefined> {
    return this.#primary.run(async (sql) => {
      const [row] = (await sql`
        SELECT log, position, id, pg_is_in_recovery() AS is_standby
        FROM (VALUES (1)) AS one LEFT JOIN adoption_store_log ON name = ${this.#name}
      `) as (Position & { is_standby: boolean })[];
      if (row?.is_standby) throw new AttemptFailed("the server became a standby", false, "reconnect");
      return row?.log == null ? undefined : { log: row.log, position: Number(row.position), id: row.id };
    });
  }

  async append(after: Head, id: string, record: Uint8Array): Promise<Append> {
    if (record.length > MAX_RECORD_BYTES) throw new RecordTooLarge(record.length, MAX_RECORD_BYTES);
    const limitMs = LIMIT_MS + record.length / BYTES_PER_MS;
    try {
      const [result] = await this.#primary.run((sql) => this.#put(sql, after, id, record), {
        limitMs,
        patienceMs: limitMs + 3000,
      });
      if (result?.won) return { won: true, isAwaited: result.awaited };
      return { won: await this.#settle(after, id), isAwaited: false };
    } catch (error) {
      if (error instanceof EngineUnanswered) throw new AppendUnknown(error.message, { cause: error });
      throw error;
    }
  }

  /** @throws LogTrimmed */
  async read(after: Pick<Head, "log" | "position">, limit: number): Promise<LogRecord[]> {
    const rows = await this.#primary.run((sql) => this.#select(sql, after, limit));
    const [first] = rows;
    if (first?.log !== after.log) throw new LogTrimmed("the engine has another log");
    if (after.position < Number(first.trimmed))
      throw new LogTrimmed(`the records up to position ${first.trimmed} were removed`);
    return rows.flatMap(({ position, id, record }) =>
      record ? [{ position: Number(position), id, record: new Uint8Array(record) }] : [],
    );
  }

  /** One statement, so one transaction: the head moves, the record is put, and who listens is notified. */
  async #put(sql: SQL, { log, position, id: last }: Head, id: string, record: Uint8Array) {
    return (await sql`
      WITH moved AS (
        UPDATE adoption_store_log SET position = position + 1, id = ${id}
        WHERE name = ${this.#name} AND log = ${log} AND position = ${position} AND id = ${last}
        RETURNING position
      ), put AS (
        INSERT INTO adoption_store_record (name, log, position, id, record)
        SELECT ${this.#name}, ${log}, position, ${id}, ${record} FROM moved RETURNING position
      )
      SELECT EXISTS (SELECT FROM put) AS won, (SELECT pg_notify(${this.#channel}, '') FROM put) AS notified,
        EXISTS (
          SELECT FROM adoption_store_turn
          WHERE name = ${this.#name} AND node <> ${this.#node} AND expires > clock_timestamp()
        ) AS awaited
    `) as { won: boolean; awaited: boolean }[];
  }

  /**
   * Whether the record is there from an attempt whose response was lost. The update waits for the synchronous standbys, which
   * then have all that was committed before: the first server alone could lose the rows that it shows.
   */
  async #settle({ log, position }: Head, id: string): Promise<boolean> {
    const next = position + 1;
    const isThere = async (sql: SQL): Promise<boolean> => {
      const rows = (await sql`
        SELECT id FROM adoption_store_record WHERE name = ${this.#name} AND log = ${log} AND position = ${next}
      `) as { id: string }[];
      return rows[0]?.id === id;
    };
    if (!(await this.#primary.run(isThere))) return this.#hasLost(log, next);
    await this.#primary.run(
      (sql) => sql`
      UPDATE adoption_store_log SET trimmed = trimmed WHERE name = ${this.#name}
    `,
    );
    return this.#primary.run(isThere);
  }

  /** @throws AppendUnknown if the record may have been there, and was removed @returns false */
  async #hasLost(log: string, position: number): Promise<false> {
    const [row] = await this.#primary.run(
      async (sql) =>
        (await sql`SELECT log, trimmed FROM adoption_store_log WHERE name = ${this.#name}`) as {
          log: string;
          trimmed: string;
        }[],
    );
    if (row?.log === log && Number(row.trimmed) >= position)
      throw new AppendUnknown(`the record at position ${position} was removed meanwhile`);
    return false;
  }

  /** At least one row, if there is a log: without a record if the position is the end. */
  async #select(sql: SQL, { log, position }: Pick<Head, "log" | "position">, limit: number) {
    return (await sql`
      WITH next AS (
        SELECT position, id, record FROM adoption_store_record
        WHERE name = ${this.#name} AND log = ${log} AND position > ${position} ORDER BY position LIMIT ${limit}
      ), sized AS (
        SELECT *, sum(octet_length(record)) OVER before AS bytes, row_number() OVER before AS number
        FROM next WINDOW before AS (ORDER BY position)
      )
      SELECT head.log, head.trimmed, sized.position, sized.id, sized.record
      FROM adoption_store_log AS head LEFT JOIN sized ON bytes <= ${MAX_READ_BYTES} OR number = 1
      WHERE head.name = ${this.#name} ORDER BY sized.position
    `) as { log: string; trimmed: string; position: string; id: string; record: Buffer | null }[];
  }
}

const SLICE = 1000;
/** Deleting takes longer than other statements. */
const LIMITS = { limitMs: 10_000, patienceMs: 15_000 };

/** The newest snapshot, and the removal of the data that it replaces. */
export class PostgresSnapshots {
  readonly #primary: PostgresPrimary;
  readonly #name: string;

  constructor(primary: PostgresPrimary, name: string) {
    this.#primary = primary;
    this.#name = name;
  }

  async newest(): Promise<Snapshot | undefined> {
    const [row] = await this.#primary.run(
      async (sql) =>
        (await sql`
          SELECT log, position, id, checksum, reference FROM adoption_store_snapshot WHERE name = ${this.#name}
        `) as (Omit<Snapshot, "position"> & { position: string })[],
    );
    return row && { ...row, position: Number(row.position) };
  }

  async create(first: Snapshot, replaces: string | undefined): Promise<boolean> {
    const rows = await this.#primary.run((sql) => this.#put(sql, first, replaces));
    // The response to the first attempt may have been lost.
    if (rows.length === 0 && (await this.#log()) !== first.log) return false;
    await this.#removeSuperfluous();
    return true;
  }

  async announce({ log, position, id, checksum, reference }: Snapshot): Promise<boolean> {
    const rows = await this.#primary.run(
      async (sql) =>
        (await sql`
          UPDATE adoption_store_snapshot
          SET position = ${position}, id = ${id}, checksum = ${checksum}, reference = ${reference}
          WHERE name = ${this.#name} AND log = ${log}
            AND (position < ${position} OR (position = ${position} AND id = ${id} AND reference = ${reference}))
          RETURNING position
        `) as object[],
    );
    return rows.length > 0;
  }

  /** Records the removal first, so that no reader takes the next record for the first. */
  async trim(upTo: number): Promise<void> {
    await this.#primary.run(
      (sql) => sql`
        UPDATE adoption_store_log AS head SET trimmed = greatest(head.trimmed, least(${upTo}::bigint, snapshot.position))
        FROM adoption_store_snapshot AS snapshot
        WHERE head.name = ${this.#name} AND snapshot.name = head.name AND snapshot.log = head.log
      `,
    );
    await this.#removeSuperfluous();
  }

  async #log(): Promise<string | undefined> {
    const [row] = await this.#primary.run(
      async (sql) =>
        (await sql`SELECT log FROM adoption_store_log WHERE name = ${this.#name}`) as { log: string }[],
    );
    return row?.log;
  }

  async #put(sql: SQL, { log, position, id, checksum, reference }: Snapshot, replaces: string | undefined) {
    return (await sql`
      WITH put AS (
        INSERT INTO adoption_store_log AS head (name, log, position, id, trimmed)
        SELECT ${this.#name}, ${log}, ${position}::bigint, ${id}, ${position}::bigint
        WHERE ${replaces ?? null}::text IS NULL
          OR EXISTS (SELECT FROM adoption_store_log WHERE name = ${this.#name} AND log = ${replaces ?? null})
        ON CONFLICT (name) DO UPDATE
          SET log = excluded.log, position = excluded.position, id = excluded.id, trimmed = excluded.trimmed
          WHERE head.log = ${replaces ?? null}
        RETURNING name
      )
      INSERT INTO adoption_store_snapshot (name, log, position, id, checksum, reference)
      SELECT name, ${log}, ${position}::bigint, ${id}, ${checksum}, ${reference} FROM put
      ON CONFLICT (name) DO UPDATE SET log = excluded.log, position = excluded.position, id = excluded.id,
        checksum = excluded.checksum, reference = excluded.reference
      RETURNING name
    `) as object[];
  }

  /** Records that were trimmed, and those of other logs; in slices, so that no statement takes long. */
  async #removeSuperfluous(): Promise<void> {
    const remove = async (sql: SQL) =>
      (await sql`
        DELETE FROM adoption_store_record WHERE ctid = ANY (ARRAY(
          SELECT record.ctid FROM adoption_store_record AS record JOIN adoption_store_log AS head USING (name)
          WHERE name = ${this.#name} AND (record.log <> head.log OR record.position <= head.trimmed) LIMIT ${SLICE}
        )) RETURNING 1
      `) as object[];
    while ((await this.#primary.run(remove, LIMITS)).length === SLICE);
  }
}
