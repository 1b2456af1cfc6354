import type { Config } from "../config/config.ts";
import type { RelyingParty } from "../people/person.ts";

/**
 * The site that a request is for: BASE_URL, or the request's own host, which the dispatcher has accepted as one of the API's.
 * A browser says in `Origin` which of the two it means. The scheme is never a client's word.
 */
export const consoleSite =
  ({ baseUrl }: Pick<Config, "baseUrl">, isSecure: (request: Request) => boolean) =>
  (request: Request): RelyingParty => {
    const { protocol, host } = new URL(request.url);
    const own = new URL(`${isSecure(request) ? "https:" : protocol}//${host}`);
    const configured = new URL(baseUrl ?? own);
    const site = request.headers.get("origin") === own.origin ? own : configured;
    return { origin: site.origin, id: site.hostname };
  };
