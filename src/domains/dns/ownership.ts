import { isUsable, recordsOf } from "./follow.ts";
import { canonicalName } from "./name.ts";
import type { Trace } from "./resolve.ts";

/**
 * Whose a host name is, once its records are right. A CNAME names the project's own target; the addresses that an ALIAS
 * shows are those of every project, so that only a TXT record tells: `shown` if it has the project's own target,
 * `claimed` if it has another project's, `open` if there is none, `unknown` if it could not be asked.
 */
export type Ownership = "shown" | "claimed" | "open" | "unknown";

const isAliasOf = ({ views }: Trace, hostname: string): boolean =>
  views.every(
    ({ cname }) =>
      !isUsable(cname) ||
      recordsOf(cname).some(({ type, name }) => type === "CNAME" && name === canonicalName(hostname)),
  );

/** Names of one zone, as the targets of all projects are. */
const isSibling = (one: string, other: string): boolean =>
  one.slice(one.indexOf(".")) === other.slice(other.indexOf("."));

/** The targets that the TXT records name; a wildcard may bring any others. */
export const claimsOf = ({ proof }: Trace, target: string): string[] =>
  (proof?.records ?? []).flatMap((record) => {
    const claimed = record.type === "TXT" ? canonicalName(record.data.trim()) : "";
    return isSibling(claimed, canonicalName(target)) ? [claimed] : [];
  });

/** @param trace of records that are right */
export const ownershipOf = (
  trace: Trace,
  { hostname, target, isApex }: { hostname: string; target: string; isApex: boolean },
): Ownership => {
  if (!isApex || isAliasOf(trace, hostname)) return "shown";
  if (!trace.proof || trace.proof.problem === "unanswered") return "unknown";
  const claims = claimsOf(trace, target);
  if (claims.includes(canonicalName(target))) return "shown";
  return claims.length > 0 ? "claimed" : "open";
};
