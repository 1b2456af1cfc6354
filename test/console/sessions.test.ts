import { describe, expect, test } from "bun:test";
import { type Session, carriesToken, createSessions } from "../../src/console/sessions.ts";
import { browserStateRepository } from "../../src/console/repository.ts";
import { createCeremonies } from "../../src/console/ceremonies.ts";
import { openStore, temporaryDirectory, testClock } from "../support/store.ts";

const MINUTE = 60_000;
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

const openSessions = async (options: { maxSessions?: number } = {}) => {
  const { database, clock } = await openStore();
  const states = browserStateRepository(database);
  return {
    clock,
    database,
    states,
    sessions: createSessions({ states, clock, randomBytes: random, ...options }),
  };
};

const secretOf = (session: Session | undefined) =>
  session?.holder.kind === "key" ? session.holder.secret : undefined;

describe("a session", () => {
  test("is found by its token, and by no other", async () => {
    const { sessions } = await openSessions();
    const { token, session } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    expect(await sessions.use(token)).toEqual(session);
    expect(await sessions.use(`${token}x`)).toBeUndefined();
    expect(await sessions.use("")).toBeUndefined();
  });

  test("ends after an hour without use", async () => {
    const { clock, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    clock.advance(59 * MINUTE);
    expect(await sessions.use(token)).toBeDefined();
    clock.advance(59 * MINUTE);
    expect(await sessions.use(token)).toBeDefined();
    clock.advance(60 * MINUTE);
    expect(await sessions.use(token)).toBeUndefined();
  });

  test("is not kept alive by requests that the page makes by itself", async () => {
    const { clock, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    clock.advance(40 * MINUTE);
    expect(sessions.find(token)).toBeDefined();
    clock.advance(20 * MINUTE);
    expect(sessions.find(token)).toBeUndefined();
  });

  test("ends twelve hours after signing in, however much it is used", async () => {
    const { clock, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    for (let half = 1; half < 24; half++) {
      clock.advance(30 * MINUTE);
      expect(await sessions.use(token)).toBeDefined();
    }
    clock.advance(30 * MINUTE);
    expect(await sessions.use(token)).toBeUndefined();
  });

  test("is not found once it is closed", async () => {
    const { sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    await sessions.close(token);
    expect(await sessions.use(token)).toBeUndefined();
  });

  test("ends above the limit if it was used least recently", async () => {
    const { sessions, clock } = await openSessions({ maxSessions: 2 });
    const first = (await sessions.open({ kind: "key", secret: "aas_1", id: 1 })).token;
    const second = (await sessions.open({ kind: "key", secret: "aas_2", id: 2 })).token;
    clock.advance(MINUTE);
    await sessions.use(first);
    const third = (await sessions.open({ kind: "key", secret: "aas_3", id: 3 })).token;
    expect([first, second, third].map((token) => secretOf(sessions.find(token)))).toEqual([
      "aas_1",
      undefined,
      "aas_3",
    ]);
  });

  test("is not ended by sign-ins with another key", async () => {
    const { sessions } = await openSessions();
    const mine = (await sessions.open({ kind: "key", secret: "aas_mine", id: 1 })).token;
    const opened = Array.from({ length: 1100 }, () =>
      sessions.open({ kind: "key", secret: "aas_theirs", id: 2 }),
    );
    const theirs = (await Promise.all(opened)).map(({ token }) => token);
    expect(secretOf(await sessions.use(mine))).toBe("aas_mine");
    expect(theirs.filter((token) => sessions.find(token))).toHaveLength(20);
  });

  test("accepts its own CSRF token only", async () => {
    const { sessions } = await openSessions();
    const { session } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    expect(carriesToken(session, session.csrfToken)).toBe(true);
    for (const sent of [
      null,
      "",
      "x",
      `${session.csrfToken}x`,
      (await sessions.open({ kind: "key", secret: "aas_2", id: 2 })).session.csrfToken,
    ])
      expect(carriesToken(session, sent)).toBe(false);
  });

  test("is written when it opens, and then once a minute at most", async () => {
    const { clock, database, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    const before = database.version();
    for (let second = 0; second < 59; second++) {
      clock.advance(1000);
      await sessions.use(token);
    }
    expect(database.version()).toBe(before);
    clock.advance(1000);
    await sessions.use(token);
    expect(database.version()).toBe(before + 1);
  });

  test("leaves neither its token nor the secret of its key in the database, and opens with its own token only", async () => {
    const { database, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 });
    const other = (await sessions.open({ kind: "person", id: 2, passkeyId: 3 })).token;
    const rows = JSON.stringify(database.client.query("select * from browser_states").all());
    for (const secret of [token, "aas_secret", token.slice(0, 20)]) expect(rows).not.toContain(secret);
    database.client.run(
      "update browser_states set sealed = (select sealed from browser_states where holder = 'key:1')",
    );
    expect(secretOf(sessions.find(token))).toBe("aas_secret");
    expect(sessions.find(other)).toBeUndefined();
  });

  test("that has ended is removed from the database, and no other is", async () => {
    const { clock, database, states, sessions } = await openSessions();
    const unused = await sessions.open({ kind: "key", secret: "aas_1", id: 1 });
    clock.advance(30 * MINUTE);
    const used = await sessions.open({ kind: "key", secret: "aas_2", id: 2 });
    expect(await states.sweep(clock.now(), 60 * MINUTE)).toBe(false);
    clock.advance(30 * MINUTE);
    expect(sessions.find(unused.token)).toBeUndefined();
    expect(await states.sweep(clock.now(), 60 * MINUTE)).toBe(true);
    expect(await states.sweep(clock.now(), 60 * MINUTE)).toBe(false);
    expect(database.client.query("select holder from browser_states").all()).toEqual([{ holder: "key:2" }]);
    expect(sessions.find(used.token)).toBeDefined();
  });
});

/** Two processes of a store. */
const openTwo = async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const clock = testClock();
  const statesOf = async () => browserStateRepository((await openStore({ path, clock })).database);
  const states = [await statesOf(), await statesOf()] as const;
  return { clock, states, options: { clock, randomBytes: random } };
};

test("a session that one process opens is used and closed in another", async () => {
  const { states, options } = await openTwo();
  const [one, other] = [
    createSessions({ states: states[0], ...options }),
    createSessions({ states: states[1], ...options }),
  ];
  const { token, session } = await one.open({ kind: "person", id: 1, passkeyId: undefined });
  expect(await other.use(token)).toMatchObject({ csrfToken: session.csrfToken, holder: { id: 1 } });
  await other.close(token);
  expect(one.find(token)).toBeUndefined();
});

describe("a ceremony", () => {
  const CHALLENGE = { kind: "authentication", challenge: "c" } as const;

  test("that one process begins ends in another, and once, however many try", async () => {
    const { states, options } = await openTwo();
    const [one, other] = [
      createCeremonies({ states: states[0], ...options }),
      createCeremonies({ states: states[1], ...options }),
    ];
    const id = await one.begin(CHALLENGE, "visitor");
    const taken = await Promise.all(
      [one, other, other].map((process) => process.take("authentication", id, "visitor")),
    );
    expect(taken.filter((ceremony) => ceremony !== undefined)).toEqual([CHALLENGE]);
  });

  test("is for the browser in which it began, of its kind, and for minutes", async () => {
    const { clock, states, options } = await openTwo();
    const ceremonies = createCeremonies({ states: states[0], ...options });
    const id = await ceremonies.begin(CHALLENGE, "visitor");
    expect(await ceremonies.take("authentication", id, undefined)).toBeUndefined();
    expect(await ceremonies.take("authentication", id, "another")).toBeUndefined();
    expect(await ceremonies.take("authentication", id, "visitor")).toEqual(CHALLENGE);
    const other = await ceremonies.begin(CHALLENGE, "visitor");
    expect(await ceremonies.take("registration", other, "visitor")).toBeUndefined();
    const late = await ceremonies.begin(CHALLENGE, "visitor");
    clock.advance(5 * MINUTE);
    expect(await ceremonies.take("authentication", late, "visitor")).toBeUndefined();
  });

  test("that began first ends beyond the limit", async () => {
    const { clock, states, options } = await openTwo();
    const ceremonies = createCeremonies({ states: states[0], ...options, maxPending: 2 });
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) {
      ids.push(await ceremonies.begin(CHALLENGE, "visitor"));
      clock.advance(1);
    }
    const taken = [];
    for (const id of ids) taken.push(await ceremonies.take("authentication", id, "visitor"));
    expect(taken).toEqual([undefined, CHALLENGE, CHALLENGE]);
  });
});
