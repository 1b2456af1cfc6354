import { SQL } from "bun";
import { type DatabaseUrl, describeHost, type EngineHost } from "../../../lib/database-url.ts";
import { reasonOf } from "../../../lib/reason.ts";
import { EngineUnavailable, type PemFiles } from "../log.ts";
import {
  AttemptFailed,
  BAD_CERTIFICATE,
  EngineUnanswered,
  firstWithin,
  type Refusal,
  refused,
} from "./attempt.ts";

/**
 * By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html. A server that refuses a statement has rolled it
 * back.
 */
const REFUSALS: readonly Refusal[] = [
  // The server shuts down, or ends the session, perhaps after the commit.
  { match: /^(57P0[12]|08)/, remedy: "reconnect", mayHaveRun: true },
  // It starts, or is a standby.
  { match: /^(57P03|25006)/, remedy: "reconnect" },
  { match: /^53300/, remedy: "reconnect", advice: "raise max_connections, a node uses up to 5" },
  // Another transaction holds the row.
  { match: /^(55P03|40001|40P01|57014)/, remedy: "retry" },
  {
    match: /^42501/,
    remedy: "give up",
    advice:
      "grant the user CREATE on the schema for the first start, and SELECT, INSERT, UPDATE and DELETE on the tables adoption_store_*",
  },
  { match: /^28/, remedy: "give up", advice: "check the user and the password in DATABASE_URL" },
  { match: /^3D/, remedy: "give up", advice: "create it, or correct DATABASE_URL" },
  { match: /./, remedy: "give up" },
];

/** Bun's codes of connections that were never made. */
const NOT_CONNECTED = /CONNECTION_(REFUSED|FAILED|TIMEOUT)/;

export const failureOf = (error: unknown): AttemptFailed => {
  if (error instanceof AttemptFailed) return error;
  if (error instanceof SQL.PostgresError && error.errno !== undefined)
    return refused(REFUSALS, error.errno, reasonOf(error).slice(0, 200));
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const refusal = refusalOf(code);
  return new AttemptFailed(refusal ?? reasonOf(error), refusal === undefined, "reconnect");
};

/** Why no connection was made; undefined if there was one. */
const refusalOf = (code: string): string | undefined => {
  if (code.endsWith("TLS_NOT_AVAILABLE")) return "the server does not offer TLS: set ssl = on";
  if (/TLS_/.test(code) || BAD_CERTIFICATE.test(code)) return `the certificate is refused: ${code}`;
  return NOT_CONNECTED.test(code) ? "cannot be reached" : undefined;
};

/** One of the tables: they are all made in one transaction. */
const LAST = "adoption_store_file";
/** Any number that nothing else takes. */
const LOCK = 4_702_613_985;

