import { readCookie } from "./cookie.ts";
import { carriesToken, type Session, type Sessions } from "./sessions.ts";

/** Below it the console calls the API: `/console/api/v1/pets` is `/v1/pets`. */
export const API_PATH = "/console/api";

/** A request that the console makes by itself, such as looking again: nobody need be there. */
const UNATTENDED = "x-unattended";

const IN_API = /^http:\/\/[^/]*\/console\/api(\/(?:v1|platform)\/.*)$/;
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Who a request of the console is from. */
export type Visitor =
  | { kind: "signed_in"; session: Session; token: string }
  | { kind: "stranger" }
  /** Another site's page may have sent it with somebody's cookie: it says so, or does not know the session's CSRF token. */
  | { kind: "forged" };

export interface Gateway {
  visitorOf(request: Request): Visitor;
  /**
   * The API's request that one of the console stands for: its session's key takes the place of the cookie. One that nobody is
   * signed in for, or that another site may have sent, stays what it is, and is refused by the console's routes.
   */
  forward(request: Request): Request;
}

/** Other sites' pages, and those of neighbouring hosts that we publish ourselves, say so (Fetch Metadata). */
const isOfThisOrigin = (headers: Headers): boolean => {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin";
};

export const createGateway = ({
  sessions,
  isSecure,
}: {
  sessions: Sessions;
  /** Whether the client came over HTTPS. */
  isSecure: (request: Request) => boolean;
}): Gateway => {
  const visitorOf = (request: Request): Visitor => {
    const { headers, method } = request;
    const token = readCookie(headers, isSecure(request));
    if (token === undefined) return { kind: "stranger" };
    if (!isOfThisOrigin(headers)) return { kind: "forged" };
    const session = sessions.find(token, !headers.has(UNATTENDED));
    if (!session) return { kind: "stranger" };
    const isProven = SAFE.has(method) || carriesToken(session, headers.get("x-csrf-token"));
    return isProven ? { kind: "signed_in", session, token } : { kind: "forged" };
  };
  return {
    visitorOf,
    forward(request) {
      const path = request.url.includes(API_PATH) ? IN_API.exec(request.url)?.[1] : undefined;
      if (path === undefined) return request;
      const visitor = visitorOf(request);
      if (visitor.kind !== "signed_in") return request;
      const { url, headers } = request;
      headers.set("authorization", `Bearer ${visitor.session.secret}`);
      // A new Request with this one's body would not hold back its sender.
      const value = `${url.slice(0, url.indexOf(API_PATH))}${path}`;
      return Object.defineProperty(request, "url", { value, configurable: true });
    },
  };
};
