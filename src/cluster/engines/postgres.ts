import { type DatabaseUrl, describeHost, type EngineHost } from "../../lib/database-url.ts";
import type { EngineHealth, EngineMember, Log, LogFiles, PemFiles } from "../log.ts";
import { AttemptFailed, firstWithin } from "./attempt.ts";
import { PostgresClaims, PostgresTurns } from "./postgres-leases.ts";
import { failureOf, PostgresPrimary } from "./postgres-primary.ts";
import { PostgresRecords, PostgresSnapshots } from "./postgres-records.ts";
import { PostgresWatch } from "./postgres-watch.ts";

const LIMIT_MS = 2000;

interface State {
  version: string;
  is_standby: boolean;
  standbys: string;
  bytes: string | null;
}

const ask = async (primary: PostgresPrimary, host: EngineHost): Promise<State | AttemptFailed> => {
  const sql = primary.open(host);
  try {
    const rows = (await sql`
      SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby,
        current_setting('synchronous_standby_names') AS standbys,
        (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'adoption\\_store\\_%' AND relkind = 'r')
          AS bytes
    `) as State[];
    return rows[0] ?? new AttemptFailed("gave no rows", false);
  } catch (error) {
    return failureOf(error);
  } finally {
    void sql.close({ timeout: 0 }).catch(() => {});
  }
};

/** Asks every host of DATABASE_URL. */
const postgresHealth = async (primary: PostgresPrimary): Promise<EngineHealth> => {
  const asked = await Promise.all(
    primary.hosts.map(async (host) => {
      const state =
        (await firstWithin([ask(primary, host)], LIMIT_MS)) ??
        new AttemptFailed("no response in time", false);
      return { address: describeHost(host), state };
    }),
  );
  const states = asked.flatMap(({ state }) => (state instanceof AttemptFailed ? [] : state));
  const leader = states.find((state) => !state.is_standby);
  const version = leader?.version ?? states[0]?.version;
  return {
    version: version === undefined ? undefined : `PostgreSQL ${version.split(" ")[0]}`,
    members: asked.map(({ address, state }): EngineMember => {
      if (state instanceof AttemptFailed) return { address, problem: state.message, isLeader: false };
      return { address, problem: undefined, isLeader: !state.is_standby };
    }),
    bytes: leader ? Number(leader.bytes ?? 0) : undefined,
    advice:
      leader?.standbys === ""
        ? [
            "PostgreSQL has no synchronous standby, so a failover can lose acknowledged writes: set synchronous_standby_names, unless the storage of the primary is replicated",
          ]
        : [],
  };
};

/** Small files in a table. */
const postgresFiles = (primary: PostgresPrimary, name: string): LogFiles => ({
  async put(file, content) {
    await primary.run(
      (sql) => sql`
      INSERT INTO adoption_store_file (name, file, content) VALUES (${name}, ${file}, ${content})
      ON CONFLICT (name, file) DO UPDATE SET content = excluded.content
    `,
    );
  },
  async get(file) {
    const [row] = await primary.run(
      async (sql) =>
        (await sql`SELECT content FROM adoption_store_file WHERE name = ${name} AND file = ${file}`) as {
          content: Buffer;
        }[],
    );
    return row && new Uint8Array(row.content);
  },
  async list(prefix) {
    const rows = await primary.run(
      async (sql) =>
        (await sql`
          SELECT file FROM adoption_store_file WHERE name = ${name} AND starts_with(file, ${prefix})
          ORDER BY file COLLATE "C"
        `) as { file: string }[],
    );
    return rows.map(({ file }) => file);
  },
  async remove(files) {
    for (const file of files)
      await primary.run(
        (sql) => sql`DELETE FROM adoption_store_file WHERE name = ${name} AND file = ${file}`,
      );
  },
});

/** A log in PostgreSQL, 15 or newer. */
export const openPostgres = (url: DatabaseUrl, tls: PemFiles | undefined): Log => {
  const primary = new PostgresPrimary(url, tls);
  const name = url.log;
  const node = crypto.randomUUID();
  // A name of a channel has at most 63 bytes.
  const channel = `adoption_store_${Bun.hash(name).toString(36)}`;
  const records = new PostgresRecords(primary, { name, channel, node });
  const snapshots = new PostgresSnapshots(primary, name);
  const claims = new PostgresClaims(primary, name);
  const watch = new PostgresWatch(primary, () => records.head());
  const turns = new PostgresTurns(primary, watch, { name, node, channel: `${channel}_turn` });
  return {
    head: () => records.head(),
    create: (first, replaces) => snapshots.create(first, replaces),
    append: (after, id, record) => records.append(after, id, record),
    read: (after, limit) => records.read(after, limit),
    watch: (onChange, signal) => watch.listen(channel, onChange, signal),
    turn: () => turns.take(),
    claim: (claim, ttlMs, value) => claims.take(claim, ttlMs, value),
    claims: (prefix) => claims.list(prefix),
    snapshot: () => snapshots.newest(),
    announce: (snapshot) => snapshots.announce(snapshot),
    trim: (upTo) => snapshots.trim(upTo),
    files: postgresFiles(primary, name),
    health: () => postgresHealth(primary),
    async close() {
      await Promise.all([claims.close(), turns.close()]);
      watch.close();
      primary.close();
    },
  };
};
