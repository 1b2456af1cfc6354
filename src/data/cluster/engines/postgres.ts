import type { EngineHealth, Head, LogFiles, LogRecord, PemFiles, Snapshot } from "../log.ts";
import type { SQL } from "bun";
import {
  commit,
  type Connection,
  failureOf,
  type PostgresPrimary,
  postgresPrimary,
  SLOW_MS,
} from "./postgres-primary.ts";
import { type Engine, type LeasedKeys, type Line, MAX_READ_BYTES } from "./engine.ts";
import { type DatabaseUrl, describeHost, type EngineHost } from "../../../lib/database-url.ts";
import { askMembers, AttemptFailed } from "./attempt.ts";

const CONNECT_MS = 5000;
/** Notifications may get lost with a connection, or in a proxy in between. */
const POLL_MS = 1000;

interface Listener {
  readonly channel: string;
  readonly onNotify: () => void;
}

/** Listens on the connection to the primary, on the next one after a failover, and polls once a second. */
const postgresWatch = ({ connect }: PostgresPrimary, head: () => Promise<Head | undefined>) => {
  /** The function that stops each one on the current connection. */
  const listeners = new Map<Listener, (() => void) | undefined>();
  let current: Connection | undefined;
  let isRunning = false;
  let wake: (() => void) | undefined;
  let last = "";

  const start = async ({ sql }: Connection, listener: Listener): Promise<void> => {
    const subscription = await sql.listen(listener.channel, () => listener.onNotify());
    const stop = () => void subscription.unlisten().catch(() => {});
    if (!listeners.has(listener)) return stop();
    listeners.set(listener, stop);
    listener.onNotify();
  };

  const subscribe = async (connection: Connection): Promise<void> => {
    if (connection !== current) {
      current = connection;
      for (const listener of listeners.keys()) listeners.set(listener, undefined);
      connection.ended.signal.addEventListener("abort", () => wake?.());
    }
    for (const [listener, stop] of listeners) if (!stop) await start(connection, listener);
  };

  const look = async (): Promise<void> => {
    const text = JSON.stringify((await head()) ?? null);
    if (text === last) return;
    last = text;
    for (const { onNotify } of listeners.keys()) onNotify();
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    while (listeners.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, POLL_MS);
      try {
        await subscribe(await connect(CONNECT_MS));
        await look();
      } catch {
        // The next round tries again.
      }
      await promise;
      clearTimeout(timer);
    }
    isRunning = false;
  };

  return {
    /** Calls back after notifications, and after each new connection, until `signal`. */
    listen(channel: string, onNotify: () => void, signal: AbortSignal): void {
      if (signal.aborted) return;
      const listener = { channel, onNotify };
      listeners.set(listener, undefined);
      signal.addEventListener("abort", () => {
        listeners.get(listener)?.();
        listeners.delete(listener);
      });
      if (!isRunning) void run();
      wake?.();
    },
    close(): void {
      for (const stop of listeners.values()) stop?.();
      listeners.clear();
      wake?.();
    },
  };
};

type PostgresWatch = ReturnType<typeof postgresWatch>;

const LIMIT_MS = 2000;
/** A slow network takes so many bytes in a millisecond. */
const BYTES_PER_MS = 10_000;

/** Names of one log, and of this process in it. */
interface PostgresNames {
  readonly name: string;
  /** Who listens to it learns of each record. */
  readonly channel: string;
  /** This process's, in the line for the write lease. */
  readonly node: string;
}

interface RecordRow {
  log: string;
  trimmed: string;
  newest: string;
  position: string;
  id: string;
  record: Buffer | null;
}

/**
 * The newest record of a log that a server has shown. When a session that waits for the standby is cut off, its record becomes
 * visible without being there. So a record counts as confirmed if it was visible within `SLOW_MS` after its append began. It
 * confirms the records before it, because its author has read them.
 */
