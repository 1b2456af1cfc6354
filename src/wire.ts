import { chmodSync, existsSync, mkdirSync, statfsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import { type Lock, takeLock } from "./db/lock.ts";
import { type Database, openDatabase } from "./db/open.ts";
import { type Listener, listen } from "./edge/listeners.ts";
import { clientAddress, clientNetwork } from "./http/address.ts";
import { createApp } from "./http/app.ts";
import { cors } from "./http/cors.ts";
import { type Addresses, type Documents, docsRoutes, documentsOf } from "./http/docs.ts";
import { healthRoutes } from "./http/health.ts";
import { limiter } from "./http/limits.ts";
import { type Logger, logger } from "./http/logging.ts";
import { metrics } from "./http/metrics.ts";
import { shared } from "./http/shared.ts";
import { keyRepository } from "./keys/repository.ts";
import { keyRoutes } from "./keys/routes.ts";
import type { RandomBytes } from "./keys/secret.ts";
import { type KeyService, keyService } from "./keys/service.ts";
import { petPages } from "./pets/pages.ts";
import { petRepository } from "./pets/repository.ts";
import { petRoutes } from "./pets/routes.ts";
import { petService } from "./pets/service.ts";
import { type Clock, systemClock } from "./time.ts";

export const VERSION = manifest.version;

/** The service cannot start; the message says what to do. */
export class StartRefused extends Error {
  override name = "StartRefused";
}

const random: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

export const databasePath = (dataDir: string): string => join(dataDir, "adoption-store.db");
export const adminKeyPath = (dataDir: string): string => join(dataDir, "admin.key");

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const makeDirectory = (dataDir: string) => {
  // Everything that this process creates is for its user alone, SQLite's own files too.
  process.umask(0o077);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartRefused(`DATA_DIR ${dataDir}: cannot be created (${reasonOf(error)})`, { cause: error });
  }
};

/** Opens the database of DATA_DIR; `create` makes both if they are missing. @throws StartRefused */
export const openData = (config: Config, { create }: { create: boolean }): Database => {
  const path = databasePath(config.dataDir);
  if (create) makeDirectory(config.dataDir);
  else if (!existsSync(path))
    throw new StartRefused(
      `DATA_DIR ${config.dataDir}: there is no database; check --data-dir, or start with serve`,
    );
  try {
    const database = openDatabase(path, { groupSize: config.commitGroupSize });
    chmodSync(path, 0o600);
    return database;
  } catch (error) {
    throw new StartRefused(
      `DATA_DIR ${config.dataDir}: the database cannot be opened (${reasonOf(error)}); check that the directory is writable and has room, or restore a backup`,
      { cause: error },
    );
  }
};

/** The keys of a database: what the command line works with. */
export const wireKeys = (database: Database, clock: Clock = systemClock): KeyService =>
  keyService({ keys: keyRepository(database), clock, random });

export interface Overrides {
  clock?: Clock;
  log?: Logger;
  /** The address of the peer that sent a request. */
  peerOf?: (request: Request) => string;
}

const assertRoom = (directory: string, reserve: number) => {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free < reserve)
    throw new Error(
      `${Math.floor(free / 2 ** 20)} MiB free in DATA_DIR, below DISK_RESERVE of ${Math.floor(reserve / 2 ** 20)} MiB`,
    );
};

const addressesOf = ({ baseUrl, stagingBaseUrl }: Config): Addresses => ({
  baseUrl: baseUrl ?? "",
  stagingBaseUrl: stagingBaseUrl ?? "",
});

