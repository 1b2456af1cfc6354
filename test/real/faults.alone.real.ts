import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { createStore } from "../support/new-store.ts";
import { type Fault, type FaultKind, type Injector, injector } from "./faults/injector.ts";
import { type Server, directory, real, serve, store, until } from "./support.ts";

const test = real("gcc");

/** Faults begin at each of this many calls. */
const CALLS = Number(process.env["FAULT_CALLS"] ?? 60);
const WRITERS = 8;
const READERS = 2;
/** More than the cache of the server holds, so that readers reach the disk. */
const ANIMALS = 60_000;
/** How soon `/readyz` tells of a fault, and of its end. */
const TRUTH_MS = 1000;

const ERRORS = {
  write: ["EIO", "ENOSPC", "EDQUOT", "EROFS"],
  sync: ["EIO", "ENOSPC"],
  read: ["EIO"],
} as const satisfies Record<FaultKind, readonly Fault["error"][]>;

/** What the writers were told about each name that they sent. */
interface Outcomes {
  /** 201: on disk. */
  added: Map<string, number>;
  /** 503 `storage_unavailable`: nothing was written. */
  refused: Set<string>;
  /** Every response but these two and 503 `outcome_unknown`. */
  unexpected: string[];
  /** How many reads got a 200, and how many a 503. */
  reads: { ok: number; refused: number };
}

const write = async (server: Server, name: string, { added, refused, unexpected }: Outcomes) => {
  const response = await server.add(name);
  const body = (await response.json()) as { id: number; code?: string; message?: string };
  if (response.status === 201) return void added.set(name, body.id);
  if (body.code === "storage_unavailable") return void refused.add(name);
  if (body.code !== "outcome_unknown") unexpected.push(`${response.status} ${body.code}: ${body.message}`);
};

const read = async (server: Server, { reads, unexpected }: Outcomes) => {
  const ids = Array.from({ length: 20 }, () => 1 + Math.floor(Math.random() * ANIMALS));
  const response = await server.call(`/v1/pets?ids=${ids.join(",")}`);
  await response.body?.cancel();
  if (response.status === 200) reads.ok++;
  else if (response.status === 503) reads.refused++;
  else unexpected.push(`read: ${response.status}`);
};

/** Writes and reads until it is stopped. */
const load = (server: Server, outcomes: Outcomes) => {
  const stopping = new AbortController();
  const repeat = async (act: (count: number) => Promise<unknown>) => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      await act(count);
      await Bun.sleep(2);
    }
  };
  const clients = [
    ...Array.from({ length: WRITERS }, (_, index) =>
      repeat((count) => write(server, `writer ${index} ${count}`, outcomes)),
    ),
    ...Array.from({ length: READERS }, () => repeat(() => read(server, outcomes))),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(clients);
  };
};

const readiness = async ({ url }: Server): Promise<number> => {
  const response = await fetch(`${url}/readyz`);
  await response.body?.cancel();
  return response.status;
};

/** A lasting fault: `/readyz` tells of it and of its end in time, and then writes work again. */
const lastingFault = async (server: Server, faults: Injector, fault: Fault) => {
  faults.begin(fault);
  try {
    await until(`${fault.kind} ${fault.first} fails`, () => faults.hits() > 0, 10_000);
    await until(
      `not ready after ${fault.kind} ${fault.first} fails with ${fault.error}`,
      async () => (await readiness(server)) === 503,
      TRUTH_MS,
    );
  } finally {
    faults.end();
  }
  await until(
    `ready after ${fault.kind} ${fault.first} failed with ${fault.error}`,
    async () => (await readiness(server)) === 200,
    TRUTH_MS,
  );
  expect((await server.add("afterwards")).status).toBe(201);
};

/** One failing call: the server is ready again in time. */
const singleFault = async (server: Server, faults: Injector, fault: Fault) => {
  faults.begin({ ...fault, calls: 1 });
  await until(`${fault.kind} ${fault.first} fails once`, () => faults.hits() > 0, 10_000);
  faults.end();
  await until(
    `ready after one failed ${fault.kind}`,
    async () => (await readiness(server)) === 200,
    TRUTH_MS,
  );
  expect((await server.add("afterwards")).status).toBe(201);
};