const newestRecord = () => {
  let current: string | undefined;
  let [newest, confirmed] = [-1, -1];
  /** When the last request was sent that showed no newer record. */
  let shownAt = -Infinity;
  /** The append of the next record began after this time. */
  let idleAt = -Infinity;
  return {
    /** @param isIdle no append had begun when the request was carried out */
    see(log: string, position: number, sentAt: number, isIdle: boolean): void {
      if (log !== current)
        [current, newest, confirmed, shownAt, idleAt] = [log, -1, -1, -Infinity, -Infinity];
      if (position < newest) return;
      if (position > newest) {
        if (performance.now() - idleAt < SLOW_MS) confirmed = position;
        [newest, idleAt] = [position, shownAt];
      }
      shownAt = Math.max(shownAt, sentAt);
      if (isIdle) idleAt = Math.max(idleAt, sentAt);
    },
    isConfirmed: (position: number): boolean => position <= confirmed,
  };
};

/** Of each connection: a server that restarts ends it. */
const newestRecords = new WeakMap<SQL, ReturnType<typeof newestRecord>>();

const newestOf = (sql: SQL) => {
  const known = newestRecords.get(sql) ?? newestRecord();
  newestRecords.set(sql, known);
  return known;
};

/** Records of the log `name`, after its head, which is one row: the first to update it appends. */
const postgresRecords = (
  { committed, run, rowsWithin }: PostgresPrimary,
  { name, channel, node }: PostgresNames,
): Pick<Engine, "append" | "read"> => {
  /** One statement, so one transaction: the head moves, the record is put, and who listens is notified. */
  const put = async ({ log, position, id: last }: Head, id: string, record: Uint8Array) => {
    const limitMs = LIMIT_MS + record.length / BYTES_PER_MS;
    const [result] = await rowsWithin({ limitMs, patienceMs: limitMs + 3000, isSynchronous: true })<{
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

  /**
   * The id of the record at a position, and the position up to which records of its log were removed.
   * @param own the id of a record whose response may have been lost: if it is there, it is confirmed
   */
  const look = async (log: string, position: number, own: string) => {
    const [row] = await committed<{ id: string | null; trimmed: string | null }>`
      WITH found AS (
        SELECT id FROM adoption_store_record WHERE name = ${name} AND log = ${log} AND position = ${position}
      )
      SELECT (SELECT id FROM found) AS id,
        (SELECT trimmed FROM adoption_store_log WHERE name = ${name} AND log = ${log}) AS trimmed,
        (SELECT pg_logical_emit_message(true, 'adoption-store', '') FROM found WHERE id = ${own}) AS committed
    `;
    return { found: row?.id ?? undefined, trimmed: Number(row?.trimmed ?? 0) };
  };

  return {
    async append(after, id, record) {
      const result = await put(after, id, record);
      if (result?.won) return { won: true, isAwaited: result.awaited };
      const { log, position } = after;
      return { won: false, ...(await look(log, position + 1, id)) };
    },
    async read({ log, position }, limit) {
      // At least one row, if there is a log: without a record if the position is the end.
      const select = (sql: SQL) => sql`
        WITH next AS (
          SELECT position, id, record FROM adoption_store_record
          WHERE name = ${name} AND log = ${log} AND position > ${position} ORDER BY position LIMIT ${limit}
        ), sized AS (
          SELECT *, sum(octet_length(record)) OVER before AS bytes, row_number() OVER before AS number
          FROM next WINDOW before AS (ORDER BY position)
        )
        SELECT head.log, head.trimmed, head.position AS newest, sized.position, sized.id, sized.record
        FROM adoption_store_log AS head LEFT JOIN sized ON bytes <= ${MAX_READ_BYTES} OR number = 1
        WHERE head.name = ${name} ORDER BY sized.position
      `;
      const found = await run(
        async (sql) => {
          const sentAt = performance.now();
          const rows = (await select(sql)) as RecordRow[];
          const last = rows.at(-1);
          if (!last?.record) return rows;
          newestOf(sql).see(last.log, Number(last.newest), sentAt, false);
          if (!newestOf(sql).isConfirmed(Number(last.position))) await commit(sql);
          return rows;
        },
        { isSynchronous: true },
      );
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
const DELETE_LIMITS = { limitMs: 10_000, patienceMs: 15_000, isSynchronous: true };

/** The newest snapshot, and the removal of the data that it replaces. */
const postgresSnapshots = (
  { committed, rows, rowsWithin }: PostgresPrimary,
  name: string,
): Pick<Engine, "begin" | "snapshot" | "replaceSnapshot" | "trim"> => ({
  async begin({ log, position, id, checksum, reference }, before) {
    const replaced = before?.log ?? null;
    const put = await committed`
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
    const replaced = await committed`
      UPDATE adoption_store_snapshot
      SET position = ${position}, id = ${id}, checksum = ${checksum}, reference = ${reference}
      WHERE name = ${name} AND log = ${before.log} AND position = ${before.position} RETURNING 1
    `;
    return replaced.length > 0;
  },
  /** In slices, so that no statement takes long. */
  async trim({ log, position }) {
    await committed`
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

/** Claims: rows that expire by the server's clock. They serve no safety, and do not wait for a standby that is down. */
const postgresClaims = ({ rows, rowsWithin }: PostgresPrimary, name: string): LeasedKeys => ({
  async put(claim, ttlMs, value) {
    const holder = crypto.randomUUID();
    const put = await rows`
      INSERT INTO adoption_store_claim AS held (name, claim, holder, value, expires)
      VALUES (${name}, ${claim}, ${holder}, ${value}, clock_timestamp() + ${ttlMs} * interval '1 ms')
      ON CONFLICT (name, claim) DO UPDATE
        SET holder = excluded.holder, value = excluded.value, expires = excluded.expires
        WHERE held.expires < clock_timestamp() OR held.holder = excluded.holder
      RETURNING set_config('synchronous_commit', 'off', true)
    `;
    if (put.length === 0) return undefined;
    return {
      async renew(patienceMs) {
        const renewed = await rowsWithin({ patienceMs })`
          UPDATE adoption_store_claim SET expires = clock_timestamp() + ${ttlMs} * interval '1 ms'
          WHERE name = ${name} AND claim = ${claim} AND holder = ${holder}
          RETURNING set_config('synchronous_commit', 'off', true)
        `;
        return renewed.length > 0;
      },
      async update(next) {
        await rows`
          UPDATE adoption_store_claim SET value = ${next}
          WHERE name = ${name} AND claim = ${claim} AND holder = ${holder}
          RETURNING set_config('synchronous_commit', 'off', true)
        `;
      },
      release: (patienceMs) => rowsWithin({ patienceMs })`
        DELETE FROM adoption_store_claim WHERE name = ${name} AND claim = ${claim} AND holder = ${holder}
        RETURNING set_config('synchronous_commit', 'off', true)
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
const postgresLine = (
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
        )
        INSERT INTO adoption_store_turn (name, node, expires)
        VALUES (${name}, ${node}, clock_timestamp() + ${ttlMs} * interval '1 ms')
        ON CONFLICT (name, node) DO UPDATE SET expires = excluded.expires
        RETURNING set_config('synchronous_commit', 'off', true)
      `;
      return {
        async renew(patienceMs) {
          const renewed = await rowsWithin({ patienceMs })`
            UPDATE adoption_store_turn SET expires = clock_timestamp() + ${ttlMs} * interval '1 ms'
            WHERE name = ${name} AND node = ${node} RETURNING set_config('synchronous_commit', 'off', true)
          `;
          return renewed.length > 0;
        },
        release: (patienceMs) => rowsWithin({ patienceMs })`
          DELETE FROM adoption_store_turn WHERE name = ${name} AND node = ${node}
          RETURNING set_config('synchronous_commit', 'off', true), pg_notify(${channel}, '')
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

const postgresFiles = ({ committed, rows }: PostgresPrimary, name: string): LogFiles => ({
  async put(file, content) {
    await committed`
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
      await committed`DELETE FROM adoption_store_file WHERE name = ${name} AND file = ${file}`;
  },
});

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
      const sentAt = performance.now();
      // An append that has begun sets xmax of the row, and is visible when its commit is.
      const [row] = (await sql`
        SELECT log, position, id, adoption_store_log.xmax::text = '0' AS is_idle, pg_is_in_recovery() AS is_standby
        FROM (VALUES (1)) AS one LEFT JOIN adoption_store_log ON name = ${name}
      `) as { log: string | null; position: string; id: string; is_idle: boolean; is_standby: boolean }[];
      if (row?.is_standby) throw new AttemptFailed("the server became a standby", false, "reconnect");
      if (row?.log == null) return undefined;
      const found = { log: row.log, position: Number(row.position), id: row.id };
      newestOf(sql).see(found.log, found.position, sentAt, row.is_idle);
      return found;
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
    // Its autovacuum does that.
    reclaim: undefined,
    health: () => healthOf(primary),
    close() {
      watch.close();
      primary.close();
    },
  };
};
