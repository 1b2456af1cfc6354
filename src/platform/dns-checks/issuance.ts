import { apexOf, canonicalName } from "../../lib/hostname.ts";
import type { AskAuthorities } from "../../protocols/dns/authoritative.ts";
import {
  type CaaOrder,
  formatCaa,
  isUnknownCritical,
  issueTagFor,
  judgeCaa,
} from "../../protocols/dns/caa.ts";
import { recordsOf } from "../../protocols/dns/cname-chain.ts";
import type { CaaRecord } from "../../protocols/dns/message.ts";
import { challengeNameOf } from "../../protocols/dns/name.ts";
import type { Challenge } from "./finding-kind.ts";
import type { Finding } from "./finding.ts";

/**
 * The name to which the domains of a project delegate their challenges, by the project's label. The label is random and never
 * reused, so the CNAME record identifies the project that may get the certificate. All these names are below the challenge
 * name of the platform's own domain, so a key or hook that may change that name may change them too.
 */
export const delegatedNameIn =
  (platformDomain: string) =>
  (label: string): string =>
    `${label}.${challengeNameOf(platformDomain)}`;

/** The CNAME record of a challenge, according to the servers that responded. */
export type Delegated =
  | { kind: "delegated" }
  /** `found` has other values, and `texts` those of TXT records of a wildcard. Both are untrusted, and of any length. */
  | { kind: "elsewhere"; found: string[]; texts: string[]; expected: string }
  | { kind: "unknown" };

/** CNAME records that let this service create the record of a custom domain's challenge. */
export interface Delegation {
  /** The value of the CNAME record for a project's label. */
  nameOf(label: string): string;
  /** `delegated` if every authoritative server that responds delegates the name's challenge to the project with this label. */
  lookUp(hostname: string, label: string): Promise<Delegated>;
}

const distinct = (values: string[][]): string[] => [...new Set(values.flat())].toSorted();

export const challengeDelegation = (askAuthorities: AskAuthorities, platformDomain: string): Delegation => {
  const nameOf = delegatedNameIn(platformDomain);
  /** The values at each server that responds. */
  const valuesAt = async (owner: string, wanted: "CNAME" | "TXT"): Promise<string[][]> => {
    const responses = await askAuthorities({ name: owner, type: wanted, apex: apexOf(owner) });
    return responses.map((response) =>
      recordsOf(response).flatMap(({ type, name, data }) =>
        type === wanted && name === owner ? [String(data)] : [],
      ),
    );
  };
  const lookUp = async (hostname: string, label: string): Promise<Delegated> => {
    const [owner, expected] = [challengeNameOf(hostname), canonicalName(nameOf(label))];
    const values = await valuesAt(owner, "CNAME");
    if (values.length === 0) return { kind: "unknown" };
    if (values.every((own) => own.includes(expected))) return { kind: "delegated" };
    const found = distinct(values).filter((value) => value !== expected);
    const texts = hostname.startsWith("*.") ? distinct(await valuesAt(owner, "TXT")) : [];
    return { kind: "elsewhere", found, texts, expected };
  };
  return { nameOf, lookUp };
};

/** The service's CAs, methods and accounts, as CAA records name them. */
export interface Issuance {
  /** The CAs. */
  issuers: readonly string[];
  /** The methods that it can use: `http-01`, ... */
  methods: readonly string[];
  /** How domain holders enable dns-01; undefined if the CA decides about methods. */
  delegation?: Delegation | undefined;
  /** The URIs of its accounts; undefined if not every CA has given one. */
  accounts(): Promise<readonly string[] | undefined>;
}

const ALL_METHODS = ["http-01", "tls-alpn-01", "dns-01"] as const;

/** For a process without the accounts, or a service that orders no certificates itself: the CA decides. */
export const issuanceBy = (issuers: readonly string[]): Issuance => ({
  issuers,
  methods: ALL_METHODS,
  accounts: async () => undefined,
});

type CaaFinding = Extract<Finding, { kind: "caa_forbids" }>;

/** The methods that the CAA records at a name allow, or the finding about them. */
export const judgeCaaAt = (
  { name, records }: { name: string; records: readonly CaaRecord[] },
  order: CaaOrder,
): { methods: readonly string[] } | { finding: CaaFinding } => {
  const judgement = judgeCaa(records, order);
  if ("methods" in judgement) return judgement;
  const { forbids, allowing: expected } = judgement;
  const isWild = issueTagFor(records, order.isWildcard ?? false) === "issuewild";
  return {
    finding: {
      kind: "caa_forbids",
      name,
      found: (expected.length > 0 ? records : records.filter(isUnknownCritical)).map(formatCaa),
      expected,
      ...(forbids !== "issuer" && { parameter: forbids }),
      ...(isWild && { tag: "issuewild" }),
    },
  };
};

/** The record that dns-01 needs, if CAA records require that method, and the challenge is not delegated to the project. */
export const missingChallenge = async (
  records: readonly CaaRecord[],
  order: CaaOrder,
  { delegation, hostname, label }: Pick<Issuance, "delegation"> & { hostname: string; label: string },
): Promise<Challenge | undefined> => {
  const allows = (methods: readonly string[]) => "methods" in judgeCaa(records, { ...order, methods });
  if (!delegation || allows(directMethods(order.methods)) || !allows(order.methods)) return undefined;
  const found = await delegation.lookUp(hostname, label);
  return found.kind === "elsewhere" ? { name: challengeNameOf(hostname), value: found.expected } : undefined;
};

/** The methods that need no record from the holder. */
export const directMethods = (methods: readonly string[]): string[] =>
  methods.filter((method) => method !== "dns-01");
