import type { SQL } from "bun";
import type { Snapshot } from "../log.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";

const SLICE = 1000;
/** Deleting takes longer than other statements. */
const LIMITS = { limitMs: 10_000, patienceMs: 15_000 };

/** The newest snapshot, and what it makes superfluous. */
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

  /** Says first that the records are removed, so that no reader takes the next one for the first. */
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
