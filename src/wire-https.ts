import type { Config } from "./config/config.ts";
import { readFileSync } from "node:fs";
import { StartRefused, reasonOf } from "./data.ts";
import { isGlobalUnicast } from "./domains/dns/address.ts";
import type { Database } from "./db/open.ts";
import { lazily } from "./lazy.ts";
import { type HostNames, placeOf } from "./edge/hosts.ts";
import { securedNames } from "./edge/https.ts";
import { httpsRedirect } from "./edge/secure.ts";
import { type AcmeClient, acmeClient } from "./domains/acme/client.ts";
import { type KeyAndCertificate, alpnCertificate } from "./domains/acme/keys.ts";
import { certificateKeeper } from "./domains/certificates/keeper.ts";
import { issuer } from "./domains/certificates/issue.ts";
import { type FetchChallenge, challengeProbes, objections } from "./domains/certificates/objection.ts";
import { certificateRepository } from "./domains/certificates/repository.ts";
import { type CertificateService, certificateService } from "./domains/certificates/service.ts";
import { parseHostname } from "./domains/hostname.ts";
import { isSpecialUse } from "./domains/own.ts";
import type { Inspect } from "./domains/inspect.ts";
import { domainRepository } from "./domains/repository.ts";
import type { Logger } from "./http/logging.ts";
import { targetsBelow } from "./projects/publishing.ts";
import type { PublishedNames } from "./sites/repository.ts";
import { type Clock, systemClock } from "./time.ts";

/** Asks as a certificate authority does (RFC 8555 section 8.3), at one address of the name. */
const challengeFetcher =
  ({ acmeHttpPort, dnsPrivate }: Config): FetchChallenge =>
  async (address, hostname, token) => {
    if (!dnsPrivate && !isGlobalUnicast(address)) throw new Error("the address is not a public one");
    const host = address.includes(":") ? `[${address}]` : address;
    const answer = await fetch(`http://${host}:${acmeHttpPort}/.well-known/acme-challenge/${token}`, {
      headers: { host: hostname },
      redirect: "manual",
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return new TextDecoder().decode(value?.subarray(0, PROBE_BYTES));
  };

const PROBE_MS = 10_000;
const PROBE_BYTES = 200;

/** The certificates of a database: what the command line works with. */
export const wireCertificateService = (
  config: Config,
  database: Database,
  clock: Clock = systemClock,
): CertificateService =>
  certificateService({
    certificates: certificateRepository(database),
    clientOf: (authority) => acmeClients(config, clock, (ms) => Bun.sleep(ms))(authority),
    clock,
  });

/** @throws StartRefused */
const readOrRefuse = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StartRefused(`ACME_CA_FILE ${file}: cannot be read (${reasonOf(error)})`, { cause: error });
  }
};

/** The clients of the certificate authorities, each made when it is first asked. */
const acmeClients = (
  { acmeEmail, acmeCaFile, acmeEabKid, acmeEabHmac }: Config,
  clock: Clock,
  sleep: (ms: number) => Promise<void>,
) => {
  const ca = acmeCaFile === undefined ? undefined : readOrRefuse(acmeCaFile);
  const clients = new Map<string, AcmeClient>();
  const make = (directory: string) =>
    acmeClient(
      {
        directory,
        ...(acmeEmail !== undefined && { email: acmeEmail }),
        ...(acmeEabKid !== undefined &&
          acmeEabHmac !== undefined && { eab: { kid: acmeEabKid, hmac: acmeEabHmac } }),
        ...(ca !== undefined && { ca }),
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
export const servedBy =
  (names: PublishedNames, hosts: HostNames) =>
  (hostname: string): boolean => {
    const place = placeOf(hostname, hosts);
    if (place.kind === "api") return hosts.api.has(hostname);
    if (place.kind === "project") return names.bySlug(place.slug) !== undefined;
    return place.kind === "custom" && names.byHostname(place.hostname) !== undefined;
  };

/** Where visitors reach HTTPS: a port may be mapped to the one that it listens on, and BASE_URL says from which. */
const publicPort = ({ baseUrl }: Config, listening: number): number =>
  baseUrl?.startsWith("https:") ? Number(new URL(baseUrl).port || 443) : listening;

/** Certificates: who gets them, what is answered to authorities meanwhile, and which names are secured by them. */
export const wireHttps = (
  config: Config,
  database: Database,
  {
    clock,
    sleep,
    inspect,
    log,
    isServed,
    httpsPortOf,
  }: {
    clock: Clock;
    sleep: (ms: number) => Promise<void>;
    inspect: Inspect;
    log: Logger;
    isServed: (hostname: string) => boolean;
    /** Where HTTPS listens. */
    httpsPortOf: () => number;
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
        own.includes(hostname) ||
        (platformDomain !== undefined && hostname.endsWith(`.${platformDomain}`) && isServed(hostname)),
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
    secured: httpsRedirect({
      isSecured: secured.has,
      portOf: () => publicPort(config, httpsPortOf()),
      trustsProxy: config.trustProxy > 0,
    }),
  };
};
