import { Elysia } from "elysia";
import type { SignIn } from "../../access/people/person.ts";
import { Fault } from "../../lib/errors.ts";
import { readCeremony, writeCeremony } from "./cookies.ts";
import { type RouteContext, hiddenPage } from "./route-context.ts";

/** The address to which the provider sends people back. */
const CALLBACK_PATH = "/console/auth/oidc/callback";

/** Why a sign-in failed. The page has a text for each reason: `/console?sign-in=unknown_person`. */
type SignInProblem =
  /** The provider did not respond, or not as it should. */
  | "unavailable"
  /** The person said no at the provider, or it refused them. */
  | "denied"
  /** The visit took too long, or began in another browser. */
  | "expired"
  /** The provider does not say that it has verified the person's email address. */
  | "email_not_verified"
  /** No person with this account or address has been added. */
  | "unknown_person"
  /** Too many attempts. */
  | "rate_limited";

const redirect = (location: string, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store", ...headers } });

const problemAt = (problem: SignInProblem) => redirect(`/console?sign-in=${problem}`);

/** Accepts only addresses of the console that fit into a cookie. */
export const returnToOf = (text: string | undefined): string =>
  text !== undefined && /^\/console(?:[/?][\w\-./?=&%~+,:]{0,2000})?$/.test(text) && !text.includes("//")
    ? text
    : "/console";

/** False for a page of another site. A link in an email or a bookmark has no site. */
const isOwnNavigation = (headers: Headers): boolean =>
  ["same-origin", "none", null].includes(headers.get("sec-fetch-site"));

/** The visitor sees a page of the console, not JSON. */
const shown = async (work: () => Promise<Response>): Promise<Response> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.code === "rate_limited") return problemAt("rate_limited");
    if (error instanceof Fault && error.code === "not_signed_in") return problemAt("unknown_person");
    throw error;
  }
};

/**
 * Signing in with an account at an OpenID Connect provider: the authorization code flow, in two redirects.
 * @param open opens a session. @returns its headers
 */
export const oidcRoutes = (
  { oidc, ceremonies, isSecure, partyOf, attempt, fail, macros }: RouteContext,
  open: (request: Request, signIn: SignIn) => Promise<Record<string, string>>,
) => {
  const begin = async (request: Request, returnTo: string): Promise<Response> => {
    if (!oidc) throw new Fault("not_found");
    if (!isOwnNavigation(request.headers)) throw new Fault("cross_site_request");
    await attempt(request);
    const begun = await oidc.begin(`${partyOf(request).origin}${CALLBACK_PATH}`).catch(() => undefined);
    if (!begun) return problemAt("unavailable");
    const { url, state: challenge, nonce, verifier } = begun;
    const sealed = await ceremonies.seal({ kind: "oidc", challenge, nonce, verifier, returnTo });
    return redirect(url, { "set-cookie": writeCeremony("oidc", sealed, isSecure(request)) });
  };

  const finish = async (request: Request, state: string): Promise<Response> => {
    if (!oidc) throw new Fault("not_found");
    const ceremony = await ceremonies.open("oidc", readCeremony("oidc", request.headers, isSecure(request)));
    if (ceremony?.challenge !== state) {
      await fail(request);
      return problemAt("expired");
    }
    const returned = new URL(`${partyOf(request).origin}${CALLBACK_PATH}${new URL(request.url).search}`);
    const result = await oidc.finish(returned, { ...ceremony, state });
    if ("problem" in result) {
      await fail(request);
      return problemAt(result.problem);
    }
    if (!(await ceremonies.spend(ceremony))) return problemAt("expired");
    return redirect(ceremony.returnTo, await open(request, { id: result.personId, passkeyId: undefined }));
  };

  return new Elysia({ name: "console-oidc", normalize: false })
    .use(macros)
    .get(
      "/console/auth/oidc",
      ({ request, query: { to } }) => shown(() => begin(request, returnToOf(to))),
      hiddenPage,
    )
    .get(
      CALLBACK_PATH,
      ({ request, query: { state = "" } }) => shown(() => finish(request, state)),
      hiddenPage,
    );
};