/** Names and ids of all animals that writers sent, as the database file has them. */
const contents = (cwd: string): Map<string, number> => {
  using database = new Database(join(cwd, "data", "adoption-store.db"));
  expect(database.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  const rows = database
    .query<{ name: string; id: number }, []>("SELECT name, id FROM pets WHERE name LIKE 'writer %'")
    .all();
  const found = new Map(rows.map(({ name, id }) => [name, id]));
  expect(found.size).toBe(rows.length);
  return found;
};

const fill = async (cwd: string) => {
  const rows = Array.from({ length: ANIMALS }, (_, index) => `Animal ${index} of the shelter by the river,3`);
  await Bun.write(join(cwd, "animals.csv"), `name,categoryId\n${rows.join("\n")}\n`);
  await createStore(join(cwd, "data"));
  const imported = await store(["import", "animals.csv"], { cwd });
  expect(imported.code).toBe(0);
};

for (const kind of ["write", "sync", "read"] as const)
  test(`a ${kind} that fails, at each of ${CALLS} calls under load, loses nothing acknowledged, shows in /readyz, and needs no restart`, async () => {
    const place = directory();
    const faults = await injector(place);
    await (await serve({ cwd: place })).stop();
    await fill(place);
    const outcomes: Outcomes = {
      added: new Map(),
      refused: new Set(),
      unexpected: [],
      reads: { ok: 0, refused: 0 },
    };
    {
      await using server = await serve({ cwd: place, env: { ...faults.env, LOG_LEVEL: "silent" } });
      const stopLoad = load(server, outcomes);
      try {
        for (let first = 1; first <= CALLS; first++) {
          const error = ERRORS[kind][first % ERRORS[kind].length] ?? "EIO";
          await lastingFault(server, faults, { kind, first, error });
          await singleFault(server, faults, { kind, first, error });
        }
      } finally {
        await stopLoad();
      }
      // Killed, as by a power cut: only what is on disk counts.
      server.kill();
    }
    const found = contents(place);
    expect(outcomes.unexpected).toEqual([]);
    expect([...outcomes.added].filter(([name, id]) => found.get(name) !== id)).toEqual([]);
    expect([...outcomes.refused].filter((name) => found.has(name))).toEqual([]);
    expect(outcomes.added.size).toBeGreaterThan(CALLS);
    console.log(
      `    ${outcomes.added.size} acknowledged, ${outcomes.refused.size} refused, ${outcomes.reads.ok} reads, ${outcomes.reads.refused} refused`,
    );
  }, 600_000);

test("an idle server whose disk takes no writes is not ready within a second, and ready within a second of the end", async () => {
  const place = directory();
  const faults = await injector(place);
  const server = await serve({ cwd: place, env: { ...faults.env, LOG_LEVEL: "silent" } });
  for (const kind of ["write", "sync"] as const)
    for (const error of ERRORS[kind]) {
      faults.begin({ kind, first: 1, error });
      await until(`not ready: ${kind} ${error}`, async () => (await readiness(server)) === 503, TRUTH_MS);
      faults.end();
      await until(`ready after ${kind} ${error}`, async () => (await readiness(server)) === 200, TRUTH_MS);
    }
});

test('killed right after a failed sync, what was refused with "nothing was written" is not there after the restart', async () => {
  for (let round = 0; round < 5; round++) {
    const place = directory();
    const faults = await injector(place);
    const outcomes: Outcomes = {
      added: new Map(),
      refused: new Set(),
      unexpected: [],
      reads: { ok: 0, refused: 0 },
    };
    {
      await using server = await serve({ cwd: place, env: { ...faults.env, LOG_LEVEL: "silent" } });
      for (let count = 0; count < 10; count++) await write(server, `writer before ${count}`, outcomes);
      faults.begin({ kind: "sync", first: 1 + round, error: "EIO" });
      for (let count = 0; faults.hits() < 1; count++) await write(server, `writer during ${count}`, outcomes);
      server.kill();
    }
    const found = contents(place);
    expect(outcomes.unexpected).toEqual([]);
    expect([...outcomes.added].filter(([name, id]) => found.get(name) !== id)).toEqual([]);
    expect([...outcomes.refused].filter((name) => found.has(name))).toEqual([]);
  }
});
