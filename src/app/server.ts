import { existsSync } from "node:fs";
import { openAdminKey } from "../access/keys/admin-key.ts";
import { assertBackupDirectory } from "../operate/backups/destination.ts";
import { assertNotRescued, storeRescue } from "../operate/backups/rescue.ts";
import { serverBackups } from "../operate/backups/schedule.ts";
import type { Cluster } from "../data/cluster/cluster.ts";
import { type Config, processEnvironment } from "../config/config.ts";
import { childEnvironment } from "../config/shared-settings.ts";
import { clockGuard, describeJump } from "../data/data-dir/clock.ts";
import { assertDataDir, makeDataDir } from "../data/data-dir/checks.ts";
import { lockForServer } from "../data/data-dir/lock.ts";
import { type Store, openStore } from "../data/open.ts";
import { adminKeyPath, databasePath } from "../data/data-dir/paths.ts";
import { newestTime } from "../data/db/newest-time.ts";
import { storeIdOf } from "../data/db/store-id.ts";
import { connectionsOf } from "../edge/connections.ts";
import { assertFileLimit, processFileLimit } from "../edge/file-descriptors.ts";
import { describeReadiness, respondWhileStarting } from "../http/health.ts";
import type { Handler } from "../edge/http-listener.ts";
import { once } from "../lib/lazy.ts";
import { type Logger, logger } from "../lib/log.ts";
import { projectAddresses } from "../platform/projects/addresses.ts";
import { readinessChecks } from "./health.ts";
import { createListeners, eventStreamLimit, probePorts } from "./listeners.ts";
import { maintenance, storeRecords } from "./maintenance.ts";
import { migrateData } from "../operate/backups/migration.ts";
import { nameserverAddresses } from "../platform/nameserver/nameserver.ts";
import { networkUrls } from "../lib/host-addresses.ts";
import { removeOldRecord, saveRecords, workersRecorder } from "../data/data-dir/server-records.ts";
import { createRequestHandlers } from "./request-handlers.ts";
import { type Context, systemRuntime } from "../data/context.ts";
import { type Services, createServices } from "./services.ts";

/** How often the files of DATA_DIR are checked. Writes check the database's files too. */
const WATCH_MS = 1000;
/** Container runtimes kill after 10 seconds. */
const GRACE_MS = 8000;
/** After a long DRAIN_TIME. */
const MIN_GRACE_MS = 2000;

/** The addresses of a running server. */
export interface StartedServer {
  /** The address of PORT for this machine. */
  url: string;
  /** Undefined without HTTP_PORT. */
  httpPort: number | undefined;
  /** Undefined without HTTPS_PORT. */
  httpsPort: number | undefined;
  /** Undefined without NAMESERVER. */
  dnsPort: number | undefined;
  /** The addresses of sites, with `*` for the project: `http://*.localhost:3000/`. */
  sites: string;
  /** The file with the first key, if it still exists. */
  adminKey: string | undefined;
  /** The token of a link that signs the operator in, if this start created the first key. */
  signInToken?: string | undefined;
  /** One line about the node of a cluster. */
  clusterNode?: string | undefined;
}

export interface Server extends StartedServer {
  log: Logger;
  /** Resolves with the reason why the server must stop. */
  failed: Promise<Error>;
  /** One line: "Ready", or which readiness checks fail and why. */
  state(): Promise<string>;
  /** Reports not ready for DRAIN_TIME, while it keeps serving, so that load balancers lose no request. Call it before `stop`. */
  drain(): Promise<void>;
  /** Finishes requests in flight, saves pending writes, and closes everything. Idempotent. */
  stop(): Promise<void>;
}

/** @throws OperatorError if the limits or directories of this process do not suffice */
const assertUsable = ({ workers, dataDir, backupDir, backupSchedule }: Config) => {
  assertFileLimit(processFileLimit(), workers);
  makeDataDir(dataDir);
  assertDataDir(dataDir);
  if (backupSchedule !== undefined) assertBackupDirectory(backupDir, dataDir);
};

