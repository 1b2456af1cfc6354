import { expect } from "bun:test";
import { type Server, directory, launch, real, serve } from "./support.ts";

const test = real();

const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 20);
const CONNECTIONS = 64;
/** A start takes some 150 ms, so half of the rounds end during or shortly after it. The others end while animals are added. */
const LONGEST_ROUND_MS = 800;

interface Pet {
  id: number;
  name: string;
}

/** Adds animals, one after the other, until the server is killed. @returns those whose 201 was received */
const addUntilKilled = async (server: Server, prefix: string, isKilled: () => boolean): Promise<Pet[]> => {
  const acknowledged: Pet[] = [];
  for (let count = 0; ; count++) {
    const name = `${prefix}-${count}`;
    try {
      const answer = await server.add(name);
      const { id } = (await answer.json()) as Pet;
      if (answer.status !== 201) throw new Error(`answered ${answer.status}`);
      acknowledged.push({ id, name });
    } catch (error) {
      if (isKilled()) return acknowledged;
      throw error;
    }
  }
};

/** Starts the server, lets 64 connections write, and kills it at a random moment. @returns what it acknowledged */
const crash = async (cwd: string, round: number): Promise<Pet[]> => {
  await using process = launch({ cwd });
  const killSoon = () => setTimeout(process.kill, Math.random() * LONGEST_ROUND_MS);
  const mayEndBeforeItListens = round % 2 === 0;
  let timer = mayEndBeforeItListens ? killSoon() : undefined;
  try {
    const server = await process.listening();
    if (!server) return [];
    timer ??= killSoon();
    const writers = Array.from({ length: CONNECTIONS }, (_, index) =>
      addUntilKilled(server, `${round}-${index}`, process.isKilled),
    );
    return (await Promise.all(writers)).flat();
  } finally {
    clearTimeout(timer);
  }
};

/** Every item of a list, by following its Link headers. */
const everything = async <Item>(server: Server, first: string): Promise<Item[]> => {
  const items: Item[] = [];
  for (let path: string | undefined = first; path;) {
    const answer = await server.call(path);
    expect(answer.status).toBe(200);
    items.push(...((await answer.json()) as Item[]));
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  return items;
};

test(`killed ${ROUNDS} times while ${CONNECTIONS} connections add animals, it keeps each acknowledged one, once, under its id, and recorded once`, async () => {
  const place = directory();
  const acknowledged: Pet[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const pets = await crash(place, round);
    // An id given out again would be one of a round before.
    const ids = new Set(acknowledged.map(({ id }) => id));
    expect(pets.filter(({ id }) => ids.has(id))).toEqual([]);
    acknowledged.push(...pets);
  }
  const server = await serve({ cwd: place });
  const listed = await everything<Pet>(server, "/v1/pets?limit=100");
  const nameOf = new Map(listed.map(({ id, name }) => [id, name]));
  expect(acknowledged.filter(({ id, name }) => nameOf.get(id) !== name)).toEqual([]);
  expect(nameOf.size).toBe(listed.length);
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(acknowledged.length);
  expect(acknowledged.length).toBeGreaterThan(ROUNDS);
  const entries = await everything<{ resource: { id: string; name: string } }>(
    server,
    "/platform/audit?action=pet.added&limit=100",
  );
  const recorded = entries.map(({ resource }) => `${resource.id} ${resource.name}`);
  expect(recorded.toReversed()).toEqual(listed.map((pet) => `${pet.id} ${pet.name}`));
  const { id } = (await (await server.add("after")).json()) as Pet;
  expect(id).toBeGreaterThan(Math.max(...listed.map((pet) => pet.id)));
  console.log(`    ${acknowledged.length} acknowledged, ${listed.length} kept`);
}, 600_000);

test("killed at any moment of its first start, the next start leaves a first key that works", async () => {
  for (let ms = 0; ms <= 200; ms += 20) {
    const place = directory();
    await using process = launch({ cwd: place });
    await Bun.sleep(ms);
    process.kill();
    await process.exited;
    await using server = await serve({ cwd: place });
    expect((await server.call("/v1/pets")).status).toBe(200);
  }
});
