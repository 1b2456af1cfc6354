import { Elysia, t } from "elysia";
import { Fault } from "../lib/errors.ts";
import { CHALLENGE, type Caller } from "../http/authorization.ts";
import type { RequestHeaders } from "../http/etag.ts";
import { NoQuery } from "../http/schemas.ts";
import type { Macros } from "../http/macros.ts";
import { PAGE_POLICY } from "../http/page-policy.ts";
import type { Rate } from "../lib/rate-limiter.ts";
import { formatTime } from "../lib/time.ts";
import { clearCookie, readCookie, writeCookie } from "./cookie.ts";
import { API_PATH, type Gateway } from "./gateway.ts";
import type { Sessions } from "./sessions.ts";

const stateOf = (
  csrfToken: string,
  { id, name, scopes, expiresAt, rate }: Caller,
  formatRate: (rate: Rate) => string,
) => ({
  signedIn: true,
  csrfToken,
  key: {
    id,
    name,
    scopes: [...scopes],
    ...(expiresAt !== undefined && { expiresAt: formatTime(expiresAt) }),
    ...(rate && { rateLimit: formatRate(rate) }),
  },
});

const SIGNED_OUT = { signedIn: false };

const respond = (status: number, state: object | undefined, headers: Record<string, string> = {}): Response =>
  new Response(state && JSON.stringify(state), {
    status,
    headers: {
      ...(state && { "content-type": "application/json" }),
      "cache-control": "no-store",
      ...headers,
    },
  });

const assetResponse = async (path: string, headers: RequestHeaders): Promise<Response> => {
  // Imported on first use, so that it does not slow down the start.
  const { SCRIPT, STYLE } = await import("./assets.ts");
  const asset = [SCRIPT, STYLE].find((one) => one.path === path);
  if (!asset) throw new Fault("not_found");
  return asset.respond(headers);
};

const pageResponse = async (): Promise<Response> => {
  const { PAGE } = await import("./page.ts");
  return new Response(PAGE, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": PAGE_POLICY,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    },
  });
};

/** The console's page and files, its sessions, and refusals of API calls that the gateway did not forward. */
export const consoleRoutes = ({
  sessions,
  gateway,
  isSecure,
  authenticate,
  formatRate,
  macros,
}: {
  sessions: Sessions;
  gateway: Pick<Gateway, "visitorOf">;
  /** True if the request came over HTTPS. */
  isSecure: (request: Request) => boolean;
  authenticate(secret: string): Promise<Caller | undefined>;
  formatRate(rate: Rate): string;
  macros: Macros;
}) => {
  const page = { public: true, query: t.Record(t.String(), t.String()), detail: { hide: true } } as const;
  const hidden = { public: true, query: NoQuery, detail: { hide: true } } as const;
  // Routed for GET by itself too, because `.get("/console/*")` takes precedence over every route of `.all`.
  const refuse = ({ request }: { request: Request }) => {
    const { kind } = gateway.visitorOf(request);
    if (kind === "signed_out") throw new Fault("not_signed_in", undefined, { "www-authenticate": CHALLENGE });
    throw new Fault(kind === "forged" ? "cross_site_request" : "not_found");
  };
  return new Elysia({ name: "console", normalize: false })
    .use(macros)
    .get("/console", pageResponse, page)
    .get("/console/*", pageResponse, page)
    .get(
      "/console/assets/:hash/:name",
      ({ params: { hash, name }, headers }) => assetResponse(`/console/assets/${hash}/${name}`, headers),
      hidden,
    )
    .get(
      "/console/session",
      async ({ request }) => {
        const visitor = gateway.visitorOf(request);
        const session = visitor.kind === "signed_in" ? visitor.session : undefined;
        const key = session && (await authenticate(session.secret));
        return respond(200, session && key ? stateOf(session.csrfToken, key, formatRate) : SIGNED_OUT);
      },
      hidden,
    )
    .post(
      "/console/session",
      ({ request, bearer, caller }) => {
        const previousToken = readCookie(request.headers, isSecure(request));
        if (previousToken !== undefined) sessions.close(previousToken);
        const { token, session } = sessions.open(bearer ?? "", caller.id);
        return respond(201, stateOf(session.csrfToken, caller, formatRate), {
          "set-cookie": writeCookie(token, isSecure(request)),
        });
      },
      { scope: "any", query: NoQuery, detail: { hide: true } },
    )
    .delete(
      "/console/session",
      ({ request }) => {
        const visitor = gateway.visitorOf(request);
        if (visitor.kind === "forged") throw new Fault("cross_site_request");
        if (visitor.kind === "signed_in") sessions.close(visitor.token);
        return respond(204, undefined, { "set-cookie": clearCookie(isSecure(request)) });
      },
      hidden,
    )
    .get(`${API_PATH}/*`, refuse, { public: true, detail: { hide: true } })
    .all(`${API_PATH}/*`, refuse, { public: true, detail: { hide: true } });
};
