import { expect } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "../support/random.ts";
import { temporaryDirectory } from "../support/store.ts";
import { CUTS, type Cut, powerCutDisk } from "./power-cut/disk.ts";
import { type Operation, operationsIn, trace } from "./power-cut/recording.ts";
import { EXECUTABLE, directory, launch, real, run, serve, store, until } from "./support.ts";

const test = real("strace");

/** For each command. A night has 200. */
const IMAGES = Number(process.env["POWER_CUT_IMAGES"] ?? 300) / 15;
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const ADDED = 20;
const EMAIL = "ada@example.org";

/** Deletes a count without a checkpoint, so that a repair has something to do. */
const loseCount = async (path: string): Promise<void> => {
  const code = `const client = new (require("bun:sqlite").Database)(${JSON.stringify(path)});
    client.run("DELETE FROM pet_counts_by_category"); process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", code]).exited;
};

/** A store whose server was killed: its last animals are only in the log. A backup has half of them. */
const killedStore = async (isDamaged: boolean) => {
  const root = realpathSync(directory());
  const server = await serve({ cwd: root });
  for (let at = 0; at < ADDED; at++) expect((await server.add(`Animal ${at}`)).status).toBe(201);
  await server.send("/v1/pets/1", { status: "available" }, "PATCH");
  await server.send("/v1/store/orders", { petId: 1, adopter: { name: "Ada", email: EMAIL } });
  expect((await store(["backup", "half.db"], { cwd: root })).code).toBe(0);
  for (let at = 0; at < ADDED; at++) expect((await server.add(`Late ${at}`)).status).toBe(201);
  server.kill();
  await server.exited;
  writeFileSync(join(root, "more.csv"), `name,categoryId\n${"Import,3\n".repeat(ADDED)}`);
  if (isDamaged) await loseCount(join(root, "data/adoption-store.db"));
  rmSync(join(root, "data/adoption-store.db-shm"), { force: true });
  return root;
};

/** How many animals a server has that starts there, or its output. */
const animalsIn = async (cwd: string, flags: string[] = []): Promise<number | string> => {
  await using process = launch({ cwd, flags });
  const server = await process.listening();
  if (!server) return await process.stderr;
  return (await server.read<unknown[]>("/v1/pets?limit=100")).length;
};

/** Positions at which names change or a sync ends, and the end. */
const positionsIn = (operations: readonly Operation[]): number[] => {
  const all = operations.flatMap(({ kind }, at) => (kind === "write" ? [] : [at + 1]));
  const step = Math.max(1, all.length / IMAGES);
  return [...all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)), operations.length];
};

/** Runs a command in a killed store, and cuts the power during it. The last image is of a cut right after its end. */
async function* imagesOf(command: string[], { isDamaged = false } = {}) {
  const root = await killedStore(isDamaged);
  const before = temporaryDirectory();
  cpSync(root, before, { recursive: true });
  const log = join(directory(), "log");
  const { argv, isComplete } = trace(log);
  expect(await run([...argv, EXECUTABLE, ...command], { cwd: root })).toMatchObject({ code: 0 });
  await until("the end of the log", isComplete);
  const operations = await operationsIn([log], { root, marks: "" });
  const disk = powerCutDisk(root, { before });
  let position = 0;
  for (const [at, cut] of positionsIn(operations).entries()) {
    for (const operation of operations.slice(position, cut)) disk.run(operation);
    position = cut;
    const isEnd = cut === operations.length;
    // The newest change of a name without the one before it shows a missing sync best.
    for (const kind of isEnd ? (["none"] as const) : (["last", CUTS[at % CUTS.length] as Cut] as const)) {
      const place = mkdtempSync(join(temporaryDirectory(), "image-"));
      disk.writeImage(place, kind, seeded(SEED + at));
      yield { place, isEnd, name: `seed ${SEED}, after ${cut} of ${operations.length}, ${kind}` };
      rmSync(place, { recursive: true });
    }
  }
}

test("a power cut during a restore leaves the old store or the restored one", async () => {
  for await (const { place, isEnd, name } of imagesOf(["restore", "half.db", "--yes"]))
    expect(isEnd ? [ADDED] : [ADDED, 2 * ADDED], name).toContain((await animalsIn(place)) as number);
});

test("a power cut during doctor --repair leaves the whole store, or one that doctor --repair completes", async () => {
  const command = ["doctor", "--repair", "--port", "0"];
  let interrupted = 0;
  for await (const { place, name } of imagesOf(command, { isDamaged: true })) {
    let animals = await animalsIn(place);
    if (typeof animals === "string") {
      interrupted++;
      expect(animals, name).toContain("a repair was interrupted. Run adoption-store doctor --repair again");
      await store(command, { cwd: place });
      animals = await animalsIn(place);
    }
    expect(animals, name).toBe(2 * ADDED);
  }
  expect(interrupted).toBeGreaterThan(0);
});

test("a power cut during recover leaves the damaged store as it was, and after its end the recovered one with its key", async () => {
  for await (const { place, isEnd, name } of imagesOf(["recover", "new"])) {
    expect(await animalsIn(place), name).toBe(2 * ADDED);
    if (!isEnd) continue;
    const [key, recovered] = ["data", "new"].map((data) =>
      readFileSync(join(place, data, "admin.key"), "utf8"),
    );
    expect(recovered).toBe(key as string);
    expect(await animalsIn(place, ["--data-dir", "new"])).toBe(2 * ADDED);
  }
});

test("an import that a power cut interrupts adds the other animals when it runs again", async () => {
  const command = ["import", "more.csv"];
  for await (const { place, isEnd, name } of imagesOf(command)) {
    if (!isEnd) await store(command, { cwd: place });
    expect(await animalsIn(place), name).toBe(3 * ADDED);
  }
});

test("a power cut during backup --force leaves the old backup or the new one, each intact", async () => {
  for await (const { place, name } of imagesOf(["backup", "half.db", "--force"])) {
    const checked = await store(["backup", "--check", "half.db"], { cwd: place });
    expect(checked, name).toMatchObject({ code: 0, stderr: "" });
  }
});

test("an erasure that has ended is not undone by a power cut, and one that was interrupted can run again", async () => {
  const command = ["orders", "forget", EMAIL, "--yes", "--cancel"];
  for await (const { place, isEnd, name } of imagesOf(command)) {
    if (!isEnd) await store(command, { cwd: place });
    const files = readdirSync(join(place, "data"), { withFileTypes: true }).filter((file) => file.isFile());
    const holding = files.filter((file) => readFileSync(join(place, "data", file.name)).includes(EMAIL));
    expect(
      holding.map((file) => file.name),
      name,
    ).toEqual([]);
    expect(await animalsIn(place), name).toBe(2 * ADDED);
  }
});