/**
 * `name` is that of the log in DATABASE_URL; `log` identifies its content, and changes with a restored backup. The line for the
 * write lease may be lost with the server, so it is not in its WAL. Records are compressed already.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS adoption_store_log (
    name text PRIMARY KEY, log text NOT NULL, position bigint NOT NULL, id text NOT NULL, trimmed bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE IF NOT EXISTS adoption_store_record (
    name text, log text, position bigint, id text NOT NULL, record bytea NOT NULL, PRIMARY KEY (name, log, position)
  );
  ALTER TABLE adoption_store_record ALTER COLUMN record SET STORAGE EXTERNAL;
  CREATE TABLE IF NOT EXISTS adoption_store_snapshot (
    name text PRIMARY KEY, log text NOT NULL, position bigint NOT NULL, id text NOT NULL, checksum text NOT NULL,
    reference text NOT NULL
  );
  CREATE TABLE IF NOT EXISTS adoption_store_claim (
    name text, claim text, holder text NOT NULL, value text NOT NULL, expires timestamptz NOT NULL,
    PRIMARY KEY (name, claim)
  );
  CREATE UNLOGGED TABLE IF NOT EXISTS adoption_store_turn (
    name text, node text, ticket bigint GENERATED ALWAYS AS IDENTITY, expires timestamptz NOT NULL,
    PRIMARY KEY (name, node)
  ) WITH (fillfactor = 50);
  CREATE TABLE IF NOT EXISTS adoption_store_file (
    name text, file text, content bytea NOT NULL, PRIMARY KEY (name, file)
  );
  ALTER TABLE adoption_store_file ALTER COLUMN content SET STORAGE EXTERNAL;
`;

/** The right to create tables is needed only until they exist. */
const createTables = async (sql: SQL): Promise<void> => {
  const [found] = (await sql`SELECT to_regclass(${LAST}) IS NOT NULL AS exists`) as { exists: boolean }[];
  if (found?.exists) return;
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${LOCK})`;
    await tx.unsafe(TABLES).simple();
  });
};

export interface Connection {
  readonly host: EngineHost;
  readonly sql: SQL;
  /** Rises with each promotion of a standby. */
  readonly timeline: number;
  /** Aborts when another connection takes its place. */
  readonly ended: AbortController;
  /** The last commit that must wait for the standbys was not confirmed, or none was made yet. */
  isUnconfirmed: boolean;
}

interface RunOptions {
  patienceMs?: number;
  limitMs?: number;
  /** The result counts only when the synchronous standbys have everything that the statement wrote. */
  isSynchronous?: boolean;
}

const PATIENCE_MS = 5000;
const LIMIT_MS = 2000;
/** Shorter than `LIMIT_MS`: a connection that waits for another's transaction is alive. */
const LOCK_MS = 1500;
/** How long to look for a newer primary, once one has responded. */
const OTHERS_MS = 300;
const PAUSE_MS = 50;
/** How often to ask whether a session still waits for a standby. */
const WAIT_MS = 100;
const NO_RESPONSE = "no response in time";
const UNCONFIRMED = "no commit was confirmed in time: check the synchronous standby";
/**
 * A commit that waits for its standby can be cut off (pg_cancel_backend). It then succeeds with a warning, which Bun does not
 * show. So a commit that took so long counts only after another one.
 */
export const SLOW_MS = 500;
/** How often to ask whether another server was promoted while this one keeps running. */
const CHECK_MS = 5000;

type Rows = <Row = object>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

/** Makes a client of one host. It connects with the first query. */
const clientsOf =
  ({ credentials, path }: DatabaseUrl, tls: PemFiles | undefined) =>
  (host: EngineHost, onClose: () => void = () => {}): SQL =>
    new SQL({
      adapter: "postgres",
      // Otherwise Bun takes DATABASE_URL of the environment, whose form is not quite ours.
      url: `postgres://${describeHost(host)}/${encodeURIComponent(path)}`,
      ...(credentials && { username: credentials.user, password: credentials.password }),
      tls: tls ? { ...tls, rejectUnauthorized: true } : "disable",
      max: 4,
      connectionTimeout: LIMIT_MS / 1000,
      onclose: onClose,
      connection: {
        application_name: "adoption-store",
        // Never less, regardless of the server's default: an acknowledged record is on disk, and on the synchronous standbys.
        synchronous_commit: "on",
        lock_timeout: LOCK_MS,
        idle_session_timeout: 0,
      },
    });

