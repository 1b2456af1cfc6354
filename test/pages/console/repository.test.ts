import { expect, test } from "bun:test";
import { browserStateRepository } from "../../../src/pages/console/repository.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { sessionIdOf } from "../../../src/lib/random.ts";
import { openOwnDatabase } from "../../support/database.ts";
import { atEnd } from "../../support/store.ts";

const NOW = 1_700_000_000_000;
const ACT = { actor: OPERATOR, now: NOW };

/** A session whose hash begins with this letter, last used now. */
const session = (letter: string, holder: string) => ({
  hash: letter.repeat(64),
  kind: "session" as const,
  holder,
  sealed: "sealed",
  device: `browser ${letter}`,
  openedAt: NOW,
  usedAt: NOW,
  until: NOW + 1000,
});

const openStates = async () => {
  const database = await openOwnDatabase();
  atEnd(() => database.close());
  const states = browserStateRepository(database);
  const add = (letter: string, holder: string, max = 10) =>
    states.add(session(letter, holder), { max, maxPerHolder: max }, { act: ACT, method: "link" });
  const letters = async (holder: string) =>
    (await states.sessionsOf(holder, NOW, 1000)).map(({ hash }) => hash.charAt(0)).toSorted();
  return { states, add, letters };
};

test("of sessions that were used at the same time, a new one stays, and otherwise those with the first hashes", async () => {
  const { add, letters } = await openStates();
  for (const letter of ["a", "c", "b"]) await add(letter, "key:7", 3);
  await add("d", "key:7", 3);
  expect(await letters("key:7")).toEqual(["a", "b", "d"]);
});

test("all sessions of a holder but one end, and those of other holders stay", async () => {
  const { states, add, letters } = await openStates();
  for (const letter of ["a", "b", "c"]) await add(letter, "key:7");
  await add("d", "person:9");
  const exceptId = sessionIdOf(session("b", "key:7").hash);
  expect(await states.endSessions({ holder: "key:7", exceptId }, ACT)).toBe(2);
  expect([await letters("key:7"), await letters("person:9")]).toEqual([["b"], ["d"]]);
});
