import { SQL } from "bun";
import { type DatabaseUrl, type EngineHost, describeHost } from "../../lib/database-url.ts";
import { EngineUnavailable } from "../errors.ts";
import { AttemptFailed, EngineUnanswered, firstWithin } from "./attempt.ts";
import { failureOf } from "./postgres-errors.ts";
import type { PemFiles } from "./pem-files.ts";
import { createTables } from "./postgres-tables.ts";

/** Connections to the server that writes go to. */
export interface Connection {
  readonly host: EngineHost;
  readonly sql: SQL;
  /** Rises with each promotion of a standby. */
  readonly timeline: number;
  /** Aborts when another connection takes its place. */
  readonly ended: AbortController;
}

export interface RunOptions {
  patienceMs?: number;
  /** How long one attempt may take. */
  limitMs?: number;
}

const PATIENCE_MS = 5000;
const LIMIT_MS = 2000;
/** Shorter than `LIMIT_MS`: a connection that waits for another's transaction is alive. */
const LOCK_MS = 1500;
/** How long to look for a newer primary, once one has responded. */
const OTHERS_MS = 300;
const PAUSE_MS = 50;
const NO_RESPONSE = "no response in time";
/** How often to ask whether another server was promoted while this one goes on. */
const CHECK_MS = 5000;

