import { timingSafeEqual } from "node:crypto";
import type { Actor } from "../../lib/actor.ts";
import { type RandomBytes, randomToken, sessionIdOf } from "../../lib/random.ts";
import type { Clock } from "../../lib/time.ts";
import type { SignIn } from "../../access/people/person.ts";
import type { BrowserStates, SessionChoice } from "./repository.ts";
import { hashOf, keyFrom, seal, unseal } from "./seal.ts";

/** The user of a session. Their scopes and validity are looked up with every request. */
export type Holder =
  | { readonly kind: "key"; readonly id: number; readonly secret: string }
  | ({ readonly kind: "person" } & SignIn)
  /** By a sign-in link. */
  | { readonly kind: "operator"; readonly id: 0 };

/** A user without a secret for the API: the gateway marks their requests. */
export type KeylessHolder = Exclude<Holder, { kind: "key" }>;

/** A signed-in user of the console. */
export interface Session {
  readonly holder: Holder;
  /** Proves that the console's own page sent a request that changes something. */
  readonly csrfToken: string;
}

/** Tokens of a User-Agent in order of precedence: Edge and Opera also send Chrome, and Chrome sends Safari. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?(?:iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//, "Safari"],
];

/** Android and ChromeOS also send Linux, and iPhone and iPad send Mac OS X. */
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

const MAX_USER_AGENT = 500;

/** Describes a User-Agent with the names above only, such as "Firefox on Windows". */
export const deviceOf = (userAgent: string | null): string => {
  const text = (userAgent ?? "").slice(0, MAX_USER_AGENT);
  const nameIn = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(text))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return system === undefined ? "Unknown device" : `Unknown browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
};

const ownerOf = ({ kind, id }: Holder): string => `${kind}:${id}`;

/** The sign-in method of a user, for the audit log. */
const methodOf = (holder: Holder): string => {
  if (holder.kind === "key") return "key";
  if (holder.kind === "operator") return "link";
  return holder.passkeyId === undefined ? "account" : "passkey";
};

const idOf = (token: string): string => sessionIdOf(hashOf(token));

const csrfTokenOf = (token: string): string => keyFrom(token, "csrf").toString("base64url");

const MINUTE_MS = 60_000;
/** A session ends after this time without use. */
export const IDLE_MS = 60 * MINUTE_MS;
/** A session ends this long after sign-in. */
export const MAX_AGE_MS = 12 * 60 * MINUTE_MS;

/** A session counts as used once a minute, so that requests write little. */
const TOUCH_MS = MINUTE_MS;

/** Beyond these, the least recently used session ends. */
const MAX_SESSIONS = 1000;
const MAX_PER_HOLDER = 20;

/**
 * Keeps sessions in the database, so that each process of a store finds them and a restart does not end them. A session's
 * content is encrypted with the token in its cookie: the database and its backups reveal no API key.
 */
export const createSessions = (
  states: BrowserStates,
  { clock, randomBytes }: { clock: Clock; randomBytes: RandomBytes },
  maxSessions = MAX_SESSIONS,
) => {
  /** The session of a token, and when it was last used; undefined if it has ended. */
  const findOpen = (token: string): { session: Session; usedAt: number } | undefined => {
    const state = states.find("session", hashOf(token));
    const now = clock.now();
    if (!state || now - state.usedAt >= IDLE_MS || now >= state.until) return undefined;
    const holder = unseal(token, state.sealed) as Holder | undefined;
    return holder && { session: { holder, csrfToken: csrfTokenOf(token) }, usedAt: state.usedAt };
  };
  /** Ends sessions of a holder. The audit log gets an entry for each. */
  const end = (holder: Holder, choice: Omit<SessionChoice, "holder">, actor: Actor) =>
    states.endSessions({ holder: ownerOf(holder), ...choice }, { actor, now: clock.now() });

  return {
    /** Ends a session of the holder. False if the holder has no session with this id. */
    end: async ({ holder }: Session, id: string, actor: Actor) => (await end(holder, { id }, actor)) > 0,
    /** Ends all sessions of the holder except that of the token. */
    endOthers: ({ holder }: Session, token: string, actor: Actor) =>
      end(holder, { exceptId: idOf(token) }, actor),
    /** Ends the session of a token. */
    close: ({ holder }: Session, token: string, actor: Actor) => end(holder, { id: idOf(token) }, actor),
    /** @returns the token for the cookie, and the session */
    async open(holder: Holder, { actor, device }: { actor: Actor; device: string }) {
      const now = clock.now();
      const token = randomToken(randomBytes);
      const state = {
        hash: hashOf(token),
        kind: "session",
        holder: ownerOf(holder),
        sealed: seal(token, holder),
        device,
        openedAt: now,
        usedAt: now,
        until: now + MAX_AGE_MS,
      } as const;
      // One key cannot sign out the users of others.
      const limits = { max: maxSessions, maxPerHolder: MAX_PER_HOLDER };
      await states.add(state, limits, { act: { actor, now }, method: methodOf(holder) });
      return { token, session: { holder, csrfToken: csrfTokenOf(token) } satisfies Session };
    },
    /** The session of a token; undefined if it has ended. */
    find: (token: string): Session | undefined => findOpen(token)?.session,
    /** The same for a request of an active user: the session counts as used. */
    async use(token: string): Promise<Session | undefined> {
      const found = findOpen(token);
      const now = clock.now();
      if (found && now - found.usedAt >= TOUCH_MS)
        // A session that cannot be stored as used ends early, at worst.
        await states.touch("session", hashOf(token), now).catch(() => {});
      return found?.session;
    },
    /** The sessions of the holder, most recently used first. @param token of the session that requested the list */
    async list({ holder }: Session, token: string) {
      const rows = await states.sessionsOf(ownerOf(holder), clock.now(), IDLE_MS);
      return rows.map(({ hash, device, openedAt, usedAt }) => ({
        id: sessionIdOf(hash),
        device,
        openedAt,
        usedAt,
        /** True for the session that requested the list. */
        isCurrent: hash === hashOf(token),
      }));
    },
  };
};

export type Sessions = ReturnType<typeof createSessions>;

/** True if a request carries the session's CSRF token, compared in constant time. */
export const carriesToken = ({ csrfToken }: Session, sent: string | null): boolean => {
  const [expected, actual] = [Buffer.from(csrfToken), Buffer.from(sent ?? "")];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};
