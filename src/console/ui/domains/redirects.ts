import type { Config, Domain, NewConfig } from "./model.ts";

/**
 * The configuration in which a domain redirects to the primary domain with 301, or shows the site. Undefined if there is no
 * primary domain, or the domain itself is the primary one.
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
