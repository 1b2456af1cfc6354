import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { assertDiskReserve } from "../data-dir/free-space.ts";
import { keptResponseRepository } from "../db/kept-responses.ts";
import { logWarnings } from "../db/wal.ts";
import { rowSweeper } from "../db/sweeper.ts";
import type { Database } from "../db/open.ts";
import { clientAddress, clientNetwork } from "../lib/client-address.ts";
import { lazy } from "../lib/lazy.ts";
import { categoryRepository } from "../categories/repository.ts";
import { categoryRoutes } from "../categories/routes.ts";
import { categoryService } from "../categories/service.ts";
import { createGateway } from "../console/gateway.ts";
import { consoleRoutes } from "../console/routes.ts";
import { createSessions } from "../console/sessions.ts";
import type { BackupStatus } from "../backups/schedule.ts";
import { backupWarnings } from "../backups/warnings.ts";
import { damageWarnings } from "../deploys/damaged-blobs.ts";
import { publishFirst } from "../deploys/first-deploy.ts";
import { deployRoutes } from "../deploys/routes.ts";
import { dispatcher } from "../edge/dispatch.ts";
import { type HostNames, hostReader } from "../edge/hosts.ts";
import { httpsOnly } from "../edge/https-only.ts";
import { finishing, hostFault, refusal } from "../edge/refuse.ts";
import { assertDescriptors, descriptorWarnings, type FileUse } from "../edge/descriptors.ts";
import { endingSoon } from "../certificates/certificate.ts";
import { certificateRepository } from "../certificates/repository.ts";
import { configuredInspector } from "../domains/configured.ts";
import type { DnsClientOptions } from "../protocols/dns/client.ts";
import type { Inspect } from "../domains/inspect.ts";
import { certificateEffects } from "../domains/repository.ts";
import { domainRoutes } from "../domains/routes.ts";
import { createApp } from "../http/app.ts";
import { finishRequest } from "../http/finish-request.ts";
import { cors } from "../http/cors.ts";
import { type Addresses, type Documents, docsRoutes, documentsOf } from "../openapi/routes.ts";
import { healthRoutes } from "../http/health.ts";
import { RETENTION_MS } from "../http/idempotency.ts";
import { rateLimiter } from "../lib/rate-limiter.ts";
import { type Logger, logger } from "../lib/log.ts";
import { metrics } from "../http/metrics.ts";
import { type WithoutIdleTimeout, noop } from "../http/idle-timeout.ts";
import { referenceSite } from "../openapi/reference.ts";
import { macros } from "../http/macros.ts";
import { holds } from "../lib/scopes.ts";
import { bearerToken } from "../http/authorization.ts";
import { keyRepository } from "../keys/repository.ts";
import { formatRate } from "../keys/rate.ts";
import { keyRoutes } from "../keys/routes.ts";
import type { RandomBytes } from "../keys/secret.ts";
import { type KeyService, keyService } from "../keys/service.ts";
import { adopterRepository } from "../orders/erasure.ts";
import { orderRepository } from "../orders/repository.ts";
import { orderRoutes } from "../orders/routes.ts";
import { orderService } from "../orders/service.ts";
import { type StreamLimits, petStreams } from "../pets/events/streams.ts";
import { petListCache } from "../pets/page-cache.ts";
import { petEventRepository } from "../pets/events/repository.ts";
import { petRepository } from "../pets/repository.ts";
import { petRoutes } from "../pets/routes.ts";
import { petService } from "../pets/service.ts";
import { eventStream } from "../pets/events/stream-response.ts";
import { petStatistics } from "../pets/statistics.ts";
import { projectAddresses } from "../projects/addresses.ts";
import { projectRoutes } from "../projects/routes.ts";
import { siteCache } from "../sites/site-cache.ts";
import { cachedNames } from "../sites/name-cache.ts";
import { publishedNames } from "../sites/repository.ts";
import { siteService } from "../sites/service.ts";
import { type Clock, systemClock } from "../lib/time.ts";
import { type DeployOverrides, wireDamage, wireDeploys } from "./wire-deploys.ts";
import { wireDomains } from "./wire-domains.ts";
import { servedBy, wireHttps } from "./wire-https.ts";

export const VERSION = manifest.version;

const random: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/** The keys of a database: what the command line works with. */
export const wireKeys = (database: Database, clock: Clock = systemClock): KeyService =>
  keyService({ keys: keyRepository(database), clock, random });

/** The adoptions of a database: what the command line works with. */
export const wireOrders = (database: Database, clock: Clock = systemClock) => ({
  orders: orderService({ orders: lazy(() => orderRepository(database)), clock }),
  adopters: adopterRepository(database),
});

