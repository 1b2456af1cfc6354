import { createHash, timingSafeEqual } from "node:crypto";
import { type RandomBytes, randomToken } from "../lib/random.ts";
import type { Clock } from "../lib/time.ts";
import type { SignIn } from "../people/person.ts";

/** Who is signed in: what they may do, and whether they still may, is looked up with every request. */
export type Holder =
  | { readonly kind: "key"; readonly id: number; readonly secret: string }
  | ({ readonly kind: "person" } & SignIn);

export type PersonHolder = Extract<Holder, { kind: "person" }>;

/** A user who is signed in at the console. */
export interface Session {
  readonly holder: Holder;
  /** Proves that the console's own page sent a request that changes something. */
  readonly csrfToken: string;
  /** Milliseconds UTC. */
  readonly openedAt: number;
  usedAt: number;
}

export interface SessionOptions {
  clock: Clock;
  randomBytes: RandomBytes;
  /** A session ends after this time without use. */
  idleMs?: number;
  /** A session ends this long after sign-in. */
  maxAgeMs?: number;
  /** Beyond these, the least recently used session ends. */
  maxSessions?: number;
  maxPerHolder?: number;
}

const MINUTE_MS = 60_000;
export const IDLE_MS = 60 * MINUTE_MS;
export const MAX_AGE_MS = 12 * 60 * MINUTE_MS;

/** Tokens are looked up by hash, so that the time of a look-up reveals nothing about them. */
export const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64");

/** Keeps sessions in memory only, so that no API key is stored for them. They end when the server stops. */
export const createSessions = ({
  clock,
  randomBytes,
  idleMs = IDLE_MS,
  maxAgeMs = MAX_AGE_MS,
  maxSessions = 1000,
  maxPerHolder = 20,
}: SessionOptions) => {
  /** By hash of the token, in the order of their last use. */
  const open = new Map<string, Session>();
  const endOldest = (isMember: (session: Session) => boolean, max: number) => {
    const members = [...open].filter(([, session]) => isMember(session));
    for (const [hash] of members.slice(0, Math.max(0, members.length - max))) open.delete(hash);
  };
  return {
    /** @returns the token for the cookie, and the session */
    open(holder: Holder): { token: string; session: Session } {
      const now = clock.now();
      const token = randomToken(randomBytes);
      const session = { holder, csrfToken: randomToken(randomBytes), openedAt: now, usedAt: now };
      open.set(hashOf(token), session);
      // One key cannot sign out the users of others.
      endOldest(({ holder: other }) => other.kind === holder.kind && other.id === holder.id, maxPerHolder);
      endOldest(() => true, maxSessions);
      return { token, session };
    },
    /**
     * The session of a token; undefined if it has ended.
     * @param isAttended a user is present: the session counts as used
     */
    find(token: string, isAttended: boolean): Session | undefined {
      const hash = hashOf(token);
      const session = open.get(hash);
      if (!session) return undefined;
      const now = clock.now();
      open.delete(hash);
      if (now - session.usedAt >= idleMs || now - session.openedAt >= maxAgeMs) return undefined;
      if (isAttended) session.usedAt = now;
      open.set(hash, session);
      return session;
    },
    close: (token: string) => void open.delete(hashOf(token)),
  };
};

export type Sessions = ReturnType<typeof createSessions>;

/** True if a request carries the session's CSRF token, compared in constant time. */
export const carriesToken = ({ csrfToken }: Session, sent: string | null): boolean => {
  const [expected, actual] = [Buffer.from(csrfToken), Buffer.from(sent ?? "")];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};
