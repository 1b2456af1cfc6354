import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { removeOldCopies } from "../backups/pre-migration-copy.ts";
import { assertBackupDirectory } from "../backups/destination.ts";
import type { Config } from "../config/config.ts";
import { writeDurably } from "../lib/durable.ts";
import { storeIdOf } from "../db/store-id.ts";
import type { Database } from "../db/open.ts";
import type { Sweeper } from "../db/sweeper.ts";
import type { DomainScheduler } from "../domains/scheduler.ts";
import { descriptorBudget, openFiles } from "../edge/descriptors.ts";
import { type HttpsListener, listenHttps } from "../edge/https.ts";
import type { Fetch } from "../edge/dispatch.ts";
import { type Listener, listen } from "../edge/listeners.ts";
import { limitPlain } from "../edge/plain/limit.ts";
import { openSockets } from "../edge/plain/sockets.ts";
import { DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { type Logger, logger } from "../lib/log.ts";
import { respondWhileMigrating, respondWhileStarting } from "../http/startup.ts";
import { saveSettings } from "../config/saved-settings.ts";
import type { KeyService } from "../keys/service.ts";
import { adminKeyPath } from "../data-dir/paths.ts";
import { assertDataDir, makeDataDir } from "../data-dir/checks.ts";
import { type ServerLock, lockForServer } from "../data-dir/lock.ts";
import { openData } from "../data-dir/open.ts";
import { wireApp } from "./wire.ts";
import { listenOrExplain, plainPlaces } from "./listeners.ts";
import { migrateData } from "./migration.ts";
import { serverBackups } from "../backups/server-backups.ts";

const writeAdminKey = (dataDir: string) => (secret: string) =>
  writeDurably(adminKeyPath(dataDir), `${secret}\n`);

/** The file with the first key, if it is still there and its key opens anything: a restored database knows only its own keys. */
const adminKeyOf = async (dataDir: string, keys: KeyService, log: Logger): Promise<string | undefined> => {
  const path = adminKeyPath(dataDir);
  const secret = await readFile(path, "utf8").catch(() => undefined);
  if (secret === undefined) return undefined;
  if (await keys.authenticate(secret.trim())) return path;
  log.warn(
    `${path}: this key is revoked, or of another database; remove the file, and make a key with: adoption-store keys create --name NAME --scope '*'`,
  );
  return undefined;
};

/** What the operating system allows this process; "" where it is not Linux, which writes it there. */
const readLimits = (): string => {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
};

/** How often times of last use are written. */
const TEND_MS = 10_000;
/** How often the files of the database are looked for, besides each write, and the lock's file. */
const WATCH_MS = 1000;
/** How often files are swept that no deploy needs. */
const SETTLE_MS = 60 * 60_000;
/** Below the 10 seconds after which container runtimes kill. */
const GRACE_MS = 8000;

export interface Server {
  url: string;
  /** The second port for HTTP; undefined if there is none. */
  httpPort: number | undefined;
  /** Where it listens for HTTPS; undefined: nowhere. */
  httpsPort: number | undefined;
  /** Where projects are published: `http://*.localhost:3000/`. */
  sites: string;
  /** The file with the first key, if it is still there. */
  adminKey: string | undefined;
  log: Logger;
  /** Why the server must not go on. */
  failed: Promise<Error>;
  /** Finishes what is in flight, writes what is held back, and closes everything. Again is fine. */
  stop(): Promise<void>;
}

/**
 * Opens everything and listens. While it migrates the database, its plain ports say so.
 * @param signal ends a migration; afterwards `stop` does
 * @param watchMs how often the files are looked for
 * @throws OperatorError, MigrationStopped
 */
export const startServer = async (
  config: Config,
  signal: AbortSignal = new AbortController().signal,
  watchMs = WATCH_MS,
): Promise<Server> => {
  makeDataDir(config.dataDir);
  assertDataDir(config.dataDir);
  if (config.backupSchedule !== undefined) assertBackupDirectory(config.backupDir, config.dataDir);
  const lock = lockForServer(config.dataDir);
  let database: Database | undefined;
  const listeners: { stop(graceMs: number): Promise<void> }[] = [];
  try {
    /** Those that came over HTTP: the first is the one that the service is known by. */
    const plain: Listener[] = [];
    const log = logger({ level: config.logLevel, format: config.logFormat, colour: config.colour });
    const fileLimit = openFiles(readLimits());
    const sockets = openSockets();
    const { connections, advice } = descriptorBudget(
      DEFAULT_LIMITS.connections,
      fileLimit,
      config.httpsPort !== undefined,
    );
    if (advice !== undefined) log.warn(advice);
    let answer: Fetch = respondWhileMigrating;
    const current: Fetch = (request) => answer(request);
    const listenPlain = async () => {
      for (const place of plainPlaces(config)) {
        const listener = await listenOrExplain(place, (where) => listen({ ...where, fetch: current }));
        plain.push(listener);
        listeners.push(listener);
      }
      const ports = plain.map((listener) => listener.port);
      listeners.push(limitPlain({ ports, connections, trustsProxy: config.trustProxy > 0, sockets, log }));
    };
    await migrateData(config, { log, signal, onBegin: listenPlain });
    database = openData(config, { create: true, migrate: true });
    const backups = serverBackups(config, log, storeIdOf(database.client));
    let secure: HttpsListener | undefined;
    const listenerOf = (request: Request) => plain.find((one) => one.peerOf(request) !== "") ?? plain[0];
    const {
      app,
      fetch,
      misdirected,
      https,
      keys,
      deploys,
      scrub,
      keeper,
      publishing,
      publishReference,
      streams,
      sweeper,
    } = wireApp(config, database, {
      log,
      peerOf: (request) => secure?.visitOf(request)?.address ?? listenerOf(request)?.peerOf(request) ?? "",
      isDirect: (request) => secure?.visitOf(request) !== undefined,
      withoutIdleTimeout(request, work) {
        const visit = secure?.visitOf(request);
        if (visit) return visit.withoutIdleTimeout(work);
        return listenerOf(request)?.withoutIdleTimeout(request, work) ?? work();
      },
      portOf: () => plain[0]?.port ?? config.port,
      httpsPortOf: () => secure?.port ?? config.httpsPort ?? 0,
      withdraw: () => secure?.withdraw(),
      fileUse: () => ({ open: sockets?.openFiles() ?? 0, limit: fileLimit }),
      backupStatus: () => backups?.status(),
    });
    app.compile();
    const { host, httpsPort } = config;
    answer = respondWhileStarting;
    if (plain.length === 0) await listenPlain();
    const [listener, further] = plain;
    if (!listener) throw new Error("there is no listener");
    if (https && httpsPort !== undefined) {
      const { names, handshake: challenge } = https;
      const { fresh, version, foreignVersion } = database;
      const place = { host, port: httpsPort, hostSetting: "host", portSetting: "httpsPort" } as const;
      secure = await listenOrExplain(place, (where) =>
        listenHttps({
          ...where,
          names,
          challenge,
          fetch: current,
          misdirected,
          fresh,
          version,
          foreignVersion,
          connections,
        }),
      );
      listeners.push(secure);
    }
    // A start that cannot listen makes no key, and no request is served before there is one.
    await keys.createFirst(writeAdminKey(config.dataDir));
    const adminKey = await adminKeyOf(config.dataDir, keys, log);
    answer = fetch;
    await saveSettings(config, listener.port).catch((error: unknown) =>
      log.warn({ err: error }, "commands beside this server do not know its settings"),
    );
    return running({
      url: listener.url,
      httpPort: further?.port,
      httpsPort: secure?.port,
      listeners,
      sites: publishing.addressOf("*"),
      keys,
      keepers: [keeper, scrub, ...(https ? [https.keeper] : []), ...(backups ? [backups] : [])],
      settle: async () => {
        await publishReference();
        await deploys.sweep();
        for (const file of removeOldCopies(config.dataDir, Date.now()))
          log.info({ file }, "removed the copy from before a migration");
      },
      streams,
      sweeper,
      log,
      database,
      lock,
      watchMs,
      adminKey,
    });
  } catch (error) {
    for (const listener of listeners) await listener.stop(0);
    await database?.close();
    lock.release();
    throw error;
  }
};

const running = ({
  url,
  httpPort,
  httpsPort,
  listeners,
  sites,
  keys,
  keepers,
  settle,
  streams,
  sweeper,
  log,
  database,
  lock,
  watchMs,
  adminKey,
}: {
  url: string;
  httpPort: number | undefined;
  httpsPort: number | undefined;
  listeners: readonly { stop(graceMs: number): Promise<void> }[];
  sites: string;
  keys: KeyService;
  keepers: readonly Pick<DomainScheduler, "start" | "stop">[];
  /** What is done once the server answers, and again every hour. */
  settle: () => Promise<void>;
  /** Requests that would not end by themselves. */
  streams: { stop(): void };
  /** Of what is kept for a time only. */
  sweeper: Sweeper;
  log: Logger;
  database: Database;
  lock: ServerLock;
  watchMs: number;
  adminKey: string | undefined;
}): Server => {
  const flush = () =>
    keys.flush().catch((error: unknown) => log.warn({ err: error }, "times of last use not written"));
  let isLockReported = false;
  const watch = () => {
    try {
      database.assertInPlace();
    } catch {
      // `database.lost` says so, once what can be saved is saved.
      return;
    }
    try {
      if (lock.keep())
        log.warn("server.lock was deleted or replaced: the server has made and taken it again");
      isLockReported = false;
    } catch (error) {
      if (!isLockReported)
        log.warn({ err: error }, "server.lock was deleted or replaced, and cannot be taken again");
      isLockReported = true;
    }
  };
  const watching = setInterval(watch, watchMs);
  const tend = async () => {
    await flush();
    await sweeper.run().catch((error: unknown) => log.warn({ err: error }, "not swept"));
    await database
      .shrinkLog()
      .catch((error: unknown) => log.warn({ err: error }, "the log was not cut down"));
  };
  const tending = setInterval(() => void tend(), TEND_MS);
  const settleOrSay = () => settle().catch((error: unknown) => log.error({ err: error }, "not settled"));
  let settled = settleOrSay();
  const settling = setInterval(() => {
    settled = settled.then(settleOrSay);
  }, SETTLE_MS);
  for (const keeper of keepers) keeper.start();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    clearInterval(tending);
    clearInterval(watching);
    clearInterval(settling);
    streams.stop();
    await Promise.all([
      ...listeners.map((listener) => listener.stop(GRACE_MS)),
      ...keepers.map((keeper) => keeper.stop()),
    ]);
    await settled;
    await sweeper.stop();
    await flush();
    await database.close();
    lock.release();
  };
  return {
    url,
    httpPort,
    httpsPort,
    sites,
    adminKey,
    log,
    failed: Promise.race([database.lost, lock.lost]),
    stop: () => (stopped ??= stop()),
  };
};
