import { type DatabaseUrl, describeHost, type EngineHost } from "../../../lib/database-url.ts";
import type { EngineHealth, PemFiles } from "../log.ts";
import { askMembers, AttemptFailed } from "./attempt.ts";
import type { Engine } from "./engine.ts";
import { postgresClaims, postgresFiles, postgresLine } from "./postgres-keys.ts";
import { failureOf, type PostgresPrimary, postgresPrimary } from "./postgres-primary.ts";
import { postgresRecords, postgresSnapshots } from "./postgres-records.ts";
import { postgresWatch } from "./postgres-watch.ts";

interface State {
  version: string;
  is_standby: boolean;
  standbys: string;
  bytes: string | null;
}

/** @throws AttemptFailed */
const stateOf = async (primary: PostgresPrimary, host: EngineHost): Promise<State> => {
  const sql = primary.open(host);
  try {
    const [state] = (await sql`
      SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby,
        current_setting('synchronous_standby_names') AS standbys,
        (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'adoption\\_store\\_%' AND relkind = 'r')
          AS bytes
    `) as State[];
    if (!state) throw new AttemptFailed("gave no rows", false);
    return state;
  } catch (error) {
    throw failureOf(error);
  } finally {
    void sql.close({ timeout: 0 }).catch(() => {});
  }
};

/** Asks every host of DATABASE_URL. */
const healthOf = async (primary: PostgresPrimary): Promise<EngineHealth> => {
  const asked = await askMembers(primary.hosts, (host) => stateOf(primary, host));
  const states = asked.flatMap(({ state }) => state ?? []);
  const leader = states.find((state) => !state.is_standby);
  const version = leader?.version ?? states[0]?.version;
  return {
    version: version === undefined ? undefined : `PostgreSQL ${version.split(" ")[0]}`,
    members: asked.map(({ host, state, problem }) => ({
      address: describeHost(host),
      problem,
      isLeader: state?.is_standby === false,
    })),
    bytes: leader ? Number(leader.bytes ?? 0) : undefined,
    advice:
      leader?.standbys === ""
        ? [
            "PostgreSQL has no synchronous standby, so a failover can lose acknowledged writes: set synchronous_standby_names, unless the storage of the primary is replicated",
          ]
        : [],
  };
};

/** A log in PostgreSQL, 15 or newer. */
export const openPostgres = (url: DatabaseUrl, tls: PemFiles | undefined): Engine => {
  const primary = postgresPrimary(url, tls);
  const name = url.log;
  // A name of a channel has at most 63 bytes.
  const channel = `adoption_store_${Bun.hash(name).toString(36)}`;
  const names = { name, channel, node: crypto.randomUUID() };
  const head: Engine["head"] = () =>
    primary.run(async (sql) => {
      const [row] = (await sql`
        SELECT log, position, id, pg_is_in_recovery() AS is_standby
        FROM (VALUES (1)) AS one LEFT JOIN adoption_store_log ON name = ${name}
      `) as { log: string | null; position: string; id: string; is_standby: boolean }[];
      if (row?.is_standby) throw new AttemptFailed("the server became a standby", false, "reconnect");
      return row?.log == null ? undefined : { log: row.log, position: Number(row.position), id: row.id };
    });
  const watch = postgresWatch(primary, head);
  return {
    head,
    ...postgresRecords(primary, names),
    ...postgresSnapshots(primary, name),
    watch: (onChange, signal) => watch.listen(channel, onChange, signal),
    claims: postgresClaims(primary, name),
    line: postgresLine(primary, watch, names),
    files: postgresFiles(primary, name),
    health: () => healthOf(primary),
    close() {
      watch.close();
      primary.close();
    },
  };
};
