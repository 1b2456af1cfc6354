import { describe, expect, test } from "bun:test";
import { type Session, carriesToken, createSessions } from "../../src/console/sessions.ts";
import { testClock } from "../support/store.ts";

const MINUTE = 60_000;
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

const openSessions = (options: { maxSessions?: number } = {}) => {
  const clock = testClock();
  return { clock, sessions: createSessions({ clock, randomBytes: random, ...options }) };
};

const secretOf = (session: Session | undefined) =>
  session?.holder.kind === "key" ? session.holder.secret : undefined;

describe("a session", () => {
  test("is found by its token, and by no other", () => {
    const { sessions } = openSessions();
    const { token, session } = sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    expect(sessions.find(token, true)).toBe(session);
    expect(sessions.find(`${token}x`, true)).toBeUndefined();
    expect(sessions.find("", true)).toBeUndefined();
  });

  test("ends after an hour without use", () => {
    const { clock, sessions } = openSessions();
    const { token } = sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    clock.advance(59 * MINUTE);
    expect(sessions.find(token, true)).toBeDefined();
    clock.advance(59 * MINUTE);
    expect(sessions.find(token, true)).toBeDefined();
    clock.advance(60 * MINUTE);
    expect(sessions.find(token, true)).toBeUndefined();
  });

  test("is not kept alive by requests that the page makes by itself", () => {
    const { clock, sessions } = openSessions();
    const { token } = sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    clock.advance(40 * MINUTE);
    expect(sessions.find(token, false)).toBeDefined();
    clock.advance(20 * MINUTE);
    expect(sessions.find(token, false)).toBeUndefined();
  });

  test("ends twelve hours after signing in, however much it is used", () => {
    const { clock, sessions } = openSessions();
    const { token } = sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    for (let half = 1; half < 24; half++) {
      clock.advance(30 * MINUTE);
      expect(sessions.find(token, true)).toBeDefined();
    }
    clock.advance(30 * MINUTE);
    expect(sessions.find(token, true)).toBeUndefined();
  });

  test("is not found once it is closed", () => {
    const { sessions } = openSessions();
    const { token } = sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    sessions.close(token);
    expect(sessions.find(token, true)).toBeUndefined();
  });

  test("ends above the limit if it was used least recently", () => {
    const { sessions } = openSessions({ maxSessions: 2 });
    const first = sessions.open({ kind: "key", secret: "aas_1", id: 1 }).token;
    const second = sessions.open({ kind: "key", secret: "aas_2", id: 2 }).token;
    sessions.find(first, true);
    const third = sessions.open({ kind: "key", secret: "aas_3", id: 3 }).token;
    expect([first, second, third].map((token) => secretOf(sessions.find(token, true)))).toEqual([
      "aas_1",
      undefined,
      "aas_3",
    ]);
  });

  test("is not ended by sign-ins with another key", () => {
    const { sessions } = openSessions();
    const mine = sessions.open({ kind: "key", secret: "aas_mine", id: 1 }).token;
    const theirs = Array.from(
      { length: 2000 },
      () => sessions.open({ kind: "key", secret: "aas_theirs", id: 2 }).token,
    );
    expect(secretOf(sessions.find(mine, true))).toBe("aas_mine");
    expect(theirs.filter((token) => sessions.find(token, false))).toHaveLength(20);
  });

  test("accepts its own CSRF token only", () => {
    const { sessions } = openSessions();
    const { session } = sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    expect(carriesToken(session, session.csrfToken)).toBe(true);
    for (const sent of [
      null,
      "",
      "x",
      `${session.csrfToken}x`,
      sessions.open({ kind: "key", secret: "aas_2", id: 2 }).session.csrfToken,
    ])
      expect(carriesToken(session, sent)).toBe(false);
  });
});
