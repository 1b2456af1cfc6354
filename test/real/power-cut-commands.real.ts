import { expect } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

/** A store whose server was killed: its last animals are only in the log. A backup has half of them. */
const killedStore = async () => {
  const root = realpathSync(directory());
  const server = await serve({ cwd: root });
  for (let at = 0; at < ADDED; at++) expect((await server.add(`Animal ${at}`)).status).toBe(201);
  expect((await store(["backup", "half.db"], { cwd: root })).code).toBe(0);
  for (let at = 0; at < ADDED; at++) expect((await server.add(`Late ${at}`)).status).toBe(201);
  server.kill();
  await server.exited;
  writeFileSync(join(root, "more.csv"), `name,categoryId\n${"Import,3\n".repeat(ADDED)}`);
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

const keyIn = (place: string, name = "data/admin.key") => readFileSync(join(place, name), "utf8");

interface Case {
  /** Whether the store may have so many animals after a cut before the command has ended. */
  isPossible: (animals: number) => boolean;
  /** How many it has after the end. */
  after: number;
  flags?: string[];
  /** The copy of `data/admin.key` that the command makes. */
  key?: string;
  /** The command runs again after each cut, and completes what it began. */
  isRepeated?: boolean;
}

const isWhole = (animals: number) => animals === 2 * ADDED;

const CASES: Record<string, Case> = {
  "restore half.db --yes": { isPossible: (animals) => animals === ADDED || isWhole(animals), after: ADDED },
  "doctor --repair --port 0": { isPossible: isWhole, after: 2 * ADDED },
  "recover new": {
    isPossible: isWhole,
    after: 2 * ADDED,
    flags: ["--data-dir", "new"],
    key: "new/admin.key",
  },
  "import more.csv": { isPossible: (animals) => animals === 3 * ADDED, after: 3 * ADDED, isRepeated: true },
};

/** Runs a command. @returns its changes to the disk, and a copy of the files before it */
const record = async (root: string, command: string[]) => {
  const before = temporaryDirectory();
  cpSync(root, before, { recursive: true });
  const log = join(directory(), "log");
  const { argv, isComplete } = trace(log);
  expect(await run([...argv, EXECUTABLE, ...command], { cwd: root })).toMatchObject({ code: 0 });
  await until("the end of the log", isComplete);
  return { before, operations: await operationsIn([log], { root, marks: "" }) };
};

/** Positions at which names change or a sync ends, and the end. */
const positionsIn = (operations: readonly Operation[]): number[] => {
  const all = operations.flatMap(({ kind }, at) => (kind === "write" ? [] : [at + 1]));
  const step = Math.max(1, all.length / IMAGES);
  return [...all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)), operations.length];
};

for (const [line, { isPossible, after, flags, key, isRepeated }] of Object.entries(CASES))
  test(`a power cut during ${line} leaves the store before it, after it, or one that the same command completes`, async () => {
    const root = await killedStore();
    const command = line.split(" ");
    const { before, operations } = await record(root, command);
    const disk = powerCutDisk(root, { before });
    const problems: string[] = [];
    let [position, repeats] = [0, 0];
    const positions = positionsIn(operations);
    for (const [at, cut] of positions.entries()) {
      for (const operation of operations.slice(position, cut)) disk.run(operation);
      position = cut;
      const isEnd = cut === operations.length;
      const kind: Cut = isEnd ? "none" : (CUTS[at % CUTS.length] as Cut);
      const place = mkdtempSync(join(temporaryDirectory(), "image-"));
      disk.writeImage(place, kind, seeded(SEED + at));
      if (isRepeated && !isEnd) await store(command, { cwd: place });
      if (isEnd && keyIn(place, key) !== keyIn(place)) problems.push(`the key of ${key} is another`);
      let animals = await animalsIn(place, isEnd ? flags : []);
      if (typeof animals === "string" && !isEnd) {
        repeats++;
        if (animals.includes(`adoption-store ${command[0]}`)) {
          await store(command, { cwd: place });
          animals = await animalsIn(place);
        }
      }
      const isRight = typeof animals === "number" && (isEnd ? animals === after : isPossible(animals));
      if (!isRight)
        problems.push(`image ${at} of seed ${SEED} (${cut} of ${operations.length}, ${kind}): ${animals}`);
      rmSync(place, { recursive: true });
    }
    console.log(`    seed ${SEED}: ${positions.length} images, the command was repeated on ${repeats}`);
    expect(problems).toEqual([]);
  });
