import type { Certificates } from "../platform/certificates/repository.ts";
import type { ChallengeRecords } from "../platform/certificates/dns-challenges.ts";
import {
  challengeFetcher,
  challengeProbes,
  challengeResponses,
  handshakeTrier,
  newTrial,
} from "../platform/certificates/probes.ts";
import { acmeClients, caaIdentities } from "../platform/certificates/clients.ts";
import { certificateScheduler } from "../platform/certificates/issue.ts";
import type { Authority } from "../platform/certificates/order.ts";
import { preflightChecks, reachTrial } from "../platform/certificates/preflight.ts";
import { certificateQueue } from "../platform/certificates/queue.ts";
import { certifiedNames } from "../platform/certificates/wildcard.ts";
import { certificateService } from "../platform/certificates/service.ts";
import type { Config } from "../config/config.ts";
import { storeIdOf } from "../data/db/store-id.ts";
import { certificateRecords } from "../platform/domains/certificate-records.ts";
import { authorityAsker, type DnsAccess } from "../protocols/dns/authoritative.ts";
import type { Inspect } from "../platform/dns-checks/inspect.ts";
import { ownNames } from "../platform/dns-checks/names.ts";
import { certificateStore, watchCertificates } from "../edge/certificate-store.ts";
import { type Issuance, issuanceBy } from "../platform/dns-checks/issuance.ts";
import { limitsOf } from "../lib/acme-limits.ts";
import { cnameTargetIn } from "../platform/projects/service.ts";
import { secureContext } from "../protocols/tls/contexts.ts";
import { challengesOf, delegationOf, wildcardOf } from "./challenges.ts";
import type { Context, Runtime } from "../data/context.ts";
import type { Repositories } from "./repositories.ts";

const ordersCertificates = ({ httpsPort, acmeAgreeTos }: Config): boolean =>
  httpsPort !== undefined && acmeAgreeTos;

/** The CAs, methods and accounts of the server's orders, in the terms of CAA records. @param dns for the delegation of challenges */
export const issuanceOf = (config: Config, certificates: Certificates, dns?: DnsAccess): Issuance => {
  const issuance = issuanceBy(config.caaIssuers);
  if (!ordersCertificates(config)) return issuance;
  return {
    ...issuance,
    methods: issuance.methods.filter((method) => method !== "dns-01" || wildcardOf(config) !== undefined),
    delegation: dns && delegationOf(config, dns),
    async accounts() {
      const accounts = await Promise.all(config.acmeDirectory.map((ca) => certificates.account(ca)));
      const urls = accounts.flatMap((account) => account?.url ?? []);
      return urls.length === config.acmeDirectory.length ? urls : undefined;
    },
  };
};

/** The certificate service for commands, which need no HTTPS listener. */
export const commandCertificates = (
  context: Pick<Context, "config" | "clock" | "sleep">,
  certificates: Certificates,
) => ({
  ...certificateService(context, {
    certificates,
    clientOf: (directory) => acmeClients(context)(directory),
    assertLoads: ({ key, chain }) => void secureContext({ key, cert: chain }),
    wildcard: wildcardOf(context.config),
  }),
  places: queueOf(context.config, certificates, context.clock).places,
});

/** The CAs that certificates are ordered from; none until the operator agrees to their terms. */
const authoritiesOf = ({ acmeAgreeTos, acmeDirectory, acmeLimits }: Config): Authority[] =>
  acmeAgreeTos
    ? acmeDirectory.map((directory, at) => ({ directory, limits: limitsOf(directory, acmeLimits[at]) }))
    : [];

/** The queue for certificates. It only reads the database, so the scheduler and the domains each have one. */
export const queueOf = (
  config: Config,
  certificates: Certificates,
  clock: Runtime["clock"],
  wildcard = wildcardOf(config),
) =>
  certificateQueue({
    certificates,
    authorities: authoritiesOf(config),
    first: certifiedNames(ownNames(config).publicHosts, wildcard),
    clock,
  });

/** The service's dependencies for host names. */
interface NameOptions {
  inspect: Inspect;
  dns: DnsAccess;
  isServed: (hostname: string) => boolean;
  /** The wildcard domain under which a name is served, if it is not a domain itself. */
  wildcardAbove: (hostname: string) => string | undefined;
  challengeRecords: ChallengeRecords | undefined;
}

/** HTTPS: the certificates in use, the responses to CAs' challenges, and the scheduler that orders and renews. */
export const httpsServices = (
  context: Context,
  { certificates, domains }: Repositories,
  { inspect, dns, isServed, wildcardAbove, challengeRecords }: NameOptions,
) => {
  const { config, database, clock, log } = context;
  const own = ownNames(config);
  const wildcard = challengeRecords && wildcardOf(config);
  const clientOf = acmeClients(context);
  const authorities = authoritiesOf(config);
  const identities = caaIdentities(
    authorities.map(({ directory }) => directory),
    clientOf,
  );
  const probes = challengeProbes(storeIdOf(database.client) ?? "");
  const responses = challengeResponses(
    context,
    certificates,
    probes,
    async (hostname) =>
      own.isOwnPublicName(hostname) ||
      (await domains.holder(hostname)) !== undefined ||
      (await domains.isAwaited(hostname)),
  );
  const store = certificateStore({
    read(hostname) {
      const pair = certificates.keyPair(hostname);
      return pair && { ...pair, cert: pair.chain };
    },
    hstsMaxAge: config.hstsMaxAge,
    isServed,
    wildcardFor: (hostname) => (wildcard?.covers(hostname) ? wildcard.hostname : wildcardAbove(hostname)),
    version: database.version,
    now: clock.now,
    onError: (hostname, error) => log.error({ err: error, hostname }, "a certificate cannot be used"),
  });
  /** How the service tries to reach itself. */
  const trial = {
    probes,
    fetchChallenge: challengeFetcher(config),
    tryHandshake: handshakeTrier(config, probes, responses.pending),
    ports: { http: config.acmeHttpPort, tls: config.acmeTlsPort },
  };
  const ordering = {
    ...context,
    certificates,
    authorities,
    clientOf,
    preflight: preflightChecks({
      records: certificateRecords({
        domains,
        inspect,
        dns,
        issuance: issuanceOf(config, certificates),
        delegation: wildcard && delegationOf(config, dns),
        targetOf: cnameTargetIn(config.platformCnameTarget),
      }),
      isOwnName: (hostname) => own.isOwnPublicName(hostname) && isServed(hostname),
      isServed,
      wildcard,
      caaIdentities: identities,
      ...trial,
    }),
    challenges: challengesOf(challengeRecords, authorityAsker(dns), context),
    wildcard,
    onChanged: store.refresh,
  };
  return {
    tryToReach: reachTrial(trial),
    certificates: store,
    certificateWatch: watchCertificates(store, database, (error) =>
      log.error({ err: error }, "changes of certificates by other processes could not be read"),
    ),
    /** Identifies this server on its ports, and lists the names of the CAs in CAA records. */
    openProbe: async () => ({
      trial: newTrial(probes, trial.ports, config.platformDomain),
      issuers: [...config.caaIssuers, ...(await identities())],
    }),
    /** The certificate for a challenge in a TLS handshake; undefined if none is pending. */
    handshake: responses.inHandshake,
    /** The response to a challenge over HTTP; undefined if none is pending. */
    challenge: responses.overHttp,
    scheduler: certificateScheduler(ordering, queueOf(config, certificates, clock, wildcard), {
      missing: domains.uncertified,
      own: certifiedNames(own.publicHosts, wildcard),
      platformDomain: own.publicPlatformDomain,
    }),
  };
};
