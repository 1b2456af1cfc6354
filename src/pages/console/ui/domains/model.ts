import type { components } from "../../../../client/types/platform.d.ts";
import { type FormWords, relative } from "../parts/wording.ts";

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

/** True while the domain waits for its records. */
export const isWaiting = ({ stage }: Pick<Domain, "stage">): boolean =>
  stage === "awaiting_dns" || stage === "dns_conflict";

const QUICK_MS = 2000;
const STEADY_MS = 5000;
const SLOW_MS = 15_000;

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
  return others.toSorted((a, b) => Number(b.stage === "live") - Number(a.stage === "live"));
};

/** The address of a live domain; undefined while nothing is served there, and for a wildcard. */
export const addressOf = (
  domain: Pick<Domain, "hostname" | "stage"> & Partial<Domain>,
): string | undefined => {
  if (domain.stage !== "live" || isWildcard(domain)) return undefined;
  return `${domain.certificate?.status === "in_use" ? "https" : "http"}://${domain.hostname}/`;
};

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

// The words of the domain pages. What findings and problems mean is in advice.ts.

export const DNS_DELAY = "DNS changes can take up to 48 hours.";

export const STATUS = {
  active: "Active",
  checking: "Checking",
  not_yet: "Not yet",
  action_needed: "Action needed",
} as const;

/** The title of a suspension, whose message has the reason. */
export const SUSPENDED = "Suspended";

/** The state of a step; one that is done shows its time. */
export const STEP_STATES = {
  done: "Done",
  now: "Checking",
  later: "Not yet",
  stuck: "Action needed",
  suspended: SUSPENDED,
} as const;

/** The label of the button that checks the DNS, as specified. */
export const verifyLabel = ({ verifiedAt }: Pick<Domain, "verifiedAt">): "Verify" | "Re-verify" =>
  verifiedAt === undefined ? "Verify" : "Re-verify";

/** "The next check is in 2 minutes.", or that none is scheduled. @param now milliseconds */
export const nextCheck = ({ nextCheckAt }: Pick<Domain, "nextCheckAt">, now: number): string =>
  nextCheckAt === undefined
    ? "It is no longer checked automatically: choose Verify."
    : `The next check is ${relative(Math.max(1, (Date.parse(nextCheckAt) - now) / 1000))}.`;

/** "Active. Expires in 5 years; renews automatically." @param now milliseconds */
export const activeWords = (certificate: Certificate | undefined, now: number): string => {
  if (certificate?.notAfter === undefined) return "Active.";
  const expires = `Expires ${relative((Date.parse(certificate.notAfter) - now) / 1000)}`;
  const isRenewed = certificate.nextAttemptAt !== undefined && !certificate.problem;
  return `Active. ${expires}${isRenewed ? "; renews automatically" : ""}.`;
};

const EVENTS: Record<Event["event"], string> = {
  added: "The domain was added",
  records_right: "The records were right",
  ownership_proven: "The DNS proved your ownership before the record changed",
  records_wrong: "Another record was in the way",
  records_missing: "The record was missing, or not everywhere yet",
  lapsed: "Its records were wrong for too long: it is no longer served",
  served_over_http: "It went live over HTTP",
  order_placed: "A certificate was ordered",
  certificate_stored: "The certificate was issued",
  issue_refused: "The certificate was refused",
  plan_dropped: "It was suspended: the plan has no custom domains",
  plan_restored: "It was restored: the plan has custom domains",
  yielded: "Another project proved that it owns the domain, and took it over",
  removed: "The domain was removed",
  unreachable: "Name servers did not respond",
  domain_taken: "The records were right, but another project that the DNS also named held the domain",
  became_primary: "It became the primary domain",
  became_served: "It began to show the site",
  became_redirect: "It began to redirect to the primary domain",
};

export const eventWords = ({ event }: Pick<Event, "event">): string => EVENTS[event];

/** Who caused it. Names require the permission to read the audit log. Histories of earlier versions have none. */
export const actorWords = ({ actor, key, name }: Pick<Event, "actor" | "key" | "name">): string => {
  const keyName = name ?? key;
  if (actor === "person") return `by ${name ?? "a person"}`;
  if (actor === "key") return keyName === undefined ? "by an API key" : `by key ${keyName}`;
  return actor === "operator" ? "by the operator" : "automatically";
};

export const visitorsWords = (
  { role, stage, findings = [] }: Pick<Domain, "role" | "stage"> & Partial<Pick<Domain, "findings">>,
  primary: string | undefined,
): string => {
  const isAtOldHost = findings.some(({ kind }) => kind === "not_moved");
  const current = isAtOldHost ? "Visitors still reach the old host. After the move, they" : "Visitors";
  const visitors = stage === "live" ? current : "Once the domain is active, visitors";
  switch (role) {
    case "primary":
      return `This is the primary domain. ${visitors} see the site here, and other domains can redirect to it.`;
    case "served":
      return `${visitors} see the site at this address.`;
    case "redirect":
      return `${visitors} are redirected to ${primary ?? "the primary domain"} with status 301. Until that is active, they see the site here.`;
  }
};

const ROLES: Record<Domain["role"], string> = {
  primary: "Primary domain",
  served: "Shows the site",
  redirect: "Redirects to the primary domain",
};

/** The same in a few words, for lists; "" while the domain shows nothing. */
export const roleLabel = ({ role, stage }: Pick<Domain, "role" | "stage">): string =>
  role === "served" && stage !== "live" ? "" : ROLES[role];

export const FIELDS: FormWords = {
  hostname: {
    missing: "Enter a domain, such as docs.example.org.",
    otherwise: "Enter a domain: letters, digits and hyphens, with dots between them.",
    rules: {
      ip_address: "This is an IP address. Enter a domain name.",
      wildcard: "A * is allowed only at the start, as in *.example.org.",
      wildcard_unsupported:
        "Wildcards require DNS challenges, which the operator sets up. Add each name separately.",
      underscore: "A domain can't have an underscore.",
      too_long: "This domain is too long: at most 63 characters between dots, and 253 in all.",
      single_label: "A domain needs a dot, such as docs.example.org.",
      public_suffix: "Nobody can own this: it is a public suffix. Enter a domain under it.",
      own_name: "This is one of the server's own names, or above one. Choose another.",
      special_use: "This name is reserved for special use. Choose another.",
    },
  },
  pair: { otherwise: "The other name can't be added. Clear the box to add only this one." },
};

/** The steps to move a site that is live elsewhere, by the type of the record that proves ownership. */
export const MOVE: Readonly<Record<string, readonly string[]>> = {
  CNAME: [
    "Create the record below, and choose Verify. Your site is not affected yet.",
    "Wait until the domain has its certificate and is ready to move.",
    "Change the other records. Visitors will not notice. Keep this record: renewals use it.",
  ],
  TXT: [
    "Create the record below. Let the old host proxy /.well-known/acme-challenge/ to this server; a redirect is not enough.",
    "Choose Verify. Your site is not affected yet.",
    "Wait until the domain has its certificate and is ready to move.",
    "Change the other records. Visitors will not notice.",
  ],
};

export const ACTIONS = { create: "Create", change: "Change", delete: "Delete" } as const;
