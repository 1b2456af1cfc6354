import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join, relative } from "node:path";
import { derivedDifferences } from "../../src/data/db/derived.ts";
import { assertSound } from "../../src/data/db/integrity.ts";
import { checkBackup } from "../../src/operate/backups/check.ts";
import { seeded } from "../support/random.ts";
import { openStore, temporaryDirectory, testClock } from "../support/store.ts";
import { type Asker, problemsIn } from "./power-cut/check.ts";
import { CUTS, type Cut, powerCutDisk } from "./power-cut/disk.ts";
import { clients } from "./power-cut/load.ts";
import { type Operation, operationsIn, trace } from "./power-cut/recording.ts";
import { EXECUTABLE, directory, launch, real, until } from "./support.ts";

const test = real("strace", "mkfifo");

/** A night has 3,000. */
const IMAGES = Number(process.env["POWER_CUT_IMAGES"] ?? 300);
/** How long the clients write. */
const LOAD_MS = Number(process.env["POWER_CUT_LOAD_MS"] ?? 4000);
/** Images on which the executable starts, in its first start and later. */
const STARTS = Math.ceil(IMAGES / 20);
/** Images of a disk that ignores the syncs of a file. */
const PROOF_IMAGES = 30;
const TIMEOUT_MS = 120_000 + IMAGES * 400;
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/**
 * Runs next to the server, in the same trace, so that its writes have their place among those of the server. It copies each line
 * that the test sends to the file of the marks. At the line "backup" it takes a backup.
 */
const MARKER = `
  fifo=$0 marks=$1; shift
  while read -r line && [ "$line" != end ]; do
    if [ "$line" = backup ]; then { "$1" backup backup.db >/dev/null 2>&1 && echo "backup taken"; } & else echo "$line"; fi
  done <"$fifo" >>"$marks" &
  exec "$@"`;

/** Starts a server in `root` whose changes to the disk are recorded. `mark` adds a line to the recording. */
const startRecorded = async ({ root, marks, workers }: { root: string; marks: string; workers: number }) => {
  const place = directory();
  const [log, fifo] = [join(place, "log"), join(place, "fifo")] as const;
  execFileSync("mkfifo", [fifo]);
  const { argv, isComplete } = trace(log);
  const process = launch({
    cwd: root,
    argv: [...argv, "sh", "-c", MARKER, fifo, marks, EXECUTABLE],
    env: { WORKERS: String(workers) },
  });
  // Open for reading too: otherwise this waits for the reader.
  const pipe = openSync(fifo, "r+");
  const server = await process.listening();
  if (!server) throw new Error(await process.stderr);
  return {
    ...process,
    ...server,
    log,
    mark: (text: string | number) => void writeSync(pipe, `${text}\n`),
    async endOfLog() {
      writeSync(pipe, "end\n");
      closeSync(pipe);
      await until("the end of the log", isComplete);
    },
  };
};

/**
 * Records a server under load, from its first start to a kill, and from the next start to an orderly end. The power is on at the
 * kill, so the changes before it that no sync covers are pending in the second part too.
 */
const record = async (workers: number) => {
  const root = realpathSync(directory());
  const marks = join(realpathSync(directory()), "marks");
  const killed = await startRecorded({ root, marks, workers });
  let { mark } = killed;
  const { ledger, acknowledged, startOn } = clients((count) => mark(count));
  mark("load");
  const first = startOn(killed, "a");
  await first.run(LOAD_MS / 2);
  killed.kill();
  await first.end();
  await killed.endOfLog();

  const server = await startRecorded({ root, marks, workers });
  ({ mark } = server);
  const second = startOn(server, "b");
  mark("backup");
  await second.run(LOAD_MS / 2);
  await second.stop();
  await until("a backup", async () => (await Bun.file(marks).text()).includes("backup taken"));
  const ended = server.stop();
  // strace keeps the standard output open, and ends after the marker.
  await server.endOfLog();
  expect(await ended).toBe(0);
  const operations = await operationsIn([killed.log, server.log], { root, marks });
  for (const log of [killed.log, server.log]) rmSync(log);
  expectComplete(root, operations);
  return { root, key: server.key, operations, ledger, acknowledged: acknowledged() };
};

/** The SHA-256 of each file, without the index of the log, which is a mapping. */
const hashesIn = (place: string) =>
  Object.fromEntries(
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !file.name.endsWith("-shm"))
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [relative(place, path), Bun.SHA256.hash(readFileSync(path), "hex")] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Fails unless the operations lead to the files that the server left: a change that is not recorded cannot be lost. */
const expectComplete = (root: string, operations: readonly Operation[]) => {
  const disk = powerCutDisk(root);
  for (const operation of operations) disk.run(operation);
  const place = temporaryDirectory();
  disk.writeImage(place, "all", seeded(SEED));
  expect(hashesIn(place)).toEqual(hashesIn(root));
};

type Recording = Awaited<ReturnType<typeof record>>;

const recordings = new Map<number, Promise<Recording>>();

/** The recording with so many processes. The tests share it. */
const recordingOf = (workers: number): Promise<Recording> => {
  const recording = recordings.get(workers) ?? record(workers);
  recordings.set(workers, recording);
  return recording;
};

