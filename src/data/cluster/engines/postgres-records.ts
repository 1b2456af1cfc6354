import type { Head, LogRecord, Snapshot } from "../log.ts";
import { type Engine, MAX_READ_BYTES } from "./engine.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";

const LIMIT_MS = 2000;
/** A slow network takes so many bytes in a millisecond. */
const BYTES_PER_MS = 10_000;

/** Names of one log, and of this process in it. */
export interface PostgresNames {
  /** The log's. */
  readonly name: string;
  /** Who listens to it learns of each record. */
  readonly channel: string;
  /** This process's, in the line for the write lease. */
  readonly node: string;
}

/** Records of the log `name`, after its head, which is one row: the first to update it appends. */
export const postgresRecords = (
  { rows, rowsWithin }: PostgresPrimary,
  { name, channel, node }: PostgresNames,
): Pick<Engine, "append" | "read"> => {
  /** One statement, so one transaction: the head moves, the record is put, and who listens is notified. */
  const put = async ({ log, position, id: last }: Head, id: string, record: Uint8Array) => {
    const limitMs = LIMIT_MS + record.length / BYTES_PER_MS;
    const [result] = await rowsWithin({ limitMs, patienceMs: limitMs + 3000 })<{
      won: boolean;
      awaited: boolean;
    }>`
      WITH moved AS (
        UPDATE adoption_store_log SET position = position + 1, id = ${id}
        WHERE name = ${name} AND log = ${log} AND position = ${position} AND id = ${last}
        RETURNING position
      ), put AS (
        INSERT INTO adoption_store_record (name, log, position, id, record)
        SELECT ${name}, ${log}, position, ${id}, ${record} FROM moved RETURNING position
      )
      SELECT EXISTS (SELECT FROM put) AS won, (SELECT pg_notify(${channel}, '') FROM put) AS notified,
        EXISTS (
          SELECT FROM adoption_store_turn
          WHERE name = ${name} AND node <> ${node} AND expires > clock_timestamp()
        ) AS awaited
    `;
    return result;
  };

  /** The id of the record at a position, and the position up to which records of its log were removed. */
  const look = async (log: string, position: number) => {
    const [row] = await rows<{ id: string | null; trimmed: string | null }>`
      SELECT
        (SELECT id FROM adoption_store_record WHERE name = ${name} AND log = ${log} AND position = ${position}) AS id,
        (SELECT trimmed FROM adoption_store_log WHERE name = ${name} AND log = ${log}) AS trimmed
    `;
    return { found: row?.id ?? undefined, trimmed: Number(row?.trimmed ?? 0) };
  };

  return {
    async append(after, id, record) {
      const result = await put(after, id, record);
      if (result?.won) return { won: true, isAwaited: result.awaited };
      const { log, position } = after;
      const seen = await look(log, position + 1);
      if (seen.found !== id) return { won: false, ...seen };
      // The record of an attempt whose response was lost. The update waits for the synchronous standbys, which then have all
      // that was committed before: the first server alone could lose the rows that it shows.
      await rows`UPDATE adoption_store_log SET trimmed = trimmed WHERE name = ${name}`;
      return { won: false, ...(await look(log, position + 1)) };
    },
    async read({ log, position }, limit) {
      // At least one row, if there is a log: without a record if the position is the end.
      const found = await rows<{
        log: string;
        trimmed: string;
        position: string;
        id: string;
        record: Buffer | null;
      }>`
        WITH next AS (
          SELECT position, id, record FROM adoption_store_record
          WHERE name = ${name} AND log = ${log} AND position > ${position} ORDER BY position LIMIT ${limit}
        ), sized AS (
          SELECT *, sum(octet_length(record)) OVER before AS bytes, row_number() OVER before AS number
          FROM next WINDOW before AS (ORDER BY position)
        )
        SELECT head.log, head.trimmed, sized.position, sized.id, sized.record
        FROM adoption_store_log AS head LEFT JOIN sized ON bytes <= ${MAX_READ_BYTES} OR number = 1
        WHERE head.name = ${name} ORDER BY sized.position
      `;
      if (found[0]?.log !== log) return undefined;
      const records = found.flatMap((row): LogRecord[] =>
        row.record
          ? [{ position: Number(row.position), id: row.id, record: new Uint8Array(row.record) }]
          : [],
      );
      return { trimmed: Number(found[0].trimmed), records };
    },
  };
};

const SLICE = 1000;
/** Deleting takes longer than other statements. */
const DELETE_LIMITS = { limitMs: 10_000, patienceMs: 15_000 };

/** The newest snapshot, and the removal of the data that it replaces. */
export const postgresSnapshots = (
  { rows, rowsWithin }: PostgresPrimary,
  name: string,
): Pick<Engine, "begin" | "snapshot" | "replaceSnapshot" | "trim"> => ({
  async begin({ log, position, id, checksum, reference }, before) {
    const replaced = before?.log ?? null;
    const put = await rows`
      WITH put AS (
        INSERT INTO adoption_store_log AS head (name, log, position, id, trimmed)
        VALUES (${name}, ${log}, ${position}, ${id}, ${position})
        ON CONFLICT (name) DO UPDATE
          SET log = excluded.log, position = excluded.position, id = excluded.id, trimmed = excluded.trimmed
          WHERE head.log = ${replaced}
        RETURNING name
      )
      INSERT INTO adoption_store_snapshot (name, log, position, id, checksum, reference)
      SELECT name, ${log}, ${position}::bigint, ${id}, ${checksum}, ${reference} FROM put
      ON CONFLICT (name) DO UPDATE SET log = excluded.log, position = excluded.position, id = excluded.id,
        checksum = excluded.checksum, reference = excluded.reference
      RETURNING name
    `;
    return put.length > 0;
  },
  async snapshot() {
    const [row] = await rows<Omit<Snapshot, "position"> & { position: string }>`
      SELECT log, position, id, checksum, reference FROM adoption_store_snapshot WHERE name = ${name}
    `;
    return row && { ...row, position: Number(row.position) };
  },
  async replaceSnapshot(before, { position, id, checksum, reference }) {
    const replaced = await rows`
      UPDATE adoption_store_snapshot
      SET position = ${position}, id = ${id}, checksum = ${checksum}, reference = ${reference}
      WHERE name = ${name} AND log = ${before.log} AND position = ${before.position} RETURNING 1
    `;
    return replaced.length > 0;
  },
  /** In slices, so that no statement takes long. */
  async trim({ log, position }) {
    await rows`
      UPDATE adoption_store_log SET trimmed = greatest(trimmed, ${position}::bigint)
      WHERE name = ${name} AND log = ${log}
    `;
    const removeSlice = () => rowsWithin(DELETE_LIMITS)`
      DELETE FROM adoption_store_record WHERE ctid = ANY (ARRAY(
        SELECT record.ctid FROM adoption_store_record AS record JOIN adoption_store_log AS head USING (name)
        WHERE name = ${name} AND (record.log <> head.log OR record.position <= head.trimmed) LIMIT ${SLICE}
      )) RETURNING 1
    `;
    while ((await removeSlice()).length === SLICE);
  },
});
