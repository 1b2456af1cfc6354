import { type CaaOrder, formatCaa, isUnknownCritical, issueTagFor, judgeCaa } from "../protocols/dns/caa.ts";
import type { CaaRecord } from "../protocols/dns/message.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";
import type { Delegation } from "./delegation.ts";
import type { Challenge, Finding } from "./finding.ts";

/** With what this service orders certificates, as CAA records name it. */
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

/** For a process that does not know the accounts, or where this service orders nothing itself: the CA decides. */
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