/** Puts every room together over an open database; nothing listens yet. */
export const wireApp = (
  config: Config,
  database: Database,
  { clock = systemClock, log, peerOf = () => "" }: Overrides = {},
) => {
  const { logLevel, logFormat, colour, bodyLimit, trustProxy } = config;
  const writeLog = log ?? logger({ level: logLevel, format: logFormat, colour });
  const keys = wireKeys(database, clock);
  const counters = metrics({ version: VERSION });
  const rules = shared({
    keys,
    requests: limiter("key"),
    failures: limiter("failures"),
    failureWindow: { points: config.authFailuresPerMinute, seconds: 60 },
    clientOf: (request) =>
      clientNetwork(clientAddress(peerOf(request), request.headers.get("x-forwarded-for"), trustProxy)),
    bodyLimit,
  });
  const pets = petService({ pets: petRepository(database), clock });
  const pages = petPages({ list: pets.list, version: database.version });
  const app = createApp({ shared: rules, metrics: counters, log: writeLog, cors: cors(config.corsOrigins) }, [
    petRoutes({ pets, pages, shared: rules }),
    keyRoutes({ keys, shared: rules }),
    healthRoutes({
      checks: {
        database: database.assertWritable,
        disk: () => assertRoom(config.dataDir, config.diskReserve),
      },
      metrics: counters,
      shared: rules,
    }),
    docsRoutes({
      documents: (): Promise<Documents> => documentsOf(app),
      addresses: addressesOf(config),
      shared: rules,
    }),
  ]);
  return { app, keys, log: writeLog };
};

const writeAdminKey = (dataDir: string) => async (secret: string) => {
  const path = adminKeyPath(dataDir);
  await Bun.write(`${path}.new`, `${secret}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
};

const listenOrExplain = (
  config: Config,
  fetch: (request: Request) => Response | Promise<Response>,
): Listener => {
  const { host, port } = config;
  try {
    return listen({ host, port, fetch });
  } catch (error) {
    const inUse = (error as { code?: string }).code === "EADDRINUSE";
    const remedy = inUse
      ? "the port is in use: stop what listens there, or choose another with --port"
      : reasonOf(error);
    throw new StartRefused(`cannot listen on ${host}:${port}: ${remedy}`, { cause: error });
  }
};

/** The right to be the one server of a DATA_DIR. */
const lockOrExplain = (dataDir: string): Lock => {
  let lock: Lock | undefined;
  try {
    lock = takeLock(join(dataDir, "server.lock"));
  } catch (error) {
    throw new StartRefused(
      `DATA_DIR ${dataDir}: cannot be written (${reasonOf(error)}); make it writable, or choose another with --data-dir`,
      { cause: error },
    );
  }
  if (lock) return lock;
  throw new StartRefused(
    `DATA_DIR ${dataDir}: another adoption-store server is using it; stop that one, or choose another with --data-dir`,
  );
};

const FLUSH_MS = 10_000;
const GRACE_MS = 10_000;

export interface Server {
  url: string;
  /** The file with the first key, if this start made it. */
  adminKey: string | undefined;
  log: Logger;
  /** Finishes what is in flight, writes what is held back, and closes everything. Again is fine. */
  stop(): Promise<void>;
}

/** Opens everything and listens. @throws StartRefused */
export const startServer = async (config: Config): Promise<Server> => {
  makeDirectory(config.dataDir);
  const lock = lockOrExplain(config.dataDir);
  let database: Database | undefined;
  try {
    database = openData(config, { create: true });
    let listener: Listener | undefined;
    const { app, keys, log } = wireApp(config, database, {
      peerOf: (request) => listener?.peerOf(request) ?? "",
    });
    const first = await keys.createFirst(writeAdminKey(config.dataDir));
    app.compile();
    listener = listenOrExplain(config, app.fetch);
    return running({ listener, keys, log, database, lock, adminKey: first && adminKeyPath(config.dataDir) });
  } catch (error) {
    await database?.close();
    lock.release();
    throw error;
  }
};

const running = ({
  listener,
  keys,
  log,
  database,
  lock,
  adminKey,
}: {
  listener: Listener;
  keys: KeyService;
  log: Logger;
  database: Database;
  lock: Lock;
  adminKey: string | undefined;
}): Server => {
  const flush = () =>
    keys.flush().catch((error: unknown) => log.warn({ err: error }, "times of last use not written"));
  const flushing = setInterval(flush, FLUSH_MS);
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    clearInterval(flushing);
    await listener.stop(GRACE_MS);
    await flush();
    await database.close();
    lock.release();
  };
  return { url: listener.url, adminKey, log, stop: () => (stopped ??= stop()) };
};
