import type { AskAuthorities } from "../protocols/dns/authoritative.ts";
import { recordsOf } from "../protocols/dns/cname-chain.ts";
import { apexOf } from "../lib/hostname.ts";
import { canonicalName } from "../lib/dns-name.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";

/**
 * The name to which the domains of a project delegate their challenges, by the project's label. The label is random and never
 * reused, so the CNAME record says which project may get the certificate. All these names are below the challenge
 * name of the platform's own domain, so a key or hook that may change that name may change them too.
 */
export const delegatedNameIn =
  (platformDomain: string) =>
  (label: string): string =>
    `${label}.${challengeNameOf(platformDomain)}`;

/** What the servers that responded say about the CNAME record of a challenge. */
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
