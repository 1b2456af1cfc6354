import type { Config } from "../config/config.ts";
import type { Database } from "../db/open.ts";
import { lazy } from "../lib/lazy.ts";
import { type HostNames, placeOf } from "../edge/hosts.ts";
import { securedNames } from "../edge/certificate-store.ts";
import { httpsRedirect } from "../edge/https-redirect.ts";
import { secureContext } from "../protocols/tls/contexts.ts";
import { type KeyAndCertificate, alpnCertificate } from "../protocols/acme/keys.ts";
import { certificateScheduler } from "../certificates/scheduler.ts";
import { issuer } from "../certificates/issue.ts";
import { challengeProbes, objections } from "../certificates/preflight.ts";
import { placer } from "../certificates/place-order.ts";
import { certificateRepository } from "../certificates/repository.ts";
import { type CertificateService, certificateService } from "../certificates/service.ts";
import { parseHostname } from "../domains/hostname.ts";
import { isSpecialUse } from "../domains/reserved-names.ts";
import type { Inspect } from "../domains/inspect.ts";
import { certificateEffects, domainRepository } from "../domains/repository.ts";
import type { Logger } from "../lib/log.ts";
import { cnameTargetIn } from "../projects/addresses.ts";
import type { PublishedNames } from "../sites/repository.ts";
import { type Clock, systemClock } from "../lib/time.ts";
import { acmeClients } from "../certificates/clients.ts";
import { challengeFetcher, handshakeTrial } from "../certificates/probes.ts";

/** The certificates of a database: what the command line works with. */
export const wireCertificateService = (
  config: Config,
  database: Pick<Database, "orm" | "commit">,
  clock: Clock = systemClock,
): CertificateService =>
  certificateService({
    certificates: certificateRepository(database, certificateEffects(database)),
    clientOf: (authority) => acmeClients(config, clock, (ms) => Bun.sleep(ms))(authority),
    trial: ({ key, chain }) => void secureContext({ key, cert: chain }),
    clock,
  });

/** Names of the service itself that the public DNS may have, and authorities certify. */
const publicNames = (names: readonly string[]): string[] =>
  names.filter((name) => parseHostname(name).ok && !isSpecialUse(name));

const publicHosts = ({ baseUrl, apiHosts }: Config): string[] =>
  publicNames([...(baseUrl?.startsWith("https:") ? [new URL(baseUrl).hostname] : []), ...apiHosts]);

/** True for host names that something is served under, as they are written here: in lower case, without a port and a final dot. */
export const servedBy =
  (names: PublishedNames, hosts: HostNames) =>
  (hostname: string): boolean => {
    const place = placeOf(hostname, hosts);
    if (place.kind === "api") return hosts.api.has(hostname);
    if (place.kind === "project")
      return hostname === `${place.slug}.${hosts.platformDomain}` && names.bySlug(place.slug) !== undefined;
    return (
      place.kind === "custom" && hostname === place.hostname && names.byHostname(place.hostname) !== undefined
    );
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
  const certificates = lazy(() => certificateRepository(database, certificateEffects(database)));
  const domains = lazy(() => domainRepository(database));
  const probes = challengeProbes();
  /** What proves names to authorities that ask in a TLS handshake. */
  const handshakes = new Map<string, KeyAndCertificate>();
  const own = publicHosts(config);
  const [platformDomain] = publicNames([config.platformDomain]);
  const secured = securedNames({
    keyPair(hostname) {
      const pair = certificates.keyPair(hostname);
      return pair && { ...pair, cert: pair.chain };
    },
    hstsMaxAge: config.hstsMaxAge,
    isServed,
    version: database.version,
    now: clock.now,
    failed: (hostname, error) => log.error({ err: error, hostname }, "a certificate cannot be used"),
  });
  const clientOf = acmeClients(config, clock, sleep);
  const authorities = config.acmeAgreeTos ? config.acmeDirectory : [];
  const issue = issuer({
    certificates,
    place: placer({ certificates, authorities, clientOf, clock }),
    clientOf,
    objection: objections({
      domains,
      isOwn: (hostname) =>
        own.includes(hostname) ||
        (platformDomain !== undefined && hostname.endsWith(`.${platformDomain}`) && isServed(hostname)),
      isServed,
      inspect,
      async identities() {
        // Whether one can be reached is told of the order.
        const known = authorities.map((one) =>
          clientOf(one)
            .directory()
            .catch(() => undefined),
        );
        return (await Promise.all(known)).flatMap((directory) => directory?.caaIdentities ?? []);
      },
      targetOf: cnameTargetIn(config.platformCnameTarget),
      probes,
      fetchChallenge: challengeFetcher(config),
      openHandshakes: handshakeTrial(config, handshakes, clock),
      ports: { http: config.acmeHttpPort, tls: config.acmeTlsPort },
    }),
    handshakes: {
      async add(hostname, keyAuthorization) {
        handshakes.set(hostname, await alpnCertificate(hostname, keyAuthorization, clock.now()));
      },
      remove: (hostname) => void handshakes.delete(hostname),
    },
    changed: secured.renewed,
    forgotten(hostname) {
      secured.renewed(hostname);
      log.info({ hostname }, "a name that nobody holds is forgotten, with its certificate and key");
    },
    failed: (hostname, { type, detail, status }) =>
      log.warn({ hostname, type, detail, status }, "no certificate was issued"),
    clock,
    random: Math.random,
    sleep,
  });
  const keeper = certificateScheduler({
    certificates,
    issue,
    missing: domains.uncertified,
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
    redirect: httpsRedirect({
      isSecured: secured.has,
      portOf: () => publicPort(config, httpsPortOf()),
    }),
  };
};