/** The address of this server for other machines. */
const addressOf = ({ portHost, baseUrl }: Config, url: string): string =>
  networkUrls(url, portHost)[0] ?? baseUrl ?? url;

/** Stops deletions by age while the clock is in doubt. */
const serverClock = ({ config, database, clock, log }: Context) =>
  clockGuard(config.dataDir, newestTime(database.client), {
    clock,
    onChange: (jump) =>
      jump
        ? log.warn(describeJump(jump))
        : log.info("the clock shows a trusted time: deletions by age continue"),
    onError: (error) => log.warn({ err: error }, "the time could not be saved for the next start"),
  });

/** Not loaded by a server without a cluster. */
const nodeOf = async (opened: Cluster | undefined, context: Context, url: string) => {
  if (!opened) return undefined;
  const { applyLog, serverCluster } = await import("./cluster.ts");
  const addresses = {
    address: addressOf(context.config, url),
    url: networkUrls(url, context.config.portHost)[0] ?? url,
  };
  await applyLog(opened, context);
  return serverCluster(opened, context, addresses);
};

/** Not loaded by a server without workers. */
const workersOf = async (config: Config, log: Logger, fetch: Handler, program: StartOptions["program"]) =>
  config.workers > 1 ? (await import("./workers.ts")).createWorkers(config, log, fetch, program) : undefined;

/**
 * Opens the database, and brings it up to date: a replica by records of the log, and a snapshot if it needs one.
 * @param listen called before steps that may take minutes, so that a probe of `/livez` does not end the server
 */
const openCurrent = async (
  config: Config,
  { log, signal, listen }: { log: Logger; signal: AbortSignal; listen: () => Promise<unknown> },
): Promise<Store> => {
  if (config.databaseUrl === undefined) await migrateData(config, { log, signal, onBegin: listen });
  return openStore(config, {
    create: true,
    migrate: true,
    onStep: (step, level = "info") => log[level](step),
    onLoad: listen,
    debug: (details, decision) => log.debug(details, decision),
  });
};

/**
 * Checks settings and ports before the first start creates the store. Otherwise commands would use the store that a failed start
 * leaves.
 * @throws OperatorError
 */
const assertCanStart = async (
  config: Config,
  { listenForHttp }: { listenForHttp(): Promise<unknown> },
): Promise<void> => {
  if (config.databaseUrl === undefined) assertNotRescued(config);
  nameserverAddresses(config);
  await listenForHttp();
  await probePorts(config);
};

/** Opens the first key and the prerequisites of signing in to the console. */
const openAccess = async (
  { dataDir, console: hasConsole }: Config,
  { keys, sealingKey, signInLinks }: Services,
  log: Logger,
): Promise<Pick<Server, "adminKey" | "signInToken">> => {
  const adminKey = await openAdminKey(adminKeyPath(dataDir), keys, log);
  // Created now, so that a visitor who begins to sign in causes no write.
  if (hasConsole) await sealingKey();
  const link = hasConsole && adminKey?.isNew ? await signInLinks.create() : undefined;
  return { adminKey: adminKey?.path, signInToken: link?.token };
};

export interface StartOptions {
  /** Stops a migration; after the start, call `stop`. */
  signal?: AbortSignal;
  /** How often the files of DATA_DIR are checked. */
  watchMs?: number;
  /** The command line to run for workers instead of this program. */
  program?: readonly string[];
}

/**
 * Opens everything and listens. During a migration, the ports for HTTP respond that the server is not ready.
 * @throws OperatorError, MigrationStopped
 */
