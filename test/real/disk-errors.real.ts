import { expect } from "bun:test";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStore } from "../support/new-store.ts";
import { EXECUTABLE, type Finished, directory, launch, real, run, store, until } from "./support.ts";

const withStrace = real("strace");
const withMounts = real("unshare", "mount");

const READS = ["doctor --port 0", "backup b.db --force", "keys list", "export o.csv --force"];
/** Which read of the database file fails: some before the first page was read, some in the middle of a check. */
const AT = [1, 2, 3, 4, 5, 7, 9, 13, 19, 29];

/** A DATA_DIR in `place` whose animals fill more pages than SQLite reads at a time. */
const filled = async (place: string): Promise<void> => {
  const rows = Array.from({ length: 3000 }, (_, index) => `Animal ${index},${index % 7}\n`);
  writeFileSync(join(place, "a.csv"), `name,categoryId\n${rows.join("")}`);
  await createStore(join(place, "data"));
  expect((await store(["import", "a.csv"], { cwd: place })).code).toBe(0);
};

/** Runs a command whose calls of this kind, on these files, fail with EIO. */
const failing = (
  cwd: string,
  calls: string,
  paths: readonly string[],
  command: string,
): Promise<Finished> => {
  const [names] = calls.split(":");
  const only = paths.flatMap((path) => ["-P", join(cwd, path)]);
  const inject = calls.replace(/:|$/, ":error=EIO:").replace(/:$/, "");
  const strace = [
    "strace",
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    ...only,
    "-e",
    `trace=${names}`,
    "-e",
    `inject=${inject}`,
  ];
  return run([...strace, EXECUTABLE, ...command.split(" ")], {
    cwd,
    env: { DISK_RESERVE: "0", DATA_DIR: join(cwd, "data") },
  });
};

for (const command of READS)
  withStrace(`one read that fails with EIO is not damage to ${command}`, async () => {
    const place = directory();
    await filled(place);
    let failures = 0;
    for (const at of AT) {
      const data = join(place, "data");
      cpSync(data, `${data}.whole`, { recursive: true });
      const { code, stdout, stderr } = await failing(
        place,
        `pread64:when=${at}`,
        ["data/adoption-store.db"],
        command,
      );
      const said = stdout + stderr;
      if (code !== 0) {
        failures++;
        expect(said).toMatch(
          /the disk reported an input\/output error on a read, which may pass: look at the system's log/,
        );
      }
      expect(said).not.toMatch(/damaged|malformed|\n +at /);
      rmSync(data, { recursive: true });
      cpSync(`${data}.whole`, data, { recursive: true });
      rmSync(`${data}.whole`, { recursive: true });
    }
    expect(failures).toBeGreaterThan(0);
  });

const FILES = [
  "",
  "/adoption-store.db",
  "/adoption-store.db-wal",
  "/adoption-store.db-shm",
  "/server.lock",
  "/blobs",
]
  .concat("/adoption-store.db-journal", "/admin.key", "/server.json")
  .map((name) => `data${name}`);
/** As a file system that was shut down answers, but for what it still has in memory. */
const DEAD = "openat,pread64,pwrite64,read,write,fsync,fdatasync,ftruncate,unlink,rename,readlink";

for (const command of [
  ...READS,
  "serve --port 0",
  "import a.csv --again",
  "orders list",
  "certificates list",
  "keys create --name a --scope *",
  "restore whole.db --yes",
])
  withStrace(
    `${command} reports in one line that the disk fails where all of DATA_DIR answers with EIO`,
    async () => {
      const place = directory();
      await filled(place);
      expect((await store(["backup", "whole.db"], { cwd: place })).code).toBe(0);
      const { code, stdout, stderr } = await failing(place, DEAD, FILES, command);
      expect(code).toBe(1);
      const said = command.startsWith("doctor") ? stdout : stderr;
      expect(said).toMatch(/the disk reported an input\/output error/);
      expect(said).not.toMatch(/ at .+:\d+|damaged|unable to open/);
      if (!command.startsWith("doctor")) expect(stderr).toMatch(/^adoption-store: [^\n]+\n$/);
    },
  );

withStrace("a server whose disk dies answers 503, and its end has no stack trace", async () => {
  const place = directory();
  await using process = launch({ cwd: place });
  const server = await process.listening();
  if (!server) throw new Error("the server ended");
  expect((await server.add("Bella")).status).toBe(201);
  const only = FILES.flatMap((path) => ["-P", join(place, path)]);
  const tracer = Bun.spawn(
    [
      "strace",
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      ...only,
      "-e",
      `trace=${DEAD}`,
      "-e",
      `inject=${DEAD}:error=EIO`,
      "-p",
      String(server.pid),
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  await until("the disk is dead", async () => (await server.add("Max")).status === 503);
  // What is in memory is read all the same.
  expect([200, 503]).toContain((await server.call("/v1/pets")).status);
  await server.stop();
  await tracer.exited;
  expect(await process.stderr).not.toMatch(/ at .+:\d+/);
});

/** Runs a command on separate file systems: DATA_DIR's, and that of `shelf`, which has inodes for a few files only. */
const withoutInodes = async (place: string, command: string) => {
  await createStore(join(place, "seed"));
  const script = `
    mount -t tmpfs -o size=9m,nr_inodes=40,mode=700 tmpfs data && mount -t tmpfs -o size=9m,nr_inodes=4 tmpfs shelf &&
    cp -a seed/. data && "$0" keys create --name x --scope '*' >keys && touch shelf/1 shelf/2 shelf/3 shelf/4 2>noise
    case "$1" in data) shift; for name in $(seq 50); do touch data/x$name 2>noise; done;; esac
    exec "$0" "$@"`;
  mkdirSync(join(place, "data"));
  mkdirSync(join(place, "shelf"));
  return run(
    ["unshare", "--mount", "--map-root-user", "sh", "-c", script, EXECUTABLE, ...command.split(" ")],
    { cwd: place, env: { DISK_RESERVE: "0" } },
  );
};

for (const command of [
  "backup shelf/b.db",
  "export shelf/a.csv",
  "data serve --port 0",
  "data keys list",
  "data backup b.db",
])
  withMounts(`${command} names the inodes where there are none left`, async () => {
    const place = directory();
    const { code, stderr } = await withoutInodes(place, command);
    expect(stderr).toMatch(/^adoption-store: [^\n]*no inodes left: remove files there \(df -i [^\n]+\n$/);
    expect(code).toBe(1);
    expect(existsSync(join(place, "b.db"))).toBe(false);
  });
