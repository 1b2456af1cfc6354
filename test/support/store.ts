import pino from "pino";
import { type Config, readConfig } from "../../src/config/config.ts";
import type { Connection } from "../../src/data/db/statement.ts";
import type { Database, OpenOptions } from "../../src/data/db/open.ts";
import type { NewKey } from "../../src/access/keys/repository.ts";
import { type KeyService } from "../../src/access/keys/service.ts";
import { OPERATOR } from "../../src/lib/actor.ts";
import type { Clock } from "../../src/lib/time.ts";
import { type Vitals } from "../../src/app/health.ts";
import { createRequestHandlers, noListeners } from "../../src/app/request-handlers.ts";
import { type Context, systemRuntime } from "../../src/data/context.ts";
import { type ServiceOptions, type Services, createServices } from "../../src/app/services.ts";
import type { Exception } from "./cluster-exceptions.ts";
import { openOwnDatabase } from "./database.ts";
import { atEnd, temporaryDirectory } from "./ends.ts";

export { atEnd, openOnce, temporaryDirectory } from "./ends.ts";

/** A clock that only moves when `advance` is called. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export const testClock = (start = Date.UTC(2026, 10, 20)): TestClock => {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
};

/** The parts of a request. `key`: false sends no key, a string sends that key; the default has all scopes. */
export interface Call {
  key?: string | false;
  headers?: Record<string, string>;
  body?: ConstructorParameters<typeof Response>[0];
  /** Sent as JSON. */
  json?: unknown;
}

/** Opens rooms over a database without the rest of the service. */
export const contextOf = (database: Database, parts: Partial<Context> = {}): Context => ({
  config: readConfig({ flags: {}, env: {}, isTerminal: false }),
  database,
  ...systemRuntime,
  log: pino({ level: "silent" }),
  ...parts,
});

export interface Store {
  clock: TestClock;
  context: Context;
  config: Config;
  database: Database;
  keys: KeyService;
  app: ReturnType<typeof createRequestHandlers>["app"];
  /** Handles the requests of a listener. */
  fetch: ReturnType<typeof createRequestHandlers>["fetch"];
  /** Handles the requests of the HTTPS listener whose Host differs from their connection's. */
  misdirected: ReturnType<typeof createRequestHandlers>["misdirected"];
  refusedHosts: ReturnType<typeof createRequestHandlers>["refusedHosts"];
  projects: Services["projects"];
  deploys: Services["deploys"];
  /** Not started. */
  scrub: Services["scrub"];
  /** Undefined without BLOBS_URL. Its pollers are not started. */
  objects: Services["objects"];
  /** Removes expired rows. */
  sweepRows: Services["sweepRows"];
  /** Not started. */
  domainScheduler: Services["domainScheduler"];
  recordWatch: Services["recordWatch"];
  /** Failed attempts to sign in. They are not flushed by themselves. */
  refusedSignIns: Services["refusedSignIns"];
  /** Reads of adopters' data. They are not flushed by themselves. */
  adopterReads: Services["adopterReads"];
  /** Event streams of animals. */
  streams: Services["petStreams"];
  /** Undefined without HTTPS_PORT. The certificate scheduler is not started. */
  https: Services["https"];
  /** Undefined without NAMESERVER. It does not listen. */
  nameserver: Services["nameserver"];
  /** A key with all scopes. */
  key: string;
  call(method: string, path: string, call?: Call): Promise<Response>;
  /** Requests a URL of the API, of a project's site or of a custom domain, with its host as the Host header. */
  visit(address: string, init?: RequestInit & { headers?: Record<string, string> }): Promise<Response>;
  /** Creates a key and returns its secret. */
  createKey(key: Partial<NewKey>): Promise<string>;
  /** The lines of the log. */
  log: Record<string, unknown>[];
}

export interface StoreSettings extends ServiceOptions, Partial<Vitals> {
  /** The address of the peer that sent a request. */
  peerOf?: (request: Request) => string;
  /** Waits between requests to a CA, and elsewhere. */
  sleep?: (ms: number) => Promise<void>;
  /** The database file; by default the database is in memory. */
  path?: string;
  env?: Record<string, string>;
  clock?: TestClock;
  /** Instead of a new database. */
  database?: Database;
  /** Why it is an embedded store also with STORE=cluster. */
  embedded?: Exception;
  /** Options of the database. By default each call of /readyz probes it again. */
  storage?: OpenOptions;
}

/**
 * Calls `compose` without the collection of garbage with which Elysia ends the composition of an app: a server has one app, a
 * run of all tests 1,900.
 */
