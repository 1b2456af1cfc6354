import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import { type Lock, takeLock } from "./db/lock.ts";
import type { Database } from "./db/open.ts";
import type { Keeper } from "./domains/keeper.ts";
import { type Listener, listen } from "./edge/listeners.ts";
import type { Logger } from "./http/logging.ts";
import { remember } from "./config/remembered.ts";
import type { KeyService } from "./keys/service.ts";
import { StartRefused, adminKeyPath, makeDirectory, openData, reasonOf } from "./data.ts";
import { wireApp } from "./wire.ts";

const writeAdminKey = (dataDir: string) => async (secret: string) => {
  const path = adminKeyPath(dataDir);
  await writeFile(`${path}.new`, `${secret}\n`, { mode: 0o600, flush: true });
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

/** How often times of last use are written and the database file is looked for. */
const TEND_MS = 10_000;
/** How often files are swept that no deploy needs. */
const SETTLE_MS = 60 * 60_000;
/** Below the 10 seconds after which container runtimes kill. */
const GRACE_MS = 8000;

export interface Server {
  url: string;
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

/** Opens everything and listens. @throws StartRefused */
export const startServer = async (config: Config): Promise<Server> => {
  makeDirectory(config.dataDir);
  const lock = lockOrExplain(config.dataDir);
  let database: Database | undefined;
  try {
    database = openData(config, { create: true });
    let listener: Listener | undefined;
    const { app, fetch, keys, deploys, keeper, publishing, publishReference, log } = wireApp(
      config,
      database,
      {
        peerOf: (request) => listener?.peerOf(request) ?? "",
        patiently: (request, work) => (listener ? listener.patiently(request, work) : work()),
        portOf: () => listener?.port ?? config.port,
      },
    );
    app.compile();
    listener = listenOrExplain(config, fetch);
    // A start that cannot listen makes no key.
    await keys.createFirst(writeAdminKey(config.dataDir));
    const adminKey = adminKeyPath(config.dataDir);
    await remember(config, listener.port);
    return running({
      listener,
      sites: publishing.addressOf("*"),
      keys,
      keeper,
      settle: async () => {
        await publishReference();
        await deploys.sweep();
      },
      log,
      database,
      lock,
      adminKey: existsSync(adminKey) ? adminKey : undefined,
    });
  } catch (error) {
    await database?.close();
    lock.release();
    throw error;
  }
};

const running = ({
  listener,
  sites,
  keys,
  keeper,
  settle,
  log,
  database,
  lock,
  adminKey,
}: {
  listener: Listener;
  sites: string;
  keys: KeyService;
  keeper: Keeper;
  /** What is done once the server answers, and again every hour. */
  settle: () => Promise<void>;
  log: Logger;
  database: Database;
  lock: Lock;
  adminKey: string | undefined;
}): Server => {
  const flush = () =>
    keys.flush().catch((error: unknown) => log.warn({ err: error }, "times of last use not written"));
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
  const tend = async () => {
    try {
      database.assertInPlace();
      await flush();
    } catch (error) {
      fail(error as Error);
    }
  };
  const tending = setInterval(tend, TEND_MS);
  const settleOrSay = () => settle().catch((error: unknown) => log.error({ err: error }, "not settled"));
  let settled = settleOrSay();
  const settling = setInterval(() => (settled = settled.then(settleOrSay)), SETTLE_MS);
  keeper.start();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    clearInterval(tending);
    clearInterval(settling);
    await listener.stop(GRACE_MS);
    await keeper.stop();
    await settled;
    await flush();
    await database.close();
    lock.release();
  };
  return { url: listener.url, sites, adminKey, log, failed, stop: () => (stopped ??= stop()) };
};
