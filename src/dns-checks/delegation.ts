import type { AskAuthorities } from "../protocols/dns/ask-authorities.ts";
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
  /** `found` are other values, if there are any: untrusted, and any number of them. */
  | { kind: "elsewhere"; found: string[]; expected: string }
  | { kind: "unknown" };

/** CNAME records that let this service create the record of a custom domain's challenge. */
export interface Delegation {
  /** The value of the CNAME record for a project's label. */
  nameOf(label: string): string;
  /** True if every authoritative server that responds delegates the name's challenge to the project with this label. */
  isDelegated(hostname: string, label: string): Promise<boolean>;
  lookUp(hostname: string, label: string): Promise<Delegated>;
}

export const challengeDelegation = (askAuthorities: AskAuthorities, platformDomain: string): Delegation => {
  const nameOf = delegatedNameIn(platformDomain);
  const lookUp = async (hostname: string, label: string): Promise<Delegated> => {
    const [owner, expected] = [challengeNameOf(hostname), canonicalName(nameOf(label))];
    const responses = await askAuthorities({ name: owner, type: "CNAME", apex: apexOf(hostname) });
    if (responses.length === 0) return { kind: "unknown" };
    const values = responses.map((response) =>
      recordsOf(response).flatMap(({ type, name, data }) =>
        type === "CNAME" && name === owner ? [String(data)] : [],
      ),
    );
    if (values.every((own) => own.includes(expected))) return { kind: "delegated" };
    const found = [...new Set(values.flat())].filter((value) => value !== expected).toSorted();
    return { kind: "elsewhere", found, expected };
  };
  return {
    nameOf,
    lookUp,
    isDelegated: async (hostname, label) => (await lookUp(hostname, label)).kind === "delegated",
  };
};
