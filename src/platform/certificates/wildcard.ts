import type { Expiry, Issued } from "./certificate.ts";

/** One certificate for all names directly below a domain. */
export interface Wildcard {
  /** The name that it is stored under: `*.sites.example.org`. */
  hostname: string;
  /** The names in it. */
  names: readonly string[];
  /** True for the host names that it is valid for (RFC 6125 section 6.4.3), but not for its own. */
  covers(hostname: string): boolean;
}

/** @param isServed true if the domain itself is served, and so needs a certificate too */
export const wildcardBelow = (domain: string, isServed: boolean): Wildcard => {
  const hostname = `*.${domain}`;
  const isBelow = (name: string) => name.slice(name.indexOf(".") + 1) === domain && name !== hostname;
  return {
    hostname,
    names: isServed ? [hostname, domain] : [hostname],
    covers: (name) => isBelow(name) || (isServed && name === domain),
  };
};

/** The names under which certificates are stored for the service's own names. */
export const certifiedNames = (own: readonly string[], wildcard: Wildcard | undefined): string[] => [
  ...own.filter((hostname) => !wildcard?.covers(hostname)),
  ...(wildcard ? [wildcard.hostname] : []),
];

/** The names in the certificate that is stored under a name. */
export const namesIn =
  (wildcard: Wildcard | undefined) =>
  (hostname: string): readonly string[] =>
    hostname === wildcard?.hostname ? wildcard.names : [hostname];

type Validity = Pick<Issued, "notBefore" | "notAfter">;

export const isValidAt = (validity: Validity | undefined, now: number): boolean =>
  validity !== undefined && validity.notBefore <= now && now < validity.notAfter;

/** Omits certificates that a valid wildcard has replaced: they stay unused until they expire. */
export const withoutReplaced = <Named extends Expiry>(
  expiries: readonly Named[],
  wildcard: Wildcard | undefined,
  now: number,
): readonly Named[] => {
  const shared = expiries.find(({ hostname }) => hostname === wildcard?.hostname);
  return isValidAt(shared, now) ? expiries.filter(({ hostname }) => !wildcard?.covers(hostname)) : expiries;
};