export interface Overrides extends DeployOverrides {
  clock?: Clock;
  log?: Logger;
  /** The address of the peer that sent a request. */
  peerOf?: (request: Request) => string;
  /** True if no proxy can have sent it: what it says of itself is not believed. */
  isDirect?: (request: Request) => boolean;
  /** The port that it listens on, where the configuration leaves it open. */
  portOf?: () => number;
  /** The port that HTTPS listens on, where the configuration leaves it open. */
  httpsPortOf?: () => number;
  /** Between questions to a certificate authority. */
  sleep?: (ms: number) => Promise<void>;
  /** The state of the scheduled backups; undefined if there are none. */
  backupStatus?: () => BackupStatus | undefined;
  /** Told when names are served no longer. */
  withdraw?: () => void;
  /** The files that this process has open. */
  fileUse?: () => FileUse;
  /** How patient the DNS client is. */
  dns?: DnsClientOptions;
  /** Takes the place of the DNS. */
  inspect?: Inspect;
  withoutIdleTimeout?: WithoutIdleTimeout;
  /** How many streams of events there may be, and how often they show life. */
  streamLimits?: StreamLimits;
}

/**
 * The same request with the URL that Elysia reads a path of: told that hosts may be short, it looks for it from the end of
 * `http://` on. Who asked over HTTPS is known by the connection.
 */
const overHttp = (request: Request): Request => {
  const { url } = request;
  return url.startsWith("https://")
    ? Object.defineProperty(request, "url", { value: `http${url.slice("https".length)}`, configurable: true })
    : request;
};

const addressesOf = ({ baseUrl, stagingBaseUrl }: Config): Addresses => ({
  baseUrl: baseUrl ?? "",
  stagingBaseUrl: stagingBaseUrl ?? "",
});

/** What the Host header is held against. */
const hostNamesOf = ({ baseUrl, apiHosts, platformDomain }: Config): HostNames => ({
  platformDomain,
  api: new Set([...apiHosts, ...(baseUrl ? [new URL(baseUrl).hostname] : [])]),
});

const secondsOf = (ms: number | undefined): number | undefined => ms && ms / 1000;

