import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import type { Config } from "./config/config.ts";
import { readFileSync } from "node:fs";
import { assertRoom } from "./data.ts";
import type { Database } from "./db/open.ts";
import { clientAddress, clientNetwork } from "./http/address.ts";
import { lazily } from "./lazy.ts";
import { openBlobs } from "./deploys/blobs.ts";
import { publishFirst } from "./deploys/first.ts";
import { deployRepository } from "./deploys/repository.ts";
import { deployRoutes } from "./deploys/routes.ts";
import { deployService } from "./deploys/service.ts";
import { openUploads } from "./deploys/upload.ts";
import { dispatcher } from "./edge/dispatch.ts";
import { type HostNames, hostReader, placeOf } from "./edge/hosts.ts";
import { securedNames } from "./edge/https.ts";
import { httpsRedirect } from "./edge/secure.ts";
import { domainChecks } from "./domains/checks.ts";
import { type AcmeClient, acmeClient } from "./domains/acme/client.ts";
import { endingSoon } from "./domains/certificates/certificate.ts";
import { type KeyAndCertificate, alpnCertificate } from "./domains/acme/keys.ts";
import { certificateKeeper } from "./domains/certificates/keeper.ts";
import { issuer } from "./domains/certificates/issue.ts";
import { type FetchChallenge, challengeProbes, objections } from "./domains/certificates/objection.ts";
import { certificateRepository } from "./domains/certificates/repository.ts";
import { type CertificateService, certificateService } from "./domains/certificates/service.ts";
import { parseHostname } from "./domains/hostname.ts";
import { isSpecialUse } from "./domains/own.ts";
import { configuredInspector } from "./domains/configured.ts";
import type { ClientSettings } from "./domains/dns/query.ts";
import type { Inspect } from "./domains/inspect.ts";
import { type Keeper, domainKeeper } from "./domains/keeper.ts";
import { domainRepository } from "./domains/repository.ts";
import { domainRoutes } from "./domains/routes.ts";
import { type DomainService, domainService } from "./domains/service.ts";
import { domainSettings } from "./domains/settings.ts";
import { createApp } from "./http/app.ts";
import { concluding } from "./http/conclude.ts";
import { cors } from "./http/cors.ts";
import { type Addresses, type Documents, docsRoutes, documentsOf } from "./http/docs.ts";
import { healthRoutes } from "./http/health.ts";
import { limiter } from "./http/limits.ts";
import { type Logger, logger } from "./http/logging.ts";
import { metrics } from "./http/metrics.ts";
import { type Patiently, atLeisure } from "./http/patience.ts";
import { referenceSite } from "./http/reference.ts";
import { shared } from "./http/shared.ts";
import { keyRepository } from "./keys/repository.ts";
import { keyRoutes } from "./keys/routes.ts";
import type { RandomBytes } from "./keys/secret.ts";
import { type KeyService, keyService } from "./keys/service.ts";
import { petPages } from "./pets/pages.ts";
import { petRepository } from "./pets/repository.ts";
import { petRoutes } from "./pets/routes.ts";
import { petService } from "./pets/service.ts";
import { publishingOf, targetsBelow } from "./projects/publishing.ts";
import { projectRepository } from "./projects/repository.ts";
import { projectRoutes } from "./projects/routes.ts";
import { projectService } from "./projects/service.ts";
import { deployedSites } from "./sites/deployed.ts";
import { rememberedNames } from "./sites/names.ts";
import { type PublishedNames, publishedNames } from "./sites/repository.ts";
import { siteService } from "./sites/service.ts";
import { type Clock, systemClock } from "./time.ts";

export const VERSION = manifest.version;

const random: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/** The keys of a database: what the command line works with. */
export const wireKeys = (database: Database, clock: Clock = systemClock): KeyService =>
  keyService({ keys: keyRepository(database), clock, random });

