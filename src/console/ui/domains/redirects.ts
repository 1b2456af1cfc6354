import type { components } from "../../../client/types/platform.d.ts";
import type { Config, Domain } from "./model.ts";

type NewConfig = components["schemas"]["NewDomainsConfig"];

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

type Role = Pick<Domain, "role" | "stage">;

/** What visitors of a domain see, in a sentence. */
export const roleDescription = ({ role, stage }: Role, primary: string | undefined): string => {
  const once = stage === "live" ? "Visitors" : "Once the domain is live, visitors";
  switch (role) {
    case "primary":
      return `This is the primary domain. ${once} see the site here, and other domains can redirect to it.`;
    case "served":
      return `${once} see the site at this address.`;
    case "redirect":
      return `${once} are redirected to ${primary ?? "the primary domain"} with status 301. Until that is live, they see the site here.`;
  }
};

const ROLES: Record<Domain["role"], string> = {
  primary: "primary domain",
  served: "shows the site",
  redirect: "redirects to the primary domain",
};

/** The same in a few words, for lists; undefined while the domain shows nothing. */
export const roleLabel = ({ role, stage }: Role): string =>
  role === "served" && stage !== "live" ? "" : ROLES[role];

/** The address of a live domain; undefined while nothing is served there. */
export const addressOf = ({
  hostname,
  stage,
  certificate,
}: Pick<Domain, "hostname" | "stage" | "certificate">): string | undefined =>
  stage === "live" ? `${certificate?.status === "in_use" ? "https" : "http"}://${hostname}/` : undefined;
