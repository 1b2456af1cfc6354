import type { LogFiles } from "../log.ts";
import type { LeasedKeys, Line } from "./engine.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";
import type { PostgresNames } from "./postgres-records.ts";
import type { PostgresWatch } from "./postgres-watch.ts";

/** Claims: rows that expire by the server's clock. */
export const postgresClaims = ({ rows, rowsWithin }: PostgresPrimary, name: string): LeasedKeys => ({
  async put(claim, ttlMs, value) {
    const holder = crypto.randomUUID();
    const put = await rows`
      INSERT INTO adoption_store_claim AS held (name, claim, holder, value, expires)
      VALUES (${name}, ${claim}, ${holder}, ${value}, clock_timestamp() + ${ttlMs} * interval '1 ms')
      ON CONFLICT (name, claim) DO UPDATE
        SET holder = excluded.holder, value = excluded.value, expires = excluded.expires
        WHERE held.expires < clock_timestamp() OR held.holder = excluded.holder
      RETURNING 1
    `;
    if (put.length === 0) return undefined;
    return {
      async renew(patienceMs) {
        const renewed = await rowsWithin({ patienceMs })`
          UPDATE adoption_store_claim SET expires = clock_timestamp() + ${ttlMs} * interval '1 ms'
          WHERE name = ${name} AND claim = ${claim} AND holder = ${holder} RETURNING 1
        `;
        return renewed.length > 0;
      },
      async update(next) {
        await rows`
          UPDATE adoption_store_claim SET value = ${next}
          WHERE name = ${name} AND claim = ${claim} AND holder = ${holder}
        `;
      },
      release: (patienceMs) => rowsWithin({ patienceMs })`
        DELETE FROM adoption_store_claim WHERE name = ${name} AND claim = ${claim} AND holder = ${holder}
      `,
    };
  },
  async list(prefix) {
    const found = await rows<{ claim: string; value: string }>`
      SELECT claim, value FROM adoption_store_claim
      WHERE name = ${name} AND starts_with(claim, ${prefix}) AND expires > clock_timestamp()
    `;
    return new Map(found.map(({ claim, value }) => [claim, value]));
  },
});

/** Rows of nodes that have ended stay for so long. */
const FORGET = "1 minute";

/**
 * The line for the write lease: rows that expire by the server's clock, because a node that has stopped keeps its session, and so
 * its advisory locks. These writes serve only fairness and do not wait for the disk.
 */
export const postgresLine = (
  { rows, rowsWithin }: PostgresPrimary,
  watch: PostgresWatch,
  { name, node, channel: records }: PostgresNames,
): Line => {
  const channel = `${records}_turn`;
  return {
    async join(ttlMs) {
      await rows`
        WITH old AS (
          DELETE FROM adoption_store_turn WHERE expires < clock_timestamp() - ${FORGET}::interval
        ), own AS (
          INSERT INTO adoption_store_turn (name, node, expires)
          VALUES (${name}, ${node}, clock_timestamp() + ${ttlMs} * interval '1 ms')
          ON CONFLICT (name, node) DO UPDATE SET expires = excluded.expires RETURNING 1
        )
        SELECT set_config('synchronous_commit', 'off', true) FROM own
      `;
      return {
        async renew(patienceMs) {
          const renewed = await rowsWithin({ patienceMs })`
            WITH own AS (
              UPDATE adoption_store_turn SET expires = clock_timestamp() + ${ttlMs} * interval '1 ms'
              WHERE name = ${name} AND node = ${node} RETURNING 1
            )
            SELECT set_config('synchronous_commit', 'off', true) FROM own
          `;
          return renewed.length > 0;
        },
        release: (patienceMs) => rowsWithin({ patienceMs })`
          WITH left_line AS (
            DELETE FROM adoption_store_turn WHERE name = ${name} AND node = ${node} RETURNING 1
          )
          SELECT set_config('synchronous_commit', 'off', true), pg_notify(${channel}, '') FROM left_line
        `,
      };
    },
    async isFirst(patienceMs) {
      const [first] = await rowsWithin({ patienceMs })<{ node: string }>`
        SELECT node FROM adoption_store_turn WHERE name = ${name} AND expires > clock_timestamp()
        ORDER BY ticket LIMIT 1
      `;
      return first?.node === node;
    },
    watch: (onMove, signal) => watch.listen(channel, onMove, signal),
  };
};

/** Small files in a table. */
export const postgresFiles = ({ rows }: PostgresPrimary, name: string): LogFiles => ({
  async put(file, content) {
    await rows`
      INSERT INTO adoption_store_file (name, file, content) VALUES (${name}, ${file}, ${content})
      ON CONFLICT (name, file) DO UPDATE SET content = excluded.content
    `;
  },
  async get(file) {
    const [row] = await rows<{ content: Buffer }>`
      SELECT content FROM adoption_store_file WHERE name = ${name} AND file = ${file}
    `;
    return row && new Uint8Array(row.content);
  },
  async list(prefix) {
    const found = await rows<{ file: string }>`
      SELECT file FROM adoption_store_file WHERE name = ${name} AND starts_with(file, ${prefix})
      ORDER BY file COLLATE "C"
    `;
    return found.map(({ file }) => file);
  },
  async remove(files) {
    for (const file of files)
      await rows`DELETE FROM adoption_store_file WHERE name = ${name} AND file = ${file}`;
  },
});
