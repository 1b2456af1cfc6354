import { type CaaOrder, formatCaa, issueTagFor, judgeCaa } from "../protocols/dns/caa.ts";
import type { CaaRecord } from "../protocols/dns/message.ts";
import type { Finding } from "./finding.ts";

/** With what this service orders certificates, as CAA records name it. */
export interface Issuance {
  /** The CAs. */
  issuers: readonly string[];
  /** The methods that it can use: `http-01`, ... */
  methods: readonly string[];
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
      found: records.map(formatCaa),
      expected,
      ...(forbids !== "issuer" && { parameter: forbids }),
      ...(isWild && { tag: "issuewild" }),
    },
  };
};
