import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../lib/time.ts";

/** Somebody who signed in at the console. Sessions live in memory alone: no API key is written down for them. */
export interface Session {
  /** Of the API key that was signed in with; what the key may do and how long it lives is looked up with every request. */
  readonly secret: string;
  /** The key's id. */
  readonly owner: number;
  /** Sent back with every change, as proof that the console's own page asks for it. */
  readonly csrfToken: string;
  /** Milliseconds UTC. */
  readonly openedAt: number;
  usedAt: number;
}

export interface Sessions {
  /** @returns the token for the cookie, and the session */
  open(secret: string, owner: number): { token: string; session: Session };
  /** Undefined once it has ended. `isPresence`: somebody is there, so that it goes on. */
  find(token: string, isPresence: boolean): Session | undefined;
  close(token: string): void;
}

export interface SessionOptions {
  clock: Clock;
  random: (bytes: number) => Uint8Array;
  /** Milliseconds without a sign of somebody. */
  idleMs?: number;
  /** Milliseconds from signing in. */
  longestMs?: number;
  /** Beyond so many, of all keys or of one, the one that was used least recently ends. */
  most?: number;
  mostOfOne?: number;
}

const MINUTE_MS = 60_000;
export const LONGEST_MS = 12 * 60 * MINUTE_MS;
/** 256 bits each, for the cookie and against forgery. */
const TOKEN_BYTES = 32;

/** A look-up by the hash takes the same time whatever of a token was guessed. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64");

export const createSessions = ({
  clock,
  random,
  idleMs = 60 * MINUTE_MS,
  longestMs = LONGEST_MS,
  most = 1000,
  mostOfOne = 20,
}: SessionOptions): Sessions => {
  /** In the order of their last use. */
  const open = new Map<string, Session>();
  const endOldest = (ofThese: (session: Session) => boolean, allowed: number) => {
    const theirs = [...open].filter(([, session]) => ofThese(session));
    for (const [hash] of theirs.slice(0, Math.max(0, theirs.length - allowed))) open.delete(hash);
  };
  const newToken = () => Buffer.from(random(TOKEN_BYTES)).toString("base64url");
  return {
    open(secret, owner) {
      const now = clock.now();
      const token = newToken();
      const session = { secret, csrfToken: newToken(), owner, openedAt: now, usedAt: now };
      open.set(hashOf(token), session);
      // One key cannot sign out those of others.
      endOldest((other) => other.owner === owner, mostOfOne);
      endOldest(() => true, most);
      return { token, session };
    },
    find(token, isPresence) {
      const hash = hashOf(token);
      const session = open.get(hash);
      if (!session) return undefined;
      const now = clock.now();
      open.delete(hash);
      if (now - session.usedAt >= idleMs || now - session.openedAt >= longestMs) return undefined;
      if (isPresence) session.usedAt = now;
      open.set(hash, session);
      return session;
    },
    close: (token) => void open.delete(hashOf(token)),
  };
};

/** Whether a request carries the session's token, compared in constant time. */
export const carriesToken = ({ csrfToken }: Session, sent: string | null): boolean => {
  const [expected, given] = [Buffer.from(csrfToken), Buffer.from(sent ?? "")];
  return expected.length === given.length && timingSafeEqual(expected, given);
};
