import { Database as Client } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { type Session, carriesToken, createSessions } from "../../../src/pages/console/sessions.ts";
import { browserStateRepository } from "../../../src/pages/console/repository.ts";
import { type Ceremonies, createCeremonies } from "../../../src/pages/console/cookies.ts";
import { endSessions } from "../../../src/data/db/backup-contents.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { randomToken } from "../../../src/lib/random.ts";
import { openStore, temporaryDirectory, testClock } from "../../support/store.ts";

const MINUTE = 60_000;
const AS = { actor: { kind: "key", id: 1, name: "front desk" }, device: "Firefox on Windows" } as const;
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

const openSessions = async (maxSessions?: number) => {
  const { database, clock } = await openStore();
  const states = browserStateRepository(database);
  return {
    clock,
    database,
    states,
    sessions: createSessions(states, { clock, randomBytes: random }, maxSessions),
  };
};

const secretOf = (session: Session | undefined) =>
  session?.holder.kind === "key" ? session.holder.secret : undefined;

describe("a session", () => {
  test("is found by its token, and by no other", async () => {
    const { sessions } = await openSessions();
    const { token, session } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
    expect(await sessions.use(token)).toEqual(session);
    expect(await sessions.use(`${token}x`)).toBeUndefined();
    expect(await sessions.use("")).toBeUndefined();
  });

  test("ends after an hour without use", async () => {
    const { clock, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
    clock.advance(59 * MINUTE);
    expect(await sessions.use(token)).toBeDefined();
    clock.advance(59 * MINUTE);
    expect(await sessions.use(token)).toBeDefined();
    clock.advance(60 * MINUTE);
    expect(await sessions.use(token)).toBeUndefined();
  });

  test("is not kept alive by requests that the page makes by itself", async () => {
    const { clock, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
    clock.advance(40 * MINUTE);
    expect(sessions.find(token)).toBeDefined();
    clock.advance(20 * MINUTE);
    expect(sessions.find(token)).toBeUndefined();
  });

  test("ends twelve hours after signing in, regardless of its use", async () => {
    const { clock, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
    for (let half = 1; half < 24; half++) {
      clock.advance(30 * MINUTE);
      expect(await sessions.use(token)).toBeDefined();
    }
    clock.advance(30 * MINUTE);
    expect(await sessions.use(token)).toBeUndefined();
  });

  test("is not found once it is closed", async () => {
    const { sessions } = await openSessions();
    const { token, session } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
    await sessions.close(session, token, AS.actor);
    expect(await sessions.use(token)).toBeUndefined();
  });

  test("ends above the limit if it was used least recently", async () => {
    const { sessions, clock, database } = await openSessions(2);
    const first = (await sessions.open({ kind: "key", secret: "aas_1", id: 1 }, AS)).token;
    const second = (await sessions.open({ kind: "key", secret: "aas_2", id: 2 }, AS)).token;
    clock.advance(MINUTE);
    await sessions.use(first);
    const third = (await sessions.open({ kind: "key", secret: "aas_3", id: 3 }, AS)).token;
    expect([first, second, third].map((token) => secretOf(sessions.find(token)))).toEqual([
      "aas_1",
      undefined,
      "aas_3",
    ]);
    const closed = "SELECT actor_id AS by FROM audit_entries WHERE action = 'session.closed'";
    expect(database.client.query(closed).all()).toEqual([{ by: 1 }]);
  });

  test("is not ended by sign-ins with another key", async () => {
    const { sessions } = await openSessions();
    const mine = (await sessions.open({ kind: "key", secret: "aas_mine", id: 1 }, AS)).token;
    const opened = Array.from({ length: 1100 }, () =>
      sessions.open({ kind: "key", secret: "aas_theirs", id: 2 }, AS),
    );
    const theirs = (await Promise.all(opened)).map(({ token }) => token);
    expect(secretOf(await sessions.use(mine))).toBe("aas_mine");
    expect(theirs.filter((token) => sessions.find(token))).toHaveLength(20);
  });

  test("accepts its own CSRF token only", async () => {
    const { sessions } = await openSessions();
    const { session } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
    expect(carriesToken(session, session.csrfToken)).toBe(true);
    for (const sent of [
      null,
      "",
      "x",
      `${session.csrfToken}x`,
      (await sessions.open({ kind: "key", secret: "aas_2", id: 2 }, AS)).session.csrfToken,
    ])
      expect(carriesToken(session, sent)).toBe(false);
  });

  test("is written when it opens, and then once a minute at most", async () => {
    const { clock, database, sessions } = await openSessions();
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
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
    const { token } = await sessions.open({ kind: "key", secret: "aas_secret", id: 1 }, AS);
    const other = (await sessions.open({ kind: "person", id: 2, passkeyId: 3 }, AS)).token;
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
    const unused = await sessions.open({ kind: "key", secret: "aas_1", id: 1 }, AS);
    clock.advance(30 * MINUTE);
    const used = await sessions.open({ kind: "key", secret: "aas_2", id: 2 }, AS);
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
  const openProcess = async () => {
    const { database } = await openStore({ path, clock });
    const states = browserStateRepository(database);
    return {
      database,
      states,
      sessions: createSessions(states, { clock, randomBytes: random }),
      ceremonies: createCeremonies(states, clock, () => states.sealingKey(() => randomToken(random))),
    };
  };
  return { clock, processes: [await openProcess(), await openProcess()] as const };
};

test("a session that one process opens is used and closed in another", async () => {
  const { processes } = await openTwo();
  const [one, other] = [processes[0].sessions, processes[1].sessions];
  const { token, session } = await one.open({ kind: "person", id: 1, passkeyId: undefined }, AS);
  expect(await other.use(token)).toMatchObject({ csrfToken: session.csrfToken, holder: { id: 1 } });
  await other.close(session, token, AS.actor);
  expect(one.find(token)).toBeUndefined();
});

test("the upgrade keeps sessions, and removes sign-ins in progress", () => {
  using client = new Client(":memory:");
  migrate(
    client,
    migrations.slice(
      0,
      migrations.findIndex(({ tag }) => tag === "0022_sealed_ceremonies"),
    ),
  );
  client.run(
    "insert into browser_states values ('a', 'session', 'key:1', 'sealed', 3, 4), ('b', 'ceremony', null, 'x', 1, 2)",
  );
  migrate(client, migrations);
  expect(client.query("select * from browser_states").values()).toEqual([
    ["a", "session", "key:1", "sealed", 3, 4, null, null],
  ]);
});

describe("a ceremony", () => {
  const SIGN_IN = { kind: "authentication", challenge: "c" } as const;

  test("that one process begins can be completed in another, and only once even if several try", async () => {
    const { processes } = await openTwo();
    const [one, other] = processes.map(({ ceremonies }) => ceremonies) as [Ceremonies, Ceremonies];
    const sealed = await one.seal(SIGN_IN);
    const opened = await Promise.all(
      [one, other, other].map((ceremonies) => ceremonies.open("authentication", sealed)),
    );
    expect(opened).toEqual(
      [SIGN_IN, SIGN_IN, SIGN_IN].map((ceremony) => expect.objectContaining(ceremony)) as never,
    );
    const spent = await Promise.all([
      one.spend(opened[0]!),
      other.spend(opened[1]!),
      other.spend(opened[2]!),
    ]);
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await one.spend({ ...opened[0]!, challenge: "d" })).toBe(true);
  });

  test("opens only as its own kind, unchanged, and within five minutes", async () => {
    const { clock, processes } = await openTwo();
    const { ceremonies } = processes[0];
    const sealed = await ceremonies.seal(SIGN_IN);
    const other = sealed.startsWith("A") ? "B" : "A";
    expect(await ceremonies.open("authentication", undefined)).toBeUndefined();
    expect(await ceremonies.open("registration", sealed)).toBeUndefined();
    expect(await ceremonies.open("authentication", other + sealed.slice(1))).toBeUndefined();
    clock.advance(5 * MINUTE - 1);
    expect(await ceremonies.open("authentication", sealed)).toMatchObject(SIGN_IN);
    clock.advance(1);
    expect(await ceremonies.open("authentication", sealed)).toBeUndefined();
  });

  test.each(["c", "cc", "ccc"])(
    "with the challenge %s opens only with the exact text of its cookie",
    async (challenge) => {
      const { ceremonies } = (await openTwo()).processes[0];
      const sealed = await ceremonies.seal({ kind: "authentication", challenge });
      const others = [...BASE64URL]
        .map((last) => sealed.slice(0, -1) + last)
        .filter((text) => text !== sealed);
      expect(others).toHaveLength(63);
      for (const other of [...others, `${sealed}=`, `${sealed}.`])
        expect([other, await ceremonies.open("authentication", other)]).toEqual([other, undefined]);
      expect(await ceremonies.open("authentication", sealed)).toBeDefined();
    },
  );

  test("is sealed with a key of this store, which a restore replaces", async () => {
    const { processes } = await openTwo();
    const other = (await openTwo()).processes[0];
    const sealed = await processes[0].ceremonies.seal(SIGN_IN);
    expect(await other.ceremonies.open("authentication", sealed)).toBeUndefined();
    endSessions(processes[0].database.client);
    expect(await processes[0].ceremonies.open("authentication", sealed)).toBeUndefined();
  });

  test("is stored as used until it expires, and no longer", async () => {
    const { clock, processes } = await openTwo();
    const { ceremonies, states, database } = processes[0];
    const sealed = await ceremonies.seal(SIGN_IN);
    await ceremonies.spend((await ceremonies.open("authentication", sealed))!);
    expect(await ceremonies.open("authentication", sealed)).toBeUndefined();
    const rows = () => database.client.query("select kind from browser_states").all();
    clock.advance(5 * MINUTE - 1);
    await states.sweep(clock.now(), 60 * MINUTE);
    expect(rows()).toEqual([{ kind: "used_challenge" }]);
    clock.advance(1);
    await states.sweep(clock.now(), 60 * MINUTE);
    expect(rows()).toEqual([]);
  });
});
