import { Elysia, t } from "elysia";
import type { SignIn, SignedInPerson } from "../../access/people/person.ts";
import { type Caller, notSignedIn } from "../../http/authorization.ts";
import type { RequestHeaders } from "../../http/etag.ts";
import { PAGE_POLICY } from "../../http/html-page.ts";
import { NoQuery } from "../../http/schemas.ts";
import { Fault } from "../../lib/errors.ts";
import type { Rate } from "../../lib/rate-limiter.ts";
import { formatTime } from "../../lib/time.ts";
import { clearCookie, readCookie, writeCookie } from "./cookies.ts";
import { API_PATH } from "./gateway.ts";
import { oidcRoutes } from "./oidc-routes.ts";
import { passkeyRoutes } from "./passkey-routes.ts";
import {
  type RouteContext,
  TOKEN,
  assertOwnPage,
  hidden,
  hiddenPage,
  hiddenPost,
  respond,
} from "./route-context.ts";
import { type Holder, type Session, deviceOf } from "./sessions.ts";

export type { ConsoleParts } from "./route-context.ts";

const assetResponse = async (path: string, headers: RequestHeaders): Promise<Response> => {
  // Imported on first use, so that it does not slow down the start.
  const { SCRIPT, STYLE } = await import("./assets.ts");
  const asset = [SCRIPT, STYLE].find((one) => one.path === path);
  if (!asset) throw new Fault("not_found");
  return asset.respond(headers);
};

