import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DAMAGES, PAGE, rootOf, soundStore, soundStoreWithLog, tryDamage } from "../data/recovery/damage.ts";
import { seeded } from "../support/random.ts";
import {
  EXECUTABLE,
  type Server,
  directory,
  environment,
  expectRefusal,
  real,
  serve,
  store,
  until,
} from "./support.ts";

const test = real();

const ANIMALS = 163;

/** How often each kind of damage is tried: 100 in the night. */
const DAMAGES_EACH = Number(process.env["DAMAGES_EACH"] ?? 4);
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

const databaseIn = (place: string): string => join(place, "data", "adoption-store.db");

/** A stopped store with animals, a key and a site. */
const stoppedStore = async () => {
  const place = directory();
  const server = await serve({ cwd: place });
  for (let id = 1; id <= ANIMALS; id++)
    expect((await server.add(`Luna ${"of the hill ".repeat(8)}${id}`)).status).toBe(201);
  await server.send("/v1/pets/5", { status: "available" }, "PATCH");
  await server.send("/v1/store/orders", { petId: 5, adopter: { name: "Ada", email: "ada@example.org" } });
  // A search builds the index of words, and an order by name that of names.
  expect(await namesOf(server)).toBe(ANIMALS);
  await server.stop();
  return place;
};

const namesOf = async (server: Server): Promise<number> => {
  let [count, path] = [0, "/v1/pets?limit=100&sort=name" as string | undefined];
  while (path !== undefined) {
    const response = await server.call(path);
    count += ((await response.json()) as unknown[]).length;
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return count;
};

const foundIn = async (server: Server): Promise<number> =>
  (await server.read<unknown[]>("/v1/pets?limit=100&q=luna")).length;

const zero = (file: string, page: number): Buffer => {
  const bytes = readFileSync(file);
  bytes.fill(0, (page - 1) * PAGE, page * PAGE);
  writeFileSync(file, bytes);
  return bytes;
};

const leafOfWords = (file: string): number => {
  using client = new Database(file, { readonly: true });
  const { root } = client
    .query<{ root: number }, []>("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'pets_words_data'")
    .get() ?? { root: 0 };
  const bytes = readFileSync(file).subarray((root - 1) * PAGE, root * PAGE);
  // An interior page ends its header with the number of its last child.
  return bytes[0] === 5 ? bytes.readUInt32BE(8) : root;
};

const REBUILDABLE: Record<string, (file: string) => number> = {
  "the root page of the index pet_names_by_name": (file) => rootOf(file, "pet_names_by_name"),
  "a leaf of the search words": leafOfWords,
};

for (const [name, pageOf] of Object.entries(REBUILDABLE))
  test(`\`doctor --repair\` rebuilds ${name}, with every animal`, async () => {
    const place = await stoppedStore();
    const file = databaseIn(place);
    const damaged = zero(file, pageOf(file));
    const found = await store(["doctor", "--port", "0"], { cwd: place });
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/FAILED +database: .*doctor --repair.*recover NEW_DIR.*restore FILE/);
    const repaired = await store(["doctor", "--repair", "--port", "0"], { cwd: place });
    expect(repaired.stdout).toMatch(/ok +repair: all .* rows are readable/);
    expect(repaired.stdout).toMatch(/ok +database: intact/);
    const kept = readdirSync(join(place, "data")).find((name) => /\.damaged-.*Z$/.test(name)) ?? "";
    expect(readFileSync(join(place, "data", kept)).equals(damaged)).toBe(true);
    const server = await serve({ cwd: place });
    expect(await namesOf(server)).toBe(ANIMALS);
    expect(await foundIn(server)).toBe(100);
    expect((await server.add("Bella")).status).toBe(201);
  }, 60_000);

/** A page with rows of animals that is not the root. */
const leafOfAnimals = (file: string): number => {
  const root = rootOf(file, "pets");
  return readFileSync(file).readUInt32BE((root - 1) * PAGE + 8);
};

test("with a lost leaf of animals, `doctor --repair` changes nothing, and `recover` saves and names the rest", async () => {
  const place = await stoppedStore();
  const file = databaseIn(place);
  const damaged = zero(file, leafOfAnimals(file));
  const refused = await store(["doctor", "--repair", "--port", "0"], { cwd: place });
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /FAILED +repair: rows of pets are damaged, so nothing was changed: .*recover/,
  );
  expect(readFileSync(file).equals(damaged)).toBe(true);
  const recovered = await store(["recover", "saved", "--json"], { cwd: place });
  expect(recovered.stderr).toBe("");
  const { report } = JSON.parse(recovered.stdout) as {
    report: { tables: { table: string; saved: number; missing: { from: number; to: number }[] }[] };
  };
  const pets = report.tables.find(({ table }) => table === "pets");
  expect(pets?.missing).toHaveLength(1);
  const { from, to } = pets?.missing[0] ?? { from: 0, to: 0 };
  expect(to - from + 1 + (pets?.saved ?? 0)).toBe(ANIMALS);
  expect(report.tables.find(({ table }) => table === "orders")).toMatchObject({ saved: 1, missing: [] });
  expect(readFileSync(file).equals(damaged)).toBe(true);
  const again = await store(["recover", "saved"], { cwd: place });
  expectRefusal(again, 1, /is not empty: name a new directory/);
  const text = await store(["recover", "printed"], { cwd: place });
  expect(text.stdout).toMatch(new RegExp(`^pets +${pets?.saved} +${from}-${to}$`, "m"));
  const doctor = await store(["doctor", "--port", "0", "--data-dir", "saved"], { cwd: place });
  expect(doctor.stdout).toMatch(/ok +database: intact/);
  // The first key still works there.
  const listed = await store(["export", "-", "--data-dir", "saved"], { cwd: place });
  expect(listed.stdout.trim().split("\n")).toHaveLength((pets?.saved ?? 0) + 1);
}, 60_000);

test("`recover` that is killed keeps its directory from being served, and run again it saves every animal", async () => {
  const place = await stoppedStore();
  const child = Bun.spawn([EXECUTABLE, "recover", "saved"], { cwd: place, env: environment() });
  await until("the store is written", () => existsSync(join(place, "saved", "adoption-store.db.restoring")));
  child.kill("SIGSTOP");
  const meanwhile = await store(["serve", "--port", "0"], { cwd: place });
  child.kill("SIGKILL");
  await child.exited;
  expectRefusal(meanwhile, 1, /a backup is being restored: try again/);
  expect(existsSync(join(place, "saved", "adoption-store.db"))).toBe(false);
  const refused = await store(["serve", "--port", "0", "--data-dir", "saved"], { cwd: place });
  expectRefusal(refused, 1, /recover was interrupted here.* Run adoption-store recover again/);
  expect((await store(["recover", "saved"], { cwd: place })).code).toBe(0);
  const listed = await store(["export", "-", "--data-dir", "saved"], { cwd: place });
  expect(listed.stdout.trim().split("\n")).toHaveLength(ANIMALS + 1);
}, 60_000);

for (const kind of Object.keys(DAMAGES))
  test(`after ${kind}, all readable data is saved and all lost data named (seed ${SEED}, ${DAMAGES_EACH} times)`, async () => {
    const random = seeded(SEED);
    const sound = soundStore(300, random);
    const withLog = soundStoreWithLog(300, random);
    for (let time = 0; time < DAMAGES_EACH; time++)
      expect(tryDamage(kind, sound, withLog, random)).toEqual([]);
  }, 600_000);
