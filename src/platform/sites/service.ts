import type { Context } from "../../data/context.ts";
import { isChallengeAddress } from "../deploys/site-root.ts";
import { retryOutOfFiles } from "../../lib/files.ts";
import type { SiteRequest } from "./file-responder.ts";
import type { Published, PublishedNames, PublishedRedirect } from "./repository.ts";
import { REVALIDATE, textResponse, unservedPage } from "./responses.ts";
import type { SiteCache } from "./site-cache.ts";

/** A project by its slug, or a custom domain. */
type Name = { kind: "project"; slug: string } | { kind: "custom"; hostname: string };

interface NamedRequest extends SiteRequest {
  /** `http:` or `https:`. */
  scheme: string;
  /** With its colon; "" for the scheme's default port. */
  port: string;
}

/** An hour: browsers may cache a 301 for as long as they like, and domains can be removed. */
const PERMANENT = "public, max-age=3600";

/** Redirects to the primary domain, for every method. All names share a port, so the request's port stays. */
const redirectToPrimary = (
  { to, permanent }: PublishedRedirect,
  { port, path, query }: NamedRequest,
  scheme: string,
): Response =>
  new Response(null, {
    status: permanent ? 301 : 302,
    headers: {
      location: `${scheme}//${to}${port}${path}${query}`,
      "cache-control": permanent ? PERMANENT : "no-store",
      "x-content-type-options": "nosniff",
    },
  });

/** Search engines leave previews out, and caches check them each time: the deploy may have been removed. */
const asPreview = async (made: Response | Promise<Response>): Promise<Response> => {
  const response = await made;
  response.headers.set("x-robots-tag", "noindex");
  response.headers.set("cache-control", REVALIDATE);
  response.headers.delete("cdn-cache-control");
  return response;
};

export const siteService = (
  { config }: Pick<Context, "config">,
  { names, sites }: { names: PublishedNames; sites: SiteCache },
) => {
  /** The scheme that visitors use: `https:` behind a proxy that terminates TLS. */
  const scheme = new URL(config.baseUrl ?? "http://localhost").protocol;

  const find = (name: Name): Published | undefined =>
    name.kind === "project" ? names.bySlug(name.slug) : names.byHostname(name.hostname);

  const respondTo = (published: Published, request: NamedRequest): Response | Promise<Response> => {
    // Not redirected either: a CA would follow it to a domain that the project's owner controls.
    if (isChallengeAddress(request.path)) return textResponse(404, "No challenge is pending here.\n");
    if (published.kind === "unserved") return unservedPage(published);
    if (published.kind === "redirect")
      return redirectToPrimary(published, request, request.scheme === "https:" ? "https:" : scheme);
    return retryOutOfFiles<Response>(() => {
      const site = sites.open(published);
      return site instanceof Promise ? site.then((opened) => opened.respond(request)) : site.respond(request);
    });
  };

  return {
    /** The response to a request under a name; undefined if nothing is published there. */
    respond(name: Name, request: NamedRequest): Response | Promise<Response> | undefined {
      const published = find(name);
      if (published === undefined) return undefined;
      const response = respondTo(published, request);
      return published.kind === "site" && published.isPreview ? asPreview(response) : response;
    },
  };
};

export type SiteService = ReturnType<typeof siteService>;
