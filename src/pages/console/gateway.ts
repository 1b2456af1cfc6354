import { type Caller, isSameOrigin } from "../../http/authorization.ts";
import { Fault } from "../../lib/errors.ts";
import { readCookie } from "./cookies.ts";
import { type KeylessHolder, type Session, type Sessions, carriesToken } from "./sessions.ts";

/** The console calls the API under this path: `/console/api/v1/pets` is `/v1/pets`. */
export const API_PATH = "/console/api";

/** Marks a request that the page makes without a user, such as polling: it does not keep the session alive. */
const UNATTENDED = "x-unattended";

const IN_API = /^http:\/\/[^/]*\/console\/api(\/(?:v1|platform)\/.*)$/;
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** The sender of a request to the console. */
type Visitor =
  | { kind: "signed_in"; session: Session; token: string }
  | { kind: "signed_out" }
  /** A page of another site may have sent it with a user's cookie: its headers show that, or it lacks the session's CSRF token. */
  | { kind: "forged" };

/**
 * @param fresh waits for the writes of other processes: a session may have been opened or closed there
 * @param isSecure true if the request came over HTTPS
 * @param callerOf the caller for whom a request of a person or the operator is forwarded
 */
export const createGateway = (
  sessions: Sessions,
  fresh: () => Promise<void>,
  isSecure: (request: Request) => boolean,
  callerOf: (holder: KeylessHolder) => Promise<Caller | undefined>,
) => {
  const visitorOf = async (request: Request): Promise<Visitor> => {
    const { headers, method } = request;
    const token = readCookie(headers, isSecure(request));
    if (token === undefined) return { kind: "signed_out" };
    if (!isSameOrigin(headers)) return { kind: "forged" };
    // The engine of a cluster may be unreachable. The API then refuses the request.
    await fresh().catch(() => {});
    const session = headers.has(UNATTENDED) ? sessions.find(token) : await sessions.use(token);
    if (!session) return { kind: "signed_out" };
    const isProven = SAFE.has(method) || carriesToken(session, headers.get("x-csrf-token"));
    return isProven ? { kind: "signed_in", session, token } : { kind: "forged" };
  };
  /** The session of a request of the console's page; undefined without one. @throws Fault cross_site_request */
  const signedIn = async (request: Request) => {
    const visitor = await visitorOf(request);
    if (visitor.kind === "forged") throw new Fault("cross_site_request");
    return visitor.kind === "signed_in" ? visitor : undefined;
  };
  /** The sessions that requests were forwarded for, by their tokens. */
  const tokens = new WeakMap<Request, string>();

  /** The requests that are forwarded for people and the operator. The API looks them up here, so a request cannot claim to be one. */
  const people = new WeakMap<Request, KeylessHolder>();

  const forwardTo = async (path: string, request: Request): Promise<Request> => {
    const visitor = await visitorOf(request);
    if (visitor.kind !== "signed_in") return request;
    const { url, headers } = request;
    const { holder } = visitor.session;
    tokens.set(request, visitor.token);
    if (holder.kind === "key") headers.set("authorization", `Bearer ${holder.secret}`);
    else {
      headers.delete("authorization");
      people.set(request, holder);
    }
    // A new Request with this body would lose the backpressure on the client.
    const value = `${url.slice(0, url.indexOf(API_PATH))}${path}`;
    return Object.defineProperty(request, "url", { value, configurable: true });
  };

  return {
    visitorOf,
    signedIn,
    /** True once the session has ended for which a request was forwarded, such as that of an open stream. */
    hasEnded(request: Request): boolean {
      const token = tokens.get(request);
      return token !== undefined && sessions.find(token) === undefined;
    },
    /** The person or operator for whom a request is forwarded; undefined for every other request. */
    callerOf(request: Request): Promise<Caller | undefined> | undefined {
      const holder = people.get(request);
      return holder && callerOf(holder);
    },
    /**
     * Wraps the API's handler: a call of the console reaches it as a request of the API, with the session's key instead of the
     * cookie, or as one of `people`. A request that is signed out or may be forged is unchanged, and the console's routes refuse it.
     */
    respond: (api: (request: Request) => Response | Promise<Response>) => (request: Request) => {
      const path = request.url.includes(API_PATH) ? IN_API.exec(request.url)?.[1] : undefined;
      return path === undefined ? api(request) : forwardTo(path, request).then(api);
    },
  };
};

export type Gateway = ReturnType<typeof createGateway>;