export const startServer = async (
  config: Config,
  { signal = new AbortController().signal, watchMs = WATCH_MS, program }: StartOptions = {},
): Promise<Server> => {
  assertUsable(config);
  await using resources = new AsyncDisposableStack();
  const lock = resources.adopt(lockForServer(config.dataDir), (serverLock) => serverLock.release());
  removeOldRecord(config.dataDir);
  const log = logger({ level: config.logLevel, format: config.logFormat, colour: config.colour });
  const listeners = createListeners(config, log);
  resources.defer(async () => void (await listeners.stop(0)));
  if (!existsSync(databasePath(config.dataDir))) await assertCanStart(config, listeners);
  const { database, cluster: opened } = await openCurrent(config, {
    log,
    signal,
    listen: listeners.listenForHttp,
  });
  resources.defer(async () => opened?.log.close());
  resources.defer(database.close);
  listeners.handle({ fetch: respondWhileStarting, misdirected: respondWhileStarting });

  const { main, http } = await listeners.listenForHttp();
  const context = { config, database, ...systemRuntime, log };
  const cluster = await nodeOf(opened, context, main.url);
  const streamLimits = { total: eventStreamLimit(config.eventStreams, listeners.budget, log) };
  const guard = serverClock(context);
  let isDraining = false;
  const services = createServices(context, { cluster, streamLimits, clockGuard: guard });
  const env = childEnvironment(config, processEnvironment());
  const backups = serverBackups(context, storeIdOf(database.client), { env });
  const https = await listeners.listenForHttps(services.https);
  const dnsPort = await listeners.listenForDns(services.nameserver);
  const workers = await workersOf(config, log, listeners.fetch, program);
  if (workers) resources.defer(workers.close);
  const { app, fetch, misdirected, refusedHosts, metrics, limiters } = createRequestHandlers(
    context,
    services,
    {
      connections: connectionsOf(
        http ? [main, http] : [main],
        https,
        workers?.forwarded ?? cluster?.nodeRequests,
      ),
      port: main.port,
      httpsPort: https?.port ?? 0,
      fileUse: listeners.fileUse,
      isDraining: () => isDraining,
      responseUse: https?.responses,
      backupStatus: () => backups?.status(),
      clockGuard: guard,
      others: workers?.others,
      clusterNode: cluster,
    },
  );
  app.compile();
  // After listening, so that a failed start creates no key; before serving, so that clients can read the key.
  const access = await openAccess(config, services, log);
  listeners.handle({ fetch, misdirected });
  await saveRecords(config, main, log);

  const pollers = maintenance(context, services, {
    lock,
    watchMs,
    refusedHosts,
    backups,
    clockGuard: guard,
    cluster,
  });
  for (const poller of pollers) poller.start();
  await workers?.start(
    { ...services, metrics, limiters },
    { port: main.port, httpPort: http?.port, httpsPort: https?.port },
    workersRecorder(config, log),
  );
  resources.move();

  // A replica is loaded from its cluster again.
  const rescue = cluster
    ? undefined
    : storeRescue(database.client, config, {
        now: context.clock.now,
        onFailure: (message) => log.error(message),
      });
  /** The files may have been deleted since the last check. Waits until their data is saved. */
  const rescueLast = async (): Promise<void> => {
    try {
      database.assertInPlace();
    } catch {
      const report = await rescue?.last(await database.lost);
      if (report !== undefined) log.error(report);
    }
  };

  const stop = async (): Promise<void> => {
    const graceMs = Math.max(GRACE_MS - (isDraining ? config.drainTime : 0), MIN_GRACE_MS);
    // Event streams do not end by themselves.
    services.petStreams.stop();
    await Promise.all([
      listeners.stop(graceMs),
      workers?.stop(graceMs),
      ...pollers.map((poller) => poller.stop()),
    ]);
    await storeRecords(services, (message) => (error) => log.warn({ err: error }, message), { isLast: true });
    await rescueLast();
    await database.close();
    await cluster?.log.close();
    lock.release();
  };

  return {
    url: main.url,
    httpPort: http?.port,
    httpsPort: https?.port,
    dnsPort,
    sites: projectAddresses(config, main.port).addressOf("*"),
    ...access,
    clusterNode: cluster?.describe(),
    log,
    failed: Promise.race([
      database.lost.then((loss) => rescue?.settle(loss) ?? loss),
      lock.lost,
      ...(cluster ? [cluster.outdated] : []),
    ]),
    state: () => describeReadiness(readinessChecks(config, database, { ...listeners, clusterNode: cluster })),
    async drain() {
      isDraining = config.drainTime > 0;
      await cluster?.writes?.leave();
      await Bun.sleep(config.drainTime);
    },
    stop: once(stop),
  };
};
