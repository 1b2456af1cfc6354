import { type ChainProblem, followCnames, type Resolve } from "./cname-chain.ts";
import type { CaaRecord } from "./message.ts";
import { canonicalName, withParents } from "./name.ts";
import type { Exchange } from "./client.ts";

export type RelevantCaa =
  | { kind: "found"; name: string; records: CaaRecord[] }
  | { kind: "none" }
  /** The resolvers had no usable answer: a CA would not issue (RFC 8659 section 3). */
  | { kind: "unknown"; name: string; problem: ChainProblem; exchange: Exchange };

/** Finds the relevant CAA records (RFC 8659 section 3): those of the name, through CNAME records, or of its nearest parent. */
export const relevantCaa = async (resolve: Resolve, hostname: string): Promise<RelevantCaa> => {
  for (const name of withParents(hostname)) {
    const { names, records, problem, last } = await followCnames(resolve, name, "CAA");
    if (problem) return { kind: "unknown", name, problem, exchange: last };
    const found = records.filter((record) => record.type === "CAA");
    if (found.length > 0) return { kind: "found", name: names.at(-1) ?? name, records: found };
  }
  return { kind: "none" };
};

/** RFC 8659 section 4.2: the issuer's domain precedes the parameters. An empty one allows no CA. */
const issuerOf = (value: string): string => canonicalName(value.split(";")[0]?.trim() ?? "");

const KNOWN_TAGS = new Set([
  "issue",
  "issuewild",
  "iodef",
  "contactemail",
  "contactphone",
  "issuemail",
  "issuevmc",
]);

/** RFC 8659 section 4: true if one of these issuers may issue for a name without a wildcard. */
export const allowsIssuance = (records: CaaRecord[], issuers: readonly string[]): boolean => {
  if (records.some(({ data }) => data.critical && !KNOWN_TAGS.has(data.tag))) return false;
  const issue = records.filter(({ data }) => data.tag === "issue");
  return (
    issue.length === 0 || issue.some(({ data }) => issuers.map(canonicalName).includes(issuerOf(data.value)))
  );
};

/** Formats a record as in a zone file. */
export const formatCaa = ({ data: { critical, tag, value } }: CaaRecord): string =>
  `${critical ? 128 : 0} ${tag} ${JSON.stringify(value)}`;