/** Puts every room together over an open database; nothing listens yet. */
export const wireApp = (
  config: Config,
  database: Database,
  {
    clock = systemClock,
    log,
    peerOf = () => "",
    isDirect = () => false,
    portOf = () => config.port,
    withoutIdleTimeout = noop,
    httpsPortOf = () => config.httpsPort ?? 0,
    withdraw = () => {},
    fileUse = () => ({ open: 0, limit: Number.POSITIVE_INFINITY }),
    backupStatus = () => undefined,
    sleep = (ms) => Bun.sleep(ms),
    ...overrides
  }: Overrides = {},
) => {
  const { logLevel, logFormat, colour, bodyLimit, trustProxy } = config;
  const writeLog = log ?? logger({ level: logLevel, format: logFormat, colour });
  const keys = wireKeys(database, clock);
  const certificates = lazy(() => certificateRepository(database, certificateEffects(database)));
  const damage = wireDamage(writeLog);
  const counters = metrics({
    version: VERSION,
    expiries: certificates.expiries,
    readings: [
      {
        name: "damaged_files",
        help: "Files of deployed sites that are known to be missing or damaged.",
        read: () => damage.hashes().length,
      },
      {
        name: "backup_last_success_timestamp_seconds",
        help: "When the newest backup of BACKUP_SCHEDULE was taken, in seconds since 1970.",
        read: () => secondsOf(backupStatus()?.lastSuccess),
      },
    ],
  });
  const answers = lazy(() => keptResponseRepository(database));
  const rules = macros({
    authenticate: keys.authenticate,
    responses: answers,
    clock,
    requests: rateLimiter("key", "requests"),
    failures: rateLimiter("failures", "failed authentications"),
    failureRate: { requests: config.authFailuresPerMinute, seconds: 60 },
    clientOf: (request) =>
      clientNetwork(
        clientAddress(
          peerOf(request),
          isDirect(request) ? null : request.headers.get("x-forwarded-for"),
          trustProxy,
        ),
      ),
    bodyLimit,
  });
  const { strictCategories } = config;
  const animals = petRepository(database, { strictCategories });
  const categories = categoryService({ categories: lazy(() => categoryRepository(database)) });
  const orders = orderService({ orders: lazy(() => orderRepository(database)), clock });
  const pets = petService({ pets: animals, clock });
  const pages = petListCache({ list: pets.list, version: database.version });
  const statistics = petStatistics({ countByDay: animals.countByDay, version: database.version, clock });
  const petEvents = lazy(() => petEventRepository(database));
  const { fresh, version } = database;
  const { streamLimits: limits } = overrides;
  const streams = petStreams({ events: petEvents, fresh, version, ...(limits && { limits }) });
  const keyOf = (request: Request) => {
    return keys.authenticate(bearerToken(request.headers.get("authorization") ?? undefined) ?? "");
  };
  const stream = eventStream({
    streams,
    isAuthorized: async (request) => (await keyOf(request)) !== undefined,
    withoutIdleTimeout,
  });
  const sweeper = rowSweeper([() => answers.sweep(clock.now() - RETENTION_MS), () => petEvents.sweep()]);
  const inspect = overrides.inspect ?? configuredInspector(config, { clock, random }, overrides.dns);
  const { projects, domains, settings, keeper } = wireDomains(config, database, {
    inspect,
    clock,
    removed: withdraw,
    failed: (error) => writeLog.error({ err: error }, "a domain could not be checked"),
  });
  const { blobs, deploys, scrub } = wireDeploys(config, database, {
    projects,
    damage,
    clock,
    sleep,
    log: writeLog,
    ...overrides,
  });
  const publishing = projectAddresses(config, portOf);
  const sessions = createSessions({ clock, random });
  const isSecure = (request: Request) => isDirect(request) || (config.baseUrl?.startsWith("https:") ?? false);
  const gateway = createGateway({ sessions, isSecure });
  const framing = { metrics: counters, log: writeLog, onError: database.suspect };
  const app = createApp({ macros: rules, ...framing, cors: cors(config.corsOrigins) }, [
    petRoutes({ pets, pages, statistics, stream, macros: rules }),
    categoryRoutes({ categories, macros: rules }),
    orderRoutes({ orders, macros: rules }),
    projectRoutes({ projects, publishing, macros: rules }),
    deployRoutes({ deploys, macros: rules, withoutIdleTimeout }),
    domainRoutes({ domains, settings, macros: rules, withoutIdleTimeout }),
    keyRoutes({ keys, deprecatedCalls: counters.deprecatedCalls, macros: rules }),
    healthRoutes({
      checks: {
        database: database.assertReady,
        disk: () => assertDiskReserve(config.dataDir, config.diskReserve),
        files: () => assertDescriptors(fileUse()),
      },
      warnings: () => [
        ...endingSoon(certificates.expiries(), clock.now()),
        ...damageWarnings(damage),
        ...descriptorWarnings(fileUse()),
        ...logWarnings(database.client.filename),
        ...backupWarnings(backupStatus(), config.backupSchedule ?? 0, clock.now()),
      ],
      mayReadDetails: async (request) => {
        const key = await keyOf(request);
        return key !== undefined && holds(key, "metrics:read");
      },
      metrics: counters,
      macros: rules,
    }),
    docsRoutes({
      documents: (): Promise<Documents> => documentsOf(app),
      addresses: addressesOf(config),
      macros: rules,
    }),
    ...(config.console
      ? [
          consoleRoutes({
            sessions,
            gateway,
            isSecure,
            authenticate: keys.authenticate,
            formatRate,
            macros: rules,
          }),
        ]
      : []),
  ]);
  const names = cachedNames(
    lazy(() => publishedNames(database)),
    database.version,
  );
  const hosts = hostNamesOf(config);
  const https =
    config.httpsPort === undefined
      ? undefined
      : wireHttps(config, database, {
          clock,
          sleep,
          inspect,
          log: writeLog,
          isServed: servedBy(names, hosts),
          httpsPortOf,
        });
  const readHost = hostReader(hosts);
  const conclude = finishRequest({ metrics: counters, log: writeLog });
  const finish = finishing(conclude);
  /** Responds to a request for another host than its connection's. */
  const misdirected = (request: Request) =>
    finish(request, refusal(hostFault(readHost(request.headers.get("host")))));
  const fetch = dispatcher({
    readHost,
    ...(https && {
      challenge: https.challenge,
      plain: httpsOnly({ readHost, peerOf, trustsProxy: trustProxy > 0, redirect: https.redirect }),
    }),
    api: (request) => app.fetch(config.console ? gateway.forward(overHttp(request)) : overHttp(request)),
    publisher: siteService({
      names,
      sites: siteCache(blobs),
      scheme: new URL(config.baseUrl ?? "http://localhost").protocol,
    }),
    fresh: database.fresh,
    conclude,
    onError: database.suspect,
    log: writeLog,
  });
  const publishReference = () =>
    publishFirst(
      async () => {
        const documents = await documentsOf(app);
        const baseUrl = config.baseUrl ?? `http://localhost:${portOf()}`;
        const addresses = { ...addressesOf(config), baseUrl };
        return referenceSite((name) => documents(name, addresses));
      },
      { projects, deploys },
    );
  return {
    app,
    fetch,
    misdirected,
    keys,
    projects,
    deploys,
    scrub,
    domains,
    keeper,
    https,
    publishing,
    publishReference,
    streams,
    sweeper,
    log: writeLog,
  };
};
