import { Elysia, t } from "elysia";
import { notSignedIn } from "../http/authorization.ts";
import type { Macros } from "../http/macros.ts";
import { NoQuery } from "../http/schemas.ts";
import type { Actor } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import { formatTime } from "../lib/time.ts";
import type { Gateway } from "./gateway.ts";
import { respond } from "./respond.ts";
import type { Holder, ListedSession, Session, Sessions } from "./sessions.ts";

interface SessionRouteOptions {
  sessions: Sessions;
  gateway: Pick<Gateway, "visitorOf">;
  /** The user of a session; undefined once the key or the person may no longer sign in. */
  callerOf(holder: Holder): Promise<Actor | undefined>;
  macros: Macros;
}

const sessionState = ({ id, device, openedAt, usedAt, isCurrent }: ListedSession) => ({
  id,
  device,
  openedAt: openedAt === undefined ? undefined : formatTime(openedAt),
  lastUsedAt: formatTime(usedAt),
  isCurrent,
});

const options = { public: true, query: NoQuery, detail: { hide: true } } as const;

/** The sessions of the user who is signed in, under `/console/auth/sessions`. */
export const sessionRoutes = ({ sessions, gateway, callerOf, macros }: SessionRouteOptions) => {
  /** @throws Fault not_signed_in, cross_site_request */
  const userOf = async (request: Request): Promise<{ session: Session; token: string; actor: Actor }> => {
    const visitor = await gateway.visitorOf(request);
    if (visitor.kind === "forged") throw new Fault("cross_site_request");
    const actor = visitor.kind === "signed_in" ? await callerOf(visitor.session.holder) : undefined;
    if (visitor.kind !== "signed_in" || !actor) throw notSignedIn();
    return { session: visitor.session, token: visitor.token, actor };
  };
  return new Elysia({ name: "console-sessions", normalize: false })
    .use(macros)
    .get(
      "/console/auth/sessions",
      async ({ request }) => {
        const { session, token } = await userOf(request);
        return respond(200, (await sessions.list(session, token)).map(sessionState));
      },
      options,
    )
    .delete(
      "/console/auth/sessions",
      async ({ request }) => {
        // Not an empty id of one session.
        if (new URL(request.url).pathname.endsWith("/")) throw new Fault("not_found");
        const { session, token, actor } = await userOf(request);
        await sessions.endOthers(session, token, actor);
        return respond(204, undefined);
      },
      options,
    )
    .delete(
      "/console/auth/sessions/:sessionId",
      async ({ request, params: { sessionId } }) => {
        const { session, actor } = await userOf(request);
        if (!(await sessions.end(session, sessionId, actor)))
          throw new Fault("not_found", "You have no session with this id. It may have ended.");
        return respond(204, undefined);
      },
      { ...options, params: t.Object({ sessionId: t.String() }) },
    );
};