const withoutCollection = <Composed>(compose: () => Composed): Composed => {
  const { gc } = Bun;
  Bun.gc = () => 0;
  try {
    return compose();
  } finally {
    Bun.gc = gc;
  }
};

/** Nothing listens there, so that each query fails immediately: the network's resolver would be asked, and may not respond. */
const NO_RESOLVER = "127.0.0.1:1";

/** Opens the whole service on an empty database. It is called without a network. */
export const openStore = async ({
  path,
  env = {},
  clock = testClock(),
  storage = {},
  sleep = systemRuntime.sleep,
  peerOf,
  fileUse,
  backupStatus,
  clusterNode,
  embedded,
  database: given,
  ...options
}: StoreSettings = {}): Promise<Store> => {
  const config = readConfig({
    flags: {},
    env: { DATA_DIR: temporaryDirectory(), DNS_RESOLVERS: NO_RESOLVER, ...env },
    isTerminal: false,
  });
  const database =
    given ??
    (await openOwnDatabase(path, {
      groupSize: config.commitGroupSize,
      probeMs: 0,
      embedded,
      ...storage,
    }));
  atEnd(() => database.close());
  const log: Record<string, unknown>[] = [];
  const logger = pino({ level: "info", base: null }, { write: (line) => void log.push(JSON.parse(line)) });
  const context = { config, database, ...systemRuntime, clock, sleep, log: logger };
  // Without servers on loopback, no test asks the DNS.
  const dns = options.dns ? {} : { addressesOf: async () => [] };
  const services = createServices(context, { ...dns, ...options });
  const { connections, ...origin } = noListeners(config);
  const { app, fetch, misdirected, refusedHosts } = withoutCollection(() =>
    createRequestHandlers(context, services, {
      ...origin,
      connections: { ...connections, ...(peerOf && { peerOf }) },
      ...(fileUse && { fileUse }),
      ...(backupStatus && { backupStatus }),
      ...(clusterNode && { clusterNode }),
      clockGuard: options.clockGuard,
    }),
  );
  const { keys } = services;
  const createKey = async (key: Partial<NewKey>) =>
    (await keys.create({ name: "test", scopes: ["*"], ...key }, OPERATOR)).secret;
  const key = await createKey({ name: "all" });

  const call = async (
    method: string,
    target: string,
    { key: sent = key, headers = {}, body, json }: Call = {},
  ) => {
    const sentBody = json !== undefined ? JSON.stringify(json) : body;
    const request = new Request(new URL(target, "http://localhost").href, {
      method,
      headers: {
        ...(sent !== false && { authorization: `Bearer ${sent}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(sentBody !== undefined && sentBody !== null && { body: sentBody }),
    });
    return app.handle(request);
  };
  const visit: Store["visit"] = async (address, init = {}) => {
    const headers = { host: new URL(address).host, ...init.headers };
    return fetch(new Request(address, { ...init, headers }));
  };
  return {
    clock,
    context,
    config,
    database,
    keys,
    projects: services.projects,
    deploys: services.deploys,
    scrub: services.scrub,
    objects: services.objects,
    sweepRows: services.sweepRows,
    domainScheduler: services.domainScheduler,
    recordWatch: services.recordWatch,
    refusedSignIns: services.refusedSignIns,
    adopterReads: services.adopterReads,
    streams: services.petStreams,
    app,
    fetch,
    misdirected,
    refusedHosts,
    https: services.https,
    nameserver: services.nameserver,
    key,
    call,
    visit,
    createKey,
    log,
  };
};

/** Adds an animal over the API. */
export const addPet = async (
  store: Store,
  pet: Record<string, unknown>,
): Promise<{ id: number; name: string; status?: string }> => {
  const response = await store.call("POST", "/v1/pets", { json: { name: "Bella", categoryId: 1, ...pet } });
  if (response.status !== 201) throw new Error(`adding failed: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: number; name: string };
};

/** Runs SQL in a transaction of the database, as a repository does. */
export const runInCommit = async (
  { commit }: Pick<Database, "commit">,
  sql: string,
  values: (string | number | null)[] = [],
): Promise<void> => {
  const query = { all: (connection: Connection) => connection.prepare(sql).all(...values) };
  await commit([{ query, values: {} }]);
};

/** The status and the code of an error response. */
export const faultOf = async (response: Response): Promise<string> => {
  const { code, status } = (await response.json()) as { code: string; status: number };
  if (status !== response.status)
    throw new Error(`the body says ${status}, the response is ${response.status}`);
  return `${status} ${code}`;
};

export const messageOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { message: string }).message;