const pageResponse = async (): Promise<Response> => {
  const { PAGE } = await import("./assets.ts");
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

const userState = (caller: Caller | SignedInPerson, formatRate: (rate: Rate) => string) => {
  const { id, name } = caller;
  const scopes = [...caller.scopes];
  if ("role" in caller) {
    const { email, role } = caller;
    return { person: { id, name, email, role, scopes } };
  }
  if (caller.kind === "operator") return { operator: { scopes } };
  const { expiresAt, rate } = caller;
  return {
    key: {
      id,
      name,
      scopes,
      ...(expiresAt !== undefined && { expiresAt: formatTime(expiresAt) }),
      ...(rate && { rateLimit: formatRate(rate) }),
    },
  };
};

/** Opens and closes sessions, and finds their users. */
const sessionOpener = ({
  sessions,
  isSecure,
  authenticate,
  people,
  signInLinks,
  storeId,
  formatRate,
}: RouteContext) => {
  const callerOf = async (holder: Holder): Promise<Caller | SignedInPerson | undefined> => {
    if (holder.kind === "operator") return signInLinks.caller();
    return holder.kind === "key" ? authenticate(holder.secret) : people.signedIn(holder);
  };
  /** The state of a session for the console's page. Its user is `key`, `person` or `operator`. */
  const stateOf = ({ csrfToken }: Session, caller: Caller | SignedInPerson) => ({
    signedIn: true,
    csrfToken,
    storeId,
    ...userState(caller, formatRate),
  });
  /** Ends the session of a token, if there is one. */
  const close = async (token: string | undefined) => {
    const session = token === undefined ? undefined : sessions.find(token);
    if (token === undefined || !session) return;
    const { kind, id } = session.holder;
    const caller = await callerOf(session.holder);
    await sessions.close(session, token, caller ?? { kind, id, name: "" });
  };
  return {
    callerOf,
    stateOf,
    close,
    /** Ends the browser's previous session. @returns the new one's cookie, and its state */
    async open(request: Request, holder: Holder, caller: Caller | SignedInPerson) {
      await close(readCookie(request.headers, isSecure(request)));
      const device = deviceOf(request.headers.get("user-agent"));
      const { token, session } = await sessions.open(holder, { actor: caller, device });
      const headers = { "set-cookie": writeCookie(token, isSecure(request)) };
      return { headers, state: stateOf(session, caller) };
    },
    async openForPerson(request: Request, signIn: SignIn) {
      const person = await people.signedIn(signIn);
      // Removed in the meantime.
      if (!person) throw notSignedIn();
      return this.open(request, { kind: "person", ...signIn }, person);
    },
  };
};

const timeOf = (time: number | null): string | undefined => (time === null ? undefined : formatTime(time));

/** The sessions of the signed-in user, under `/console/auth/sessions`. */
const sessionRoutes = (
  { sessions, gateway, macros }: RouteContext,
  { callerOf }: ReturnType<typeof sessionOpener>,
) => {
  /** @throws Fault not_signed_in, cross_site_request */
  const userOf = async (request: Request) => {
    const visitor = await gateway.signedIn(request);
    const actor = visitor && (await callerOf(visitor.session.holder));
    if (!actor) throw notSignedIn();
    return { ...visitor, actor };
  };
  return new Elysia({ name: "console-sessions", normalize: false })
    .use(macros)
    .get(
      "/console/auth/sessions",
      async ({ request }) => {
        const { session, token } = await userOf(request);
        const own = await sessions.list(session, token);
        return respond(
          200,
          // Sessions of earlier versions have no device and no beginning.
          own.map(({ id, device, openedAt, usedAt, isCurrent }) => ({
            id,
            device: device ?? undefined,
            openedAt: timeOf(openedAt),
            lastUsedAt: timeOf(usedAt),
            isCurrent,
          })),
        );
      },
      hidden,
    )
    .delete(
      "/console/auth/sessions",
      async ({ request }) => {
        // Not an empty id of one session.
        if (new URL(request.url).pathname.endsWith("/")) throw new Fault("not_found");
        const { session, token, actor } = await userOf(request);
        await sessions.endOthers(session, token, actor);
        return respond(204);
      },
      hidden,
    )
    .delete(
      "/console/auth/sessions/:sessionId",
      async ({ request, params: { sessionId } }) => {
        const { session, actor } = await userOf(request);
        if (!(await sessions.end(session, sessionId, actor)))
          throw new Fault("not_found", "You have no session with this id. It may have ended.");
        return respond(204);
      },
      { ...hidden, params: t.Object({ sessionId: t.String() }) },
    );
};

const INVALID_LINK =
  "The link was used or replaced, has expired, or the store has an administrator. While it has none, adoption-store people invite --first prints a new link.";

/** Signs the operator in with a link. */
const linkRoutes = (
  { signInLinks, attempt, fail, macros }: RouteContext,
  opener: ReturnType<typeof sessionOpener>,
) =>
  new Elysia({ name: "console-link", normalize: false }).use(macros).post(
    "/console/auth/link",
    async ({ request, body: { token } }) => {
      assertOwnPage(request);
      await attempt(request);
      const caller = (await signInLinks.use(token)) ? await signInLinks.caller() : undefined;
      if (!caller) {
        await fail(request);
        throw new Fault("invalid_invitation", INVALID_LINK);
      }
      const { state, headers } = await opener.open(request, { kind: "operator", id: 0 }, caller);
      return respond(201, state, headers);
    },
    hiddenPost({ token: TOKEN }),
  );

/** The console's page and files, its sessions, and refusals of API calls that the gateway did not forward. */
export const consoleRoutes = (context: RouteContext) => {
  const { gateway, isSecure, oidc, macros } = context;
  const opener = sessionOpener(context);
  // Routed for GET by itself too, because `.get("/console/*")` takes precedence over every route of `.all`.
  const refuse = async ({ request }: { request: Request }) => {
    const { kind } = await gateway.visitorOf(request);
    if (kind === "signed_out") throw notSignedIn();
    throw new Fault(kind === "forged" ? "cross_site_request" : "not_found");
  };
  /** The facts that the page needs to offer ways to sign in. */
  const signedOut = { signedIn: false, ...(oidc && { oidc: { label: oidc.label } }) };
  return new Elysia({ name: "console", normalize: false })
    .use(macros)
    .get("/console", pageResponse, hiddenPage)
    .get("/console/*", pageResponse, hiddenPage)
    .get(
      "/console/assets/:hash/:name",
      ({ params: { hash, name }, headers }) => assetResponse(`/console/assets/${hash}/${name}`, headers),
      hidden,
    )
    .get(
      "/console/session",
      async ({ request }) => {
        const visitor = await gateway.visitorOf(request);
        const session = visitor.kind === "signed_in" ? visitor.session : undefined;
        const caller = session && (await opener.callerOf(session.holder));
        return respond(200, session && caller ? opener.stateOf(session, caller) : signedOut);
      },
      hidden,
    )
    .post(
      "/console/session",
      async ({ request, bearer, caller }) => {
        const { state, headers } = await opener.open(
          request,
          { kind: "key", id: caller.id, secret: bearer ?? "" },
          caller,
        );
        return respond(201, state, headers);
      },
      { scope: "any", query: NoQuery, detail: { hide: true } },
    )
    .delete(
      "/console/session",
      async ({ request }) => {
        await opener.close((await gateway.signedIn(request))?.token);
        return respond(204, undefined, { "set-cookie": clearCookie(isSecure(request)) });
      },
      hidden,
    )
    .use(sessionRoutes(context, opener))
    .use(linkRoutes(context, opener))
    .use(
      passkeyRoutes(context, async (request, signIn) => {
        const { state, headers } = await opener.openForPerson(request, signIn);
        return respond(201, state, headers);
      }),
    )
    .use(
      oidcRoutes(context, async (request, signIn) => (await opener.openForPerson(request, signIn)).headers),
    )
    .get(`${API_PATH}/*`, refuse, { public: true, detail: { hide: true } })
    .all(`${API_PATH}/*`, refuse, { public: true, detail: { hide: true } });
};