/** Finds the primary among the hosts of DATABASE_URL, and finds it again after a failover. */
export const postgresPrimary = (url: DatabaseUrl, tls: PemFiles | undefined) => {
  const { hosts } = url;
  let finding: Promise<Connection> | undefined;
  let current: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Why there is no connection yet. */
  let obstacle = NO_RESPONSE;

  const open = clientsOf(url, tls);

  const drop = (connection: Connection): void => {
    if (connection === current) finding = current = undefined;
    if (!connection.ended.signal.aborted) end(connection);
  };

  const probe = async (host: EngineHost): Promise<Connection> => {
    let connection: Connection | undefined;
    // Immediately, when the server ends: Bun would try to listen again for up to 32 s in between, and print that.
    const sql = open(host, () => connection && drop(connection));
    try {
      const [state] = (await sql`
        SELECT CASE WHEN pg_is_in_recovery() THEN NULL
          ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline
      `) as { timeline: string | null }[];
      if (!state?.timeline) throw new AttemptFailed("none of the hosts is a primary", false);
      const timeline = Number.parseInt(state.timeline, 16);
      connection = { host, sql, timeline, ended: new AbortController(), isUnconfirmed: true };
      return connection;
    } catch (error) {
      void sql.close({ timeout: 0 }).catch(() => {});
      throw error;
    }
  };

  /** The primary; of several, which is a mistake of who fails over, the one that was promoted last. */
  const search = async (): Promise<Connection> => {
    const found: Connection[] = [];
    const probes = hosts.map(async (host) => found.push(await probe(host)));
    try {
      await Promise.any(probes);
    } catch (error) {
      const failures = (error as AggregateError).errors.map(failureOf);
      throw failures.find(({ remedy }) => remedy !== "give up") ?? failures[0];
    }
    const all = Promise.allSettled(probes);
    await firstWithin([all], OTHERS_MS);
    const best = found.reduce((a, b) => (b.timeline > a.timeline ? b : a));
    void all.then(() => found.filter((connection) => connection !== best).forEach(end));
    return best;
  };

  /** An old primary that was not stopped keeps responding, and would be read from forever. */
  const check = async (): Promise<void> => {
    const connection = current;
    if (!connection) return;
    const best = await search();
    if (best.timeline > connection.timeline) drop(connection);
    end(best);
  };

  /** After a crash, a server shows commits that no standby has. An old primary lacks newer ones. So each makes a commit first. */
  const find = async (): Promise<Connection> => {
    let connection: Connection | undefined;
    try {
      connection = await search();
      await createTables(connection.sql);
      obstacle = UNCONFIRMED;
      const result = await attemptSynchronously(connection, commit, LIMIT_MS);
      if (result instanceof AttemptFailed) throw result;
      if (isClosed) end(connection);
      if (connection.ended.signal.aborted) throw new AttemptFailed("the connection was closed", false);
      current = connection;
      if (hosts.length > 1) timer ??= setInterval(() => void check().catch(() => {}), CHECK_MS).unref();
      return connection;
    } catch (error) {
      finding = undefined;
      if (connection) end(connection);
      throw failureOf(error);
    } finally {
      obstacle = NO_RESPONSE;
    }
  };

  /** @throws AttemptFailed */
  const connect = async (limitMs: number): Promise<Connection> => {
    if (isClosed) throw new AttemptFailed("the log is closed", false, "give up");
    const connection = await firstWithin([(finding ??= find())], limitMs);
    if (connection) return connection;
    throw new AttemptFailed(obstacle, false);
  };

  /**
   * Runs a statement, again if an attempt fails: so it must be one that can be carried out twice.
   * @throws EngineUnavailable; EngineUnanswered if it may have been carried out
   */
  const run = async <Result>(
    statement: (sql: SQL) => Promise<Result>,
    { patienceMs = PATIENCE_MS, limitMs = LIMIT_MS, isSynchronous = false }: RunOptions = {},
  ): Promise<Result> => {
    const deadline = performance.now() + patienceMs;
    let failure: AttemptFailed | undefined;
    let mayHaveRun = false;
    while (performance.now() < deadline && failure?.remedy !== "give up") {
      const connection = await connect(deadline - performance.now()).catch(failureOf);
      const tryOnce = isSynchronous ? attemptSynchronously : attempt;
      const result =
        connection instanceof AttemptFailed ? connection : await tryOnce(connection, statement, limitMs);
      if (!(result instanceof AttemptFailed)) return result.value;
      // The last failure explains more than a timeout of the next attempt.
      if (!failure || result.message !== NO_RESPONSE) failure = result;
      mayHaveRun ||= result.mayHaveRun;
      if (!(connection instanceof AttemptFailed) && result.remedy === "reconnect") drop(connection);
      if (failure.remedy !== "give up") await Bun.sleep(PAUSE_MS);
    }
    const message = `PostgreSQL: ${failure?.message ?? NO_RESPONSE}`;
    throw mayHaveRun ? new EngineUnanswered(message) : new EngineUnavailable(message);
  };

  const rowsWithin =
    (options?: RunOptions): Rows =>
    <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
      run(async (sql) => (await sql(strings, ...values)) as Row[], options);

  return {
    hosts,
    open,
    connect,
    run,
    rows: rowsWithin(),
    rowsWithin,
    /** A statement that counts when the standbys have its commit. */
    committed: rowsWithin({ isSynchronous: true }),
    close(): void {
      isClosed = true;
      clearInterval(timer);
      void finding?.then(end, () => {});
      finding = undefined;
    },
  };
};

