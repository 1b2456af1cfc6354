import type { components } from "../api/platform.d.ts";
import type { Config, Domain } from "./model.ts";

type NewConfig = components["schemas"]["NewDomainsConfig"];

/**
 * The configuration in which a domain sends its visitors to the primary one with 301, or shows them the site; undefined if
 * it cannot, for there is no primary domain or it is that itself.
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

/** What the visitors of a domain get, in a sentence. */
export const roleDescription = ({ role, stage }: Role, primary: string | undefined): string => {
  const once = stage === "live" ? "Visitors" : "Once the domain is live, visitors";
  switch (role) {
    case "primary":
      return `This is the primary domain. ${once} get the site here, and other addresses can lead to it.`;
    case "served":
      return `${once} get the site under this address.`;
    case "redirect":
      return `${once} are sent to ${primary ?? "the primary domain"} with 301; until that is live, they get the site here.`;
  }
};

const ROLES: Record<Domain["role"], string> = {
  primary: "primary domain",
  served: "shows the site",
  redirect: "redirects to the primary domain",
};

/** The same in a few words, for lists; none of a domain that shows nothing yet. */
export const roleLabel = ({ role, stage }: Role): string =>
  role === "served" && stage !== "live" ? "" : ROLES[role];

/** Where a live domain is visited; undefined while nothing is served there. */
export const addressOf = ({
  hostname,
  stage,
  certificate,
}: Pick<Domain, "hostname" | "stage" | "certificate">): string | undefined =>
  stage === "live" ? `${certificate?.status === "in_use" ? "https" : "http"}://${hostname}/` : undefined;