export interface Overrides {
  clock?: Clock;
  log?: Logger;
  /** The address of the peer that sent a request. */
  peerOf?: (request: Request) => string;
  /** The port that it listens on, where the configuration leaves it open. */
  portOf?: () => number;
  /** Between questions to a certificate authority. */
  sleep?: (ms: number) => Promise<void>;
  /** Told when names are served no longer. */
  withdraw?: () => void;
  /** How patient the DNS client is. */
  dns?: ClientSettings;
  /** Takes the place of the DNS. */
  inspect?: Inspect;
  patiently?: Patiently;
}

const addressesOf = ({ baseUrl, stagingBaseUrl }: Config): Addresses => ({
  baseUrl: baseUrl ?? "",
  stagingBaseUrl: stagingBaseUrl ?? "",
});

/** What the Host header is held against. */
const hostNamesOf = ({ baseUrl, apiHosts, platformDomain }: Config): HostNames => ({
  platformDomain,
  api: new Set([...apiHosts, ...(baseUrl ? [new URL(baseUrl).hostname] : [])]),
});

/** Asks as a certificate authority does (RFC 8555 section 8.3), at one address of the name. */
const challengeFetcher =
  ({ acmeHttpPort }: Config): FetchChallenge =>
  async (address, hostname, token) => {
    const host = address.includes(":") ? `[${address}]` : address;
    const answer = await fetch(`http://${host}:${acmeHttpPort}/.well-known/acme-challenge/${token}`, {
      headers: { host: hostname },
      redirect: "manual",
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const { value } = (await answer.body?.getReader().read()) ?? {};
    return new TextDecoder().decode(value?.subarray(0, PROBE_BYTES));
  };

const PROBE_MS = 10_000;
const PROBE_BYTES = 200;

/** The certificates of a database: what the command line works with. */
export const wireCertificateService = (database: Database, clock: Clock = systemClock): CertificateService =>
  certificateService({ certificates: certificateRepository(database), clock });

/** The clients of the certificate authorities, each made when it is first asked. */
const acmeClients = (
  { acmeEmail, acmeCaFile, acmeEabKid, acmeEabHmac }: Config,
  clock: Clock,
  sleep: (ms: number) => Promise<void>,
) => {
  const clients = new Map<string, AcmeClient>();
  const make = (directory: string) =>
    acmeClient(
      {
        directory,
        ...(acmeEmail !== undefined && { email: acmeEmail }),
        ...(acmeEabKid !== undefined &&
          acmeEabHmac !== undefined && { eab: { kid: acmeEabKid, hmac: acmeEabHmac } }),
        ...(acmeCaFile !== undefined && { ca: readFileSync(acmeCaFile, "utf8") }),
      },
      { fetch, sleep, clock },
    );
  return (directory: string): AcmeClient => {
    const client = clients.get(directory) ?? make(directory);
    clients.set(directory, client);
    return client;
  };
};

/** Names of the service itself that the public DNS may have, and authorities certify. */
const publicNames = (names: readonly string[]): string[] =>
  names.filter((name) => parseHostname(name).ok && !isSpecialUse(name));

const publicHosts = ({ baseUrl, apiHosts }: Config): string[] =>
  publicNames([...(baseUrl?.startsWith("https:") ? [new URL(baseUrl).hostname] : []), ...apiHosts]);

/** True for host names that something is served under. */
const servedBy =
  (names: PublishedNames, hosts: HostNames) =>
  (hostname: string): boolean => {
    const place = placeOf(hostname, hosts);
    if (place.kind === "api") return hosts.api.has(hostname);
    if (place.kind === "project") return names.bySlug(place.slug) !== undefined;
    return place.kind === "custom" && names.byHostname(place.hostname) !== undefined;
  };

/** Certificates: who gets them, what is answered to authorities meanwhile, and which names are secured by them. */
const wireHttps = (
  config: Config,
  database: Database,
  {
    clock,
    sleep,
    inspect,
    log,
    isServed,
  }: {
    clock: Clock;
    sleep: (ms: number) => Promise<void>;
    inspect: Inspect;
    log: Logger;
    isServed: (hostname: string) => boolean;
  },
) => {
  const certificates = lazily(() => certificateRepository(database));
  const probes = challengeProbes();
  /** What proves names to authorities that ask in a TLS handshake. */
  const handshakes = new Map<string, KeyAndCertificate>();
  const own = publicHosts(config);
  const [platformDomain] = publicNames([config.platformDomain]);
  const secured = securedNames({
    keyPair(hostname) {
      const pair = certificates.keyPair(hostname);
      return pair && { key: pair.key, cert: pair.chain, renewals: pair.renewals };
    },
    hstsMaxAge: config.hstsMaxAge,
    isServed,
    failed: (hostname, error) => log.error({ err: error, hostname }, "a certificate cannot be used"),
  });
  const issue = issuer({
    certificates,
    authorities: config.acmeAgreeTos ? config.acmeDirectory : [],
    clientOf: acmeClients(config, clock, sleep),
    objection: objections({
      domains: lazily(() => domainRepository(database)),
      isOwn: (hostname) =>
        own.includes(hostname) || (platformDomain !== undefined && hostname.endsWith(`.${platformDomain}`)),
      inspect,
      targetOf: targetsBelow(config.platformCnameTarget),
      probes,
      fetchChallenge: challengeFetcher(config),
    }),
    handshakes: {
      async add(hostname, keyAuthorization) {
        handshakes.set(hostname, await alpnCertificate(hostname, keyAuthorization, clock.now()));
      },
      remove: (hostname) => void handshakes.delete(hostname),
    },
    changed: secured.renewed,
    failed: (hostname, { type, detail, status }) =>
      log.warn({ hostname, type, detail, status }, "no certificate was issued"),
    clock,
    random: Math.random,
    sleep,
  });
  const keeper = certificateKeeper({
    certificates,
    issue,
    own,
    platformDomain,
    clock,
    failed: (error) => log.error({ err: error }, "a certificate could not be dealt with"),
  });
  return {
    names: secured,
    handshake: (hostname: string) => handshakes.get(hostname),
    keeper,
    challenge: (hostname: string, token: string): string | undefined =>
      probes.answer(hostname, token) ?? certificates.keyAuthorization(hostname, token),
    secured: httpsRedirect({ isSecured: secured.has, port: config.httpsPort ?? 0 }),
  };
};

/** The projects of a database, their domains, and who checks these. */
export const wireDomains = (
  config: Config,
  database: Database,
  {
    clock = systemClock,
    dns,
    inspect = configuredInspector(config, { clock, random }, dns),
    removed = () => {},
    failed = () => {},
  }: Pick<Overrides, "clock" | "dns" | "inspect"> & {
    /** Told of a host name that is served no longer. */
    removed?: (hostname: string) => void;
    failed?: (error: unknown) => void;
  } = {},
) => {
  const stored = lazily(() => domainRepository(database));
  const ownHosts = [
    ...config.apiHosts,
    ...[config.baseUrl, config.stagingBaseUrl].flatMap((url) => (url ? [new URL(url).hostname] : [])),
  ];
  const projects = projectService({
    projects: lazily(() =>
      projectRepository(database, { changed: stored.planEffects, removing: stored.removalEffects }),
    ),
    isOwn: (slug) =>
      [...ownHosts, config.platformCnameTarget].some((name) =>
        `.${name}`.endsWith(`.${slug}.${config.platformDomain}`),
      ),
    clock,
    random,
  });
  const targetOf = targetsBelow(config.platformCnameTarget);
  const isSecured = config.httpsPort !== undefined;
  const checks = domainChecks({
    domains: stored,
    inspect,
    clock,
    random: Math.random,
    targetOf,
    isSecured,
  });
  const certificates = lazily(() => certificateRepository(database));
  const domains: DomainService = domainService({
    domains: stored,
    projects,
    checks,
    own: {
      zones: [config.platformDomain, config.platformCnameTarget],
      hosts: ownHosts,
    },
    certificates: isSecured ? certificates : undefined,
    removed,
    verifications: limiter("verify", "verifications of this domain"),
    clock,
    targetOf,
  });
  const settings = domainSettings({ domains: stored, projects, clock });
  const keeper: Keeper = domainKeeper({ domains: stored, checks, clock, failed });
  return { projects, domains, settings, keeper };
};

/** Puts every room together over an open database; nothing listens yet. */
export const wireApp = (
  config: Config,
  database: Database,
  {
    clock = systemClock,
    log,
    peerOf = () => "",
    portOf = () => config.port,
    patiently = atLeisure,
    withdraw = () => {},
    sleep = (ms) => Bun.sleep(ms),
    ...overrides
  }: Overrides = {},
) => {
  const { logLevel, logFormat, colour, bodyLimit, trustProxy } = config;
  const writeLog = log ?? logger({ level: logLevel, format: logFormat, colour });
  const keys = wireKeys(database, clock);
  const certificates = lazily(() => certificateRepository(database));
  const counters = metrics({ version: VERSION, expiries: certificates.expiries });
  const rules = shared({
    keys,
    requests: limiter("key", "requests"),
    failures: limiter("failures", "failed authentications"),
    failureWindow: { points: config.authFailuresPerMinute, seconds: 60 },
    clientOf: (request) =>
      clientNetwork(clientAddress(peerOf(request), request.headers.get("x-forwarded-for"), trustProxy)),
    bodyLimit,
  });
  const pets = petService({ pets: petRepository(database), clock });
  const pages = petPages({ list: pets.list, version: database.version });
  const inspect = overrides.inspect ?? configuredInspector(config, { clock, random }, overrides.dns);
  const { projects, domains, settings, keeper } = wireDomains(config, database, {
    inspect,
    clock,
    removed: withdraw,
    failed: (error) => writeLog.error({ err: error }, "a domain could not be checked"),
  });
  const blobs = openBlobs(join(config.dataDir, "blobs"));
  const deploys = deployService({
    deploys: lazily(() => deployRepository(database)),
    projects,
    blobs,
    uploads: openUploads(join(config.dataDir, "uploads"), {
      bytes: config.deployLimit,
      stallMs: 30_000,
      // 100 MiB in that time is a megabit a second.
      wholeMs: 15 * 60_000,
    }),
    uploadLimit: config.deployLimit,
    clock,
  });
  const publishing = publishingOf(config, portOf);
  const app = createApp({ shared: rules, metrics: counters, log: writeLog, cors: cors(config.corsOrigins) }, [
    petRoutes({ pets, pages, shared: rules }),
    projectRoutes({ projects, publishing, shared: rules }),
    deployRoutes({ deploys, shared: rules, patiently }),
    domainRoutes({ domains, settings, shared: rules, patiently }),
    keyRoutes({ keys, shared: rules }),
    healthRoutes({
      checks: {
        database: database.assertReady,
        disk: () => assertRoom(config.dataDir, config.diskReserve),
      },
      warnings: () => endingSoon(certificates.expiries(), clock.now()),
      metrics: counters,
      shared: rules,
    }),
    docsRoutes({
      documents: (): Promise<Documents> => documentsOf(app),
      addresses: addressesOf(config),
      shared: rules,
    }),
  ]);
  const names = rememberedNames(
    lazily(() => publishedNames(database)),
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
        });
  const fetch = dispatcher({
    readHost: hostReader(hosts),
    ...(https && { challenge: https.challenge, secured: https.secured }),
    api: (request) => app.fetch(request),
    publisher: siteService({
      names,
      sites: deployedSites(blobs),
      scheme: new URL(config.baseUrl ?? "http://localhost").protocol,
    }),
    fresh: database.fresh,
    conclude: concluding({ metrics: counters, log: writeLog }),
    log: writeLog,
  });
  const publishReference = () =>
    publishFirst(
      async () => {
        const documents = await documentsOf(app);
        const baseUrl = config.baseUrl ?? `http://localhost:${portOf()}`;
        const addresses = { baseUrl, stagingBaseUrl: config.stagingBaseUrl ?? baseUrl };
        return referenceSite((name) => documents(name, addresses));
      },
      { projects, deploys },
    );
  return {
    app,
    fetch,
    keys,
    projects,
    deploys,
    domains,
    keeper,
    https,
    publishing,
    publishReference,
    log: writeLog,
  };
};