export type PostgresPrimary = ReturnType<typeof postgresPrimary>;

const end = ({ sql, ended }: Connection): void => {
  ended.abort();
  void sql.close({ timeout: 0 }).catch(() => {});
};

/** A connection that does not respond in time is given up with all others of its client. */
const attempt = async <Result>(
  { sql }: Connection,
  statement: (sql: SQL) => Promise<Result>,
  limitMs: number,
): Promise<{ value: Result } | AttemptFailed> => {
  const running = statement(sql).then((value) => ({ value }), failureOf);
  return (await firstWithin([running], limitMs)) ?? new AttemptFailed(NO_RESPONSE, true, "reconnect");
};

/** Commits a message, which needs no right. Standbys confirm commits in order, so also those that were visible before. */
export const commit = async (sql: SQL): Promise<unknown> =>
  sql`SELECT pg_logical_emit_message(true, 'adoption-store', '')`;

/** Runs a statement, and confirms its commit by another one of the same server, if it was slow. */
const confirmed = async <Result>(
  { sql, ended }: Connection,
  statement: (sql: SQL) => Promise<Result>,
): Promise<Result> => {
  let sentAt = performance.now();
  const result = await statement(sql);
  while (performance.now() - sentAt > SLOW_MS) {
    sentAt = performance.now();
    await commit(sql);
  }
  // Another connection of this client may be one to another server.
  if (ended.signal.aborted) throw new AttemptFailed("the connection was closed", true);
  return result;
};

/** Whether a session of a node waits for a standby: the server does not end it when its client disconnects. */
const isWaiting = async (sql: SQL): Promise<boolean> => {
  const waiting = (await sql`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
      AND wait_event = 'SyncRep' AND query_start < clock_timestamp() - interval '1 second' LIMIT 1
  `) as unknown[];
  return waiting.length > 0;
};

/**
 * Runs a statement whose commit the standbys must confirm. While a session waits for them, no other follows, because each would
 * occupy another of the server's connections. The connection is kept, so that reads continue.
 */
const attemptSynchronously = async <Result>(
  connection: Connection,
  statement: (sql: SQL) => Promise<Result>,
  limitMs: number,
): Promise<{ value: Result } | AttemptFailed> => {
  for (const end = performance.now() + limitMs; connection.isUnconfirmed; await Bun.sleep(WAIT_MS)) {
    const waits = await attempt(connection, isWaiting, limitMs);
    if (waits instanceof AttemptFailed) return new AttemptFailed(waits.message, false, waits.remedy);
    if (!waits.value) break;
    if (performance.now() > end) return new AttemptFailed(UNCONFIRMED, false);
  }
  const result = await attempt(connection, () => confirmed(connection, statement), limitMs);
  connection.isUnconfirmed = result instanceof AttemptFailed && result.message === NO_RESPONSE;
  if (!connection.isUnconfirmed) return result;
  const waits = await attempt(connection, isWaiting, LIMIT_MS);
  return waits instanceof AttemptFailed || !waits.value ? result : new AttemptFailed(UNCONFIRMED, true);
};