/** Opens the store of an image in this process. @param marks how many changes were acknowledged @returns what is wrong */
const openHere = async ({ key, ledger }: Recording, place: string, marks: number): Promise<string[]> => {
  const data = join(place, "data");
  const path = join(data, "adoption-store.db");
  const store = await openStore({ path, env: { DATA_DIR: data }, clock: testClock(Date.now()) });
  try {
    const asker: Asker = {
      call: (path, { method = "GET", ...init } = {}) => store.call(method, path, { key, ...init }),
      visit: (slug, path) => store.visit(`http://${slug}.localhost${path}`),
    };
    const problems = await problemsIn(asker, ledger, marks);
    await store.database.close();
    using file = new Database(path, { readonly: true });
    assertSound(file);
    return [...problems, ...derivedDifferences(file).map(({ of }) => `not equal to the rows: ${of}`)];
  } finally {
    await store.database.close();
  }
};

/** Starts the executable on an image. */
const openByStart = async ({ ledger }: Recording, place: string, marks: number): Promise<string[]> => {
  await using process = launch({ cwd: place });
  const server = await process.listening();
  if (!server) return [await process.stderr];
  const visit = (slug: string, path: string) =>
    fetch(`${server.url}${path}`, { headers: { host: `${slug}.localhost:${server.port}` } });
  return await problemsIn({ call: server.call, visit }, ledger, marks);
};

interface Sweep {
  images: number;
  /** The part of the recording in which the power is cut. */
  during?: "first start" | "load";
  open?: typeof openHere;
  /** The disk does nothing at syncs of these paths. */
  ignores?: (path: string) => boolean;
}

/** A random position in each of so many equal spans. */
const positionsIn = (operations: readonly Operation[], { images, during = "load" }: Sweep): number[] => {
  const random = seeded(SEED);
  const load = operations.findIndex((one) => one.kind === "mark" && one.text === "load");
  const [from, to] = during === "load" ? [load, operations.length] : [0, load];
  const span = (to - from) / images;
  return Array.from({ length: images }, (_, at) => from + Math.ceil((at + random.real()) * span));
};

/** Cuts the power at positions of the recording, opens each image, and compares it with the acknowledgements before its position. */
const sweep = async (recording: Recording, { open = openHere, ignores, ...settings }: Sweep) => {
  const { root, operations } = recording;
  const disk = powerCutDisk(root, ignores && { ignores });
  const problems: string[] = [];
  let [position, marks, lossy] = [0, 0, 0];
  let isBackupTaken = false;
  for (const [at, cut] of positionsIn(operations, settings).entries()) {
    for (const operation of operations.slice(position, cut)) {
      disk.run(operation);
      if (operation.kind !== "mark") continue;
      isBackupTaken ||= operation.text === "backup taken";
      if (/^\d+$/.test(operation.text)) marks = Number(operation.text);
    }
    position = cut;
    const kind = CUTS[at % CUTS.length] as Cut;
    const place = mkdtempSync(join(temporaryDirectory(), "image-"));
    disk.writeImage(place, kind, seeded(SEED + at));
    const found = await open(recording, place, marks).catch((error: unknown) => [String(error)]);
    if (isBackupTaken) checkBackup(join(place, "backup.db"), () => {});
    problems.push(...found.map((problem) => `image ${at} of seed ${SEED} (${cut}, ${kind}): ${problem}`));
    if (found.length > 0) lossy++;
    rmSync(place, { recursive: true });
  }
  return { problems, lossy };
};

for (const workers of [1, 2]) {
  const processes = workers === 1 ? "one process" : `${workers} processes`;

  test(
    `with ${processes}, a power cut loses nothing acknowledged and keeps nothing refused: ${IMAGES} images`,
    async () => {
      const recording = await recordingOf(workers);
      const { problems } = await sweep(recording, { images: IMAGES });
      const { operations, acknowledged } = recording;
      console.log(
        `    seed ${SEED}: ${operations.length} operations, ${acknowledged} acknowledged changes, ${IMAGES} images`,
      );
      expect(problems.slice(0, 20)).toEqual([]);
      expect(acknowledged).toBeGreaterThan(100);
    },
    TIMEOUT_MS,
  );

  for (const during of ["first start", "load"] as const)
    test(
      `with ${processes}, the executable starts after a power cut in its ${during}: ${STARTS} images`,
      async () => {
        const recording = await recordingOf(workers);
        const { problems } = await sweep(recording, { images: STARTS, during, open: openByStart });
        expect(problems.slice(0, 20)).toEqual([]);
      },
      TIMEOUT_MS,
    );
}

/** The syncs without which a power cut loses acknowledged changes. */
const NEEDED: Record<string, (path: string) => boolean> = {
  "the log": (path) => path.endsWith(".db-wal"),
  "the database": (path) => path.endsWith("/adoption-store.db"),
  "the files of sites": (path) => /\/blobs\/.*[\da-f-]{36}$/.test(path),
  "the directories of sites": (path) => /\/blobs(\/..)?$/.test(path),
};

for (const [name, ignores] of Object.entries(NEEDED))
  test(`without the syncs of ${name}, the checker finds losses`, async () => {
    const { problems, lossy } = await sweep(await recordingOf(1), { images: PROOF_IMAGES, ignores });
    console.log(`    losses in ${lossy} of ${PROOF_IMAGES} images, the first: ${problems[0]}`);
    expect(lossy).toBeGreaterThan(0);
  });
