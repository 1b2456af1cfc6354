import {
  type ChallengeRecords,
  type DnsChallenges,
  challengeHook,
  challengeUpdates,
  challengeVisibility,
  dnsChallenges,
  recordValueOf,
} from "../platform/certificates/dns-challenges.ts";
import { type Wildcard, wildcardBelow } from "../platform/certificates/wildcard.ts";
import { type Config, processEnvironment } from "../config/config.ts";
import { ownNames } from "../platform/dns-checks/names.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { TextRecords } from "../platform/nameserver/nameserver.ts";
import { type Delegation, challengeDelegation, delegatedNameIn } from "../platform/dns-checks/issuance.ts";
import { type AskAuthorities, authorityAsker, type DnsAccess } from "../protocols/dns/authoritative.ts";
import { parseServer } from "../lib/name-server.ts";
import { systemNetwork } from "../protocols/dns/network.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";
import type { Certificates } from "../platform/certificates/repository.ts";
import type { targetRepository } from "../platform/nameserver/repository.ts";
import type { Context } from "../data/context.ts";

/** True if the service can publish the TXT records of challenges. */
const publishesRecords = ({ nameserver, dnsChallengeHook, dnsUpdateServer }: Config): boolean =>
  nameserver.length > 0 || dnsChallengeHook !== undefined || dnsUpdateServer !== undefined;

/** The certificate of the projects' names; undefined if the service cannot publish records, or if the names are not in the public DNS. */
export const wildcardOf = (config: Config): Wildcard | undefined => {
  const { publicPlatformDomain: domain, publicHosts } = ownNames(config);
  return domain !== undefined && publishesRecords(config)
    ? wildcardBelow(domain, publicHosts.includes(domain))
    : undefined;
};

/** The name to which a project's domains delegate their challenges, by its label; undefined if the service cannot create records. */
export const challengeTargetOf = (config: Config): ((label: string) => string) | undefined =>
  config.httpsPort !== undefined && wildcardOf(config) ? delegatedNameIn(config.platformDomain) : undefined;

/** How custom domains delegate their challenges; undefined if the service cannot publish records. */
export const delegationOf = (config: Config, dns: DnsAccess): Delegation | undefined =>
  wildcardOf(config) && challengeDelegation(authorityAsker(dns), config.platformDomain);

/**
 * The values of the TXT records of pending challenges, by name. They follow from the rows of certificates, so the name server of
 * each process has them, whichever places the order.
 */
export const storedChallenges = (
  { platformDomain }: Config,
  certificates: Certificates,
  targets: ReturnType<typeof targetRepository>,
) => {
  const owner = challengeNameOf(platformDomain);
  return (name: string): string[] => {
    if (name !== owner && !name.endsWith(`.${owner}`)) return [];
    const pending =
      name === owner
        ? [certificates.pendingAuthorization(`*.${platformDomain}`)]
        : targets.pendingAuthorizations(name.slice(0, -owner.length - 1));
    return pending.flatMap((authorization) => (authorization ? recordValueOf(authorization) : []));
  };
};

/** Records in the zones of the service's own name server. */
const ownRecords = ({ add, remove }: TextRecords): ChallengeRecords => ({
  add: async (name, value) => add(name, value),
  remove: async (name, value) => remove(name, value),
});

/** @throws OperatorError if the settings name several ways */
const assertOneWay = ({ nameserver, dnsChallengeHook, dnsUpdateServer }: Config) => {
  const ways = Object.entries({
    NAMESERVER: nameserver[0],
    DNS_CHALLENGE_HOOK: dnsChallengeHook,
    DNS_UPDATE_SERVER: dnsUpdateServer,
  }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (ways.length > 1)
    throw new OperatorError(
      `${ways.join(" and ")} are different ways to publish challenge records: set only one of them`,
    );
};

/**
 * Publishes the records of challenges in the way that the settings choose; undefined if they choose none.
 * @param texts the TXT records of the built-in name server
 * @throws OperatorError if the program or the key of the settings cannot be used
 */
export const challengeRecordsOf = (
  { config, clock, randomBytes }: Context,
  texts: TextRecords | undefined,
): ChallengeRecords | undefined => {
  assertOneWay(config);
  const { dnsChallengeHook, dnsUpdateServer, dnsUpdateKeyFile: keyFile, dnsUpdateZone: zone } = config;
  if (texts) return ownRecords(texts);
  if (dnsChallengeHook !== undefined) return challengeHook(dnsChallengeHook, { env: processEnvironment() });
  const server = dnsUpdateServer === undefined ? undefined : parseServer(dnsUpdateServer);
  if (!server || keyFile === undefined) return undefined;
  return challengeUpdates({ server, zone, keyFile }, { network: systemNetwork, randomBytes, now: clock.now });
};

/** The records of DNS-01 challenges; undefined if none can be published. */
export const challengesOf = (
  records: ChallengeRecords | undefined,
  askAuthorities: AskAuthorities,
  context: Context,
): DnsChallenges | undefined =>
  records && dnsChallenges(context, records, challengeVisibility(askAuthorities));
