import { isChallengeAddress } from "../deploys/challenge-directory.ts";
import { retryOutOfFiles } from "../lib/open-files.ts";
import { textResponse } from "./responses.ts";
import type { DeployedSites } from "./site-cache.ts";
import { redirectTo } from "./redirect.ts";
import type { Published, PublishedNames } from "./repository.ts";
import type { SiteRequest } from "./site.ts";

/** A project by its slug, or a custom domain. */
export type Name = { kind: "project"; slug: string } | { kind: "custom"; hostname: string };

export interface SiteService {
  /** What a name answers; undefined if nothing is published under it. */
  answer(
    name: Name,
    request: SiteRequest & { scheme: string; port: string },
  ): Response | Promise<Response> | undefined;
}

export const siteService = ({
  names,
  sites,
  scheme = "http:",
}: {
  names: PublishedNames;
  sites: DeployedSites;
  /** As visitors come: `https:` behind a proxy that speaks it. */
  scheme?: string;
}): SiteService => {
  const find = (name: Name): Published | undefined =>
    name.kind === "project" ? names.bySlug(name.slug) : names.byHostname(name.hostname);

  return {
    answer(name, request) {
      const published = find(name);
      if (published === undefined) return undefined;
      // No redirect either: a CA would follow it to a domain that the project's owner controls.
      if (isChallengeAddress(request.path)) return textResponse(404, "No challenge is pending here.\n");
      if (published.kind === "redirect")
        return redirectTo(published, request, request.scheme === "https:" ? "https:" : scheme);
      return retryOutOfFiles<Response>(() => {
        const site = sites.open(published);
        return site instanceof Promise ? site.then((opened) => opened.answer(request)) : site.answer(request);
      });
    },
  };
};
