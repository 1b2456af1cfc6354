import type { components } from "../../../../client/types/platform.d.ts";

/** Domains as the API describes them. */
type Schemas = components["schemas"];

export type Domain = Schemas["Domain"];
export type Finding = Schemas["DomainFinding"];
export type Change = Schemas["RecordChange"];
export type Event = Schemas["DomainEvent"];
export type Certificate = Schemas["DomainCertificate"];
export type Check = Schemas["DomainCheck"];
type Config = Schemas["DomainsConfig"];
export type NewConfig = Schemas["NewDomainsConfig"];
export type Addition = Schemas["DomainAdditions"][number];
export type Stage = Domain["stage"];

/** The Unicode name, followed by the ASCII name if they differ. */
export const shownName = ({ hostname, unicode }: Pick<Domain, "hostname" | "unicode">): string =>
  unicode === hostname ? hostname : `${unicode} (${hostname})`;

const WAITING: ReadonlySet<Stage> = new Set(["awaiting_dns", "dns_conflict"]);

/** True while the domain waits for its records. */
export const isWaiting = ({ stage }: Pick<Domain, "stage">): boolean => WAITING.has(stage);

const SECOND_MS = 1000;
const QUICK_MS = 2 * SECOND_MS;
const STEADY_MS = 5 * SECOND_MS;
const SLOW_MS = 15 * SECOND_MS;

const DELAY_MS: Record<Stage, number> = {
  awaiting_dns: STEADY_MS,
  dns_conflict: STEADY_MS,
  verified: QUICK_MS,
  issuing: QUICK_MS,
  issue_failed: STEADY_MS,
  live: SLOW_MS,
  suspended: SLOW_MS,
};

/** Milliseconds until a domain is fetched again: short while work is in progress. */
export const refetchDelay = (domain: Pick<Domain, "stage" | "nextCheckAt"> | undefined): number => {
  if (!domain) return STEADY_MS;
  // After 48 hours, nothing happens without a request.
  return isWaiting(domain) && !domain.nextCheckAt ? SLOW_MS : DELAY_MS[domain.stage];
};

/** The same for a list: the shortest delay of its domains, within limits. */
export const listRefetchDelay = (domains: readonly Pick<Domain, "stage" | "nextCheckAt">[]): number =>
  Math.max(STEADY_MS, Math.min(SLOW_MS, ...domains.map(refetchDelay)));

/**
 * The configuration in which a domain redirects to the primary domain with 301, or shows the site. Undefined without a
 * primary domain, or if the domain itself is the primary one.
 */
export const withRedirect = (
  { domains: { primary, redirects } }: Config,
  hostname: string,
  isRedirect: boolean,
): NewConfig | undefined => {
  if (primary === undefined || primary === hostname) return undefined;
  const others = redirects.filter(({ from }) => from !== hostname);
  const own = isRedirect ? [{ from: hostname, to: primary, status: 301 }] : [];
  return { domains: { primary, redirects: [...others, ...own] } };
};

/**
 * The configuration in which another domain is the primary one and this one redirects to it with 301, as do all that
 * redirected before.
 */
export const withPrimary = (
  { domains: { redirects } }: Config,
  hostname: string,
  primary: string,
): NewConfig => {
  const from = new Set([...redirects.map(({ from }) => from), hostname]);
  from.delete(primary);
  return { domains: { primary, redirects: [...from].map((from) => ({ from, to: primary, status: 301 })) } };
};

/** The primary domain of a project, if it has one. */
export const primaryOf = (domains: readonly Pick<Domain, "hostname" | "role">[]): string | undefined =>
  domains.find(({ role }) => role === "primary")?.hostname;

/** No visitor can be sent to `*.example.org` itself. */
export const isWildcard = ({ hostname }: Pick<Domain, "hostname">): boolean => hostname.startsWith("*.");

/** The domains that another one can redirect to, those that visitors already see first. */
export const targetsOf = <One extends Pick<Domain, "hostname" | "stage">>(
  domains: readonly One[],
  hostname: string,
): One[] => {
  const others = domains.filter((one) => one.hostname !== hostname && !isWildcard(one));
  return others.toSorted((one, other) => Number(other.stage === "live") - Number(one.stage === "live"));
};

/** The address of a live domain; undefined while nothing is served there, and for a wildcard. */
export const addressOf = ({
  hostname,
  stage,
  certificate,
}: Pick<Domain, "hostname" | "stage" | "certificate">): string | undefined =>
  stage === "live" && !isWildcard({ hostname })
    ? `${certificate?.status === "in_use" ? "https" : "http"}://${hostname}/`
    : undefined;

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Text that surrounds an address in messages: quotes and angle brackets. */
const QUOTES = /^["'<“‘]+|["'>”’,;]+$/g;
/** Characters that are copied with text but are not seen. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * The host name in typed or pasted text: an address loses its scheme, user, port, path and final dot. Other text is
 * returned trimmed, and the API reports the error.
 */
export const hostnameIn = (typed: string): string => {
  const text = typed.replaceAll(INVISIBLE, "").trim().replaceAll(QUOTES, "");
  const authority =
    text
      .replace(SCHEME, "")
      .replace(/^\/\//, "")
      .split(/[/\\?#]/, 1)[0] ?? "";
  // Without a scheme, "@" means an e-mail address, which is not a host name.
  const host = SCHEME.test(text) ? authority.slice(authority.lastIndexOf("@") + 1) : authority;
  const isIpv6 = host.includes("[") || host.split(":").length > 2;
  const name = isIpv6 ? host : host.replace(/:\d*$/, "");
  return name.trim().toLowerCase().replace(/\.+$/, "");
};

/** Labels below which many countries register domains, as in example.co.uk. A page cannot load the whole public suffix list. */
const REGISTRIES = /^(ac|co|com|edu|gob|gouv|go|gov|ne|net|or|org)$/;

/**
 * The name with or without `www` to offer with a domain. A rare kind of domain gets no offer. The API has the list of public
 * suffixes, and decides whether the domain has a pair.
 */
export const offeredPair = (hostname: string): string | undefined => {
  const bare = hostname.replace(/^www\./, "");
  const labels = bare.split(".");
  const [second = "", top = ""] = labels.slice(-2);
  const isRegistered = labels.length === (top.length === 2 && REGISTRIES.test(second) ? 3 : 2);
  if (!isRegistered || top.length < 2 || labels.some((label) => /^\*?$/.test(label))) return undefined;
  return bare === hostname ? `www.${bare}` : bare;
};
