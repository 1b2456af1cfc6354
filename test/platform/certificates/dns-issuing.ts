import type { ChallengeRecords } from "../../../src/platform/certificates/dns-challenges.ts";
import { recordValueOf } from "../../../src/platform/certificates/dns-challenges.ts";
import { challengeNameOf } from "../../../src/protocols/dns/name.ts";
import type { AcmeCaOptions } from "../../support/acme-ca.ts";
import { dnsServer } from "../../support/dns.ts";
import { type StoreSettings, atEnd } from "../../support/store.ts";
import { openIssuing } from "./issuing.ts";

export const DOMAIN = "sites.example.net";
export const WILDCARD = `*.${DOMAIN}`;

/** A zone in memory, with its changes. */
export const zoneInMemory = () => {
  const records = new Map<string, Set<string>>();
  const acts: string[] = [];
  const zone = {
    acts,
    failure: undefined as Error | undefined,
    has: (name: string, value: string) => records.get(name)?.has(value) ?? false,
    count: () => [...records.values()].reduce((sum, { size }) => sum + size, 0),
    records: {
      async add(name, value) {
        if (zone.failure) throw zone.failure;
        acts.push(`add ${name}`);
        records.set(name, (records.get(name) ?? new Set()).add(value));
      },
      async remove(name, value) {
        acts.push(`remove ${name}`);
        records.get(name)?.delete(value);
      },
    } satisfies ChallengeRecords,
  };
  return zone;
};

/** The service with a wildcard certificate: the CA looks for its records in a zone in memory. */
export const openDnsIssuing = async (
  options: AcmeCaOptions = {},
  { env = {}, ...settings }: StoreSettings = {},
  delegated: ReadonlyMap<string, string> = new Map(),
) => {
  const zone = zoneInMemory();
  const proven: string[] = [];
  const room = await openIssuing(
    {
      async validate(type, name, token, thumbprint) {
        proven.push(`${type} ${name}`);
        const challenge = challengeNameOf(name);
        const value = recordValueOf(`${token}.${thumbprint}`);
        return type === "dns-01" && zone.has(delegated.get(challenge) ?? challenge, value);
      },
      ...options,
    },
    {
      env: { PLATFORM_DOMAIN: DOMAIN, DNS_CHALLENGE_HOOK: "/bin/true", ...env },
      challengeRecords: zone.records,
      ...settings,
    },
  );
  const names = async () =>
    (await room.certificates.list({ after: "", limit: 100 })).map(({ hostname }) => hostname);
  return { ...room, zone, proven, names };
};

const BASE = ["example.test NS ns.example.test", "ns.example.test A 127.0.0.1"];

/** The service next to a server of the zone `example.test`, whose holder can delegate this challenge. */
export const openDelegating = async (
  challenge: string,
  options: AcmeCaOptions = {},
  settings: StoreSettings = {},
) => {
  const zones: Record<string, string[]> = { "example.test": BASE };
  const server = await dnsServer({ zones });
  atEnd(() => server[Symbol.dispose]());
  const port = String(server.server.port);
  const delegated = new Map<string, string>();
  const env = { DNS_RESOLVERS: `127.0.0.1:${port}`, DNS_PORT: port, DNS_PRIVATE: "true" };
  const room = await openDnsIssuing(options, { env, ...settings }, delegated);
  /** The name to which the domains of a project delegate their challenges. */
  const valueFor = async (slug = "docs") =>
    `${(await room.store.projects.get(slug)).targetLabel}._acme-challenge.${DOMAIN}`;
  const setRecords = (...records: string[]) => {
    zones["example.test"] = [...BASE, ...records];
  };
  /** Creates the CNAME record of the challenge, and more. */
  const delegate = (value: string, ...more: string[]) => {
    setRecords(`${challenge} CNAME ${value}`, ...more);
    delegated.set(challenge, value);
  };
  return { ...room, server, delegated, valueFor, setRecords, delegate };
};
