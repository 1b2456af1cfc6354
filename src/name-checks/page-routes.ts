import { Elysia, t } from "elysia";
import { readBodyWithin } from "../http/body-limit.ts";
import type { WithoutIdleTimeout } from "../lib/idle-timeout.ts";
import type { Macros } from "../http/macros.ts";
import { plainPolicy } from "../http/html-page.ts";
import { isSameOrigin } from "../http/headers.ts";
import { Fault, statusOf } from "../lib/errors.ts";
import { once } from "../lib/lazy.ts";
import { type Rate, rateLimiter } from "../lib/rate-limiter.ts";
import { CHECK_PATH, CHECK_STYLE, type CheckPage, checkPage } from "./page.ts";
import { fromNameCheck } from "./model.ts";
import type { NameCheckService } from "./service.ts";

/** For one client, because each check queries name servers of others. */
export const CLIENT_RATE: Rate = { requests: 10, seconds: 60 };
const MAX_BODY_BYTES = 4096;
const MAX_SHOWN = 1000;
const FORM = "application/x-www-form-urlencoded";

interface CheckPageOptions {
  nameChecks: NameCheckService;
  /** The client that a check counts against. */
  clientOf(request: Request): string;
  withoutIdleTimeout: WithoutIdleTimeout;
  macros: Macros;
}

const policy = once(() => plainPolicy(CHECK_STYLE, "'self'"));

const respond = (page: CheckPage, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(checkPage(page), {
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(),
      "cache-control": "no-store",
      "x-robots-tag": "noindex, nofollow",
    },
  });

type Typed = Pick<CheckPage, "hostname" | "target">;

/** @throws Fault unsupported_media_type, payload_too_large, request_timeout, invalid_request */
const readForm = async (request: Request): Promise<Typed> => {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  if (type.trim() !== FORM)
    throw new Fault("unsupported_media_type", "The request body must be the page's form.", { accept: FORM });
  const fields = new URLSearchParams(Buffer.from(await readBodyWithin(request, MAX_BODY_BYTES)).toString());
  const field = (name: string) => (fields.get(name) ?? "").trim();
  return { hostname: field("hostname"), target: field("target") };
};

/** @throws Fault cross_site_request: a page of another site could make its visitors ask */
const assertOwnForm = ({ headers }: Request) => {
  if (!isSameOrigin(headers))
    throw new Fault(
      "cross_site_request",
      "Only the form of this page can start a check: choose Check again.",
    );
};

/** The public page for a check, without a key. A GET never asks the DNS, so that links and crawlers cannot. */
export const checkPageRoutes = (options: CheckPageOptions) => {
  const { nameChecks, clientOf, withoutIdleTimeout, macros } = options;
  const clients = rateLimiter("domain-check", "checks");

  const check = async (request: Request, typed: Typed): Promise<Response> => {
    const { hostname, target } = typed;
    const wanted = { hostname, target: target === "" ? undefined : target };
    const result = await withoutIdleTimeout(request, () => nameChecks.check(wanted, clientOf(request)));
    return respond({ ...typed, result: fromNameCheck(result) });
  };

  const submit = async (request: Request): Promise<Response> => {
    let typed: Typed = { hostname: "", target: "" };
    try {
      assertOwnForm(request);
      await clients.take(clientOf(request), CLIENT_RATE);
      typed = await readForm(request);
      return await check(request, typed);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return respond({ ...typed, problem: error.message }, statusOf(error.code), error.headers);
    }
  };

  return new Elysia({ name: "domain-check-page", normalize: false })
    .use(macros)
    .get(
      CHECK_PATH,
      ({ query: { hostname = "", target = "" } }) =>
        respond({ hostname: hostname.slice(0, MAX_SHOWN), target: target.slice(0, MAX_SHOWN) }),
      { public: true, query: t.Record(t.String(), t.String()), detail: { hide: true } },
    )
    .post(CHECK_PATH, ({ request }) => submit(request), {
      public: true,
      // The body is read by `submit`, within its limit.
      parse: () => null,
      detail: { hide: true },
    });
};