/** Finds the primary among the hosts of DATABASE_URL, and finds it again after a failover. */
export class PostgresPrimary {
  readonly #url: DatabaseUrl;
  readonly #tls: PemFiles | undefined;
  #connection: Promise<Connection> | undefined;
  /** What the promise has brought. */
  #current: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: DatabaseUrl, tls: PemFiles | undefined) {
    this.#url = url;
    this.#tls = tls;
  }

  get hosts(): readonly EngineHost[] {
    return this.#url.hosts;
  }

  /**
   * Runs a statement, again if an attempt fails: so it must be one that can be carried out twice.
   * @throws EngineUnavailable; EngineUnanswered if it may have been carried out
   */
  async run<Result>(
    statement: (sql: SQL) => Promise<Result>,
    { patienceMs = PATIENCE_MS, limitMs = LIMIT_MS }: RunOptions = {},
  ): Promise<Result> {
    const end = performance.now() + patienceMs;
    let failure: AttemptFailed | undefined;
    let mayHaveRun = false;
    while (performance.now() < end && failure?.remedy !== "give up") {
      const connection = await this.connect(end - performance.now()).catch(failureOf);
      const result =
        connection instanceof AttemptFailed ? connection : await attempt(connection.sql, statement, limitMs);
      if (!(result instanceof AttemptFailed)) return result.value;
      // Why the last one failed says more than that the next one came too late.
      if (!failure || result.message !== NO_RESPONSE) failure = result;
      mayHaveRun ||= result.mayHaveRun;
      if (!(connection instanceof AttemptFailed) && result.remedy === "reconnect") this.#drop(connection);
      if (failure.remedy !== "give up") await Bun.sleep(PAUSE_MS);
    }
    const message = `PostgreSQL: ${failure?.message ?? NO_RESPONSE}`;
    throw mayHaveRun ? new EngineUnanswered(message) : new EngineUnavailable(message);
  }

  /** @throws AttemptFailed */
  async connect(limitMs: number): Promise<Connection> {
    if (this.#isClosed) throw new AttemptFailed("the log is closed", false, "give up");
    const connecting = (this.#connection ??= this.#find());
    const connection = await firstWithin([connecting], limitMs);
    if (connection) return connection;
    throw new AttemptFailed(NO_RESPONSE, false);
  }

  /** A client of one host. It connects with the first query. */
  open(host: EngineHost, onClose: () => void = () => {}): SQL {
    const { credentials, path } = this.#url;
    return new SQL({
      adapter: "postgres",
      // Otherwise Bun takes DATABASE_URL of the environment, whose form is not quite ours.
      url: `postgres://${describeHost(host)}/${encodeURIComponent(path)}`,
      ...(credentials && { username: credentials.user, password: credentials.password }),
      tls: this.#tls ? { ...this.#tls, rejectUnauthorized: true } : "disable",
      max: 4,
      connectionTimeout: LIMIT_MS / 1000,
      onclose: onClose,
      connection: {
        application_name: "adoption-store",
        // Never less, whatever the server's default is: an acknowledged record is on disk, and on the synchronous standbys.
        synchronous_commit: "on",
        lock_timeout: LOCK_MS,
        idle_session_timeout: 0,
      },
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    void this.#connection?.then(end, () => {});
    this.#connection = undefined;
  }

  #drop(connection: Connection): void {
    if (connection === this.#current) {
      this.#current = undefined;
      this.#connection = undefined;
    }
    if (!connection.ended.signal.aborted) end(connection);
  }

  async #find(): Promise<Connection> {
    try {
      const connection = await this.#search();
      await createTables(connection.sql);
      if (this.#isClosed) end(connection);
      if (connection.ended.signal.aborted) throw new AttemptFailed("the connection was closed", false);
      this.#current = connection;
      if (this.hosts.length > 1)
        this.#timer ??= setInterval(() => void this.#check().catch(() => {}), CHECK_MS).unref();
      return connection;
    } catch (error) {
      this.#connection = undefined;
      throw failureOf(error);
    }
  }

  /** The primary; of several, which is a mistake of who fails over, the one that was promoted last. */
  async #search(): Promise<Connection> {
    const found: Connection[] = [];
    const failures: AttemptFailed[] = [];
    const first = Promise.withResolvers<void>();
    let isOver = false;
    const probe = async (host: EngineHost): Promise<void> => {
      try {
        const connection = await this.#probe(host);
        if (isOver) return end(connection);
        found.push(connection);
        first.resolve();
      } catch (error) {
        failures.push(failureOf(error));
      }
    };
    const all = Promise.all(this.hosts.map(probe));
    await Promise.race([first.promise, all]);
    await firstWithin([all], OTHERS_MS);
    isOver = true;
    const [best, ...others] = found.toSorted((a, b) => b.timeline - a.timeline);
    others.forEach(end);
    if (best) return best;
    throw (
      failures.find(({ remedy }) => remedy !== "give up") ??
      failures[0] ??
      new AttemptFailed("no primary", false)
    );
  }

  async #probe(host: EngineHost): Promise<Connection> {
    let connection: Connection | undefined;
    // At once, when the server ends: Bun would try to listen again for up to 32 s in between, and print so.
    const sql = this.open(host, () => connection && this.#drop(connection));
    try {
      const [state] = (await sql`
        SELECT CASE WHEN pg_is_in_recovery() THEN NULL
          ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline
      `) as { timeline: string | null }[];
      if (!state?.timeline) throw new AttemptFailed("none of the hosts is a primary", false);
      const timeline = Number.parseInt(state.timeline, 16);
      connection = { host, sql, timeline, ended: new AbortController() };
      return connection;
    } catch (error) {
      void sql.close({ timeout: 0 }).catch(() => {});
      throw error;
    }
  }

  /** An old primary that nobody stopped goes on responding, and would be read from for ever. */
  async #check(): Promise<void> {
    const current = await this.#connection;
    if (!current) return;
    const best = await this.#search();
    if (best.timeline > current.timeline) this.#drop(current);
    end(best);
  }
}

const end = ({ sql, ended }: Connection): void => {
  ended.abort();
  void sql.close({ timeout: 0 }).catch(() => {});
};

/** A connection that does not respond in time is given up with all others of its client. */
const attempt = async <Result>(
  sql: SQL,
  statement: (sql: SQL) => Promise<Result>,
  limitMs: number,
): Promise<{ value: Result } | AttemptFailed> => {
  const running = statement(sql).then((value) => ({ value }), failureOf);
  return (await firstWithin([running], limitMs)) ?? new AttemptFailed(NO_RESPONSE, true, "reconnect");
};
