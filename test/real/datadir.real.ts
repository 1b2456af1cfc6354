import { expect } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createStore } from "../support/new-store.ts";
import {
  EXECUTABLE,
  type Finished,
  directory,
  expectRefusal,
  real,
  run,
  serve,
  store,
  until,
} from "./support.ts";

const test = real();
const asRoot = real("root", "setpriv");

/** The id of the user that runs the service. It needs no account. */
const SERVICE = 12345;

/** The DATA_DIR of a service, and the program where that user can run it. */
const service = () => {
  const place = directory();
  const data = join(place, "data");
  const program = join(place, "adoption-store");
  chmodSync(place, 0o755);
  copyFileSync(EXECUTABLE, program);
  chmodSync(program, 0o755);
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, SERVICE, SERVICE);
  const argv = [
    "setpriv",
    `--reuid=${SERVICE}`,
    `--regid=${SERVICE}`,
    "--clear-groups",
    "--pdeathsig",
    "TERM",
    program,
  ];
  return {
    path: place,
    data,
    argv,
    asService: (args: string[]): Promise<Finished> => run([...argv, ...args], { cwd: place }),
    asRoot: (args: string[]): Promise<Finished> => store(args, { cwd: place }),
    /** What in DATA_DIR is not the service's. */
    foreign: () =>
      readdirSync(data, { recursive: true })
        .map(String)
        .filter((name) => statSync(join(data, name)).uid !== SERVICE),
  };
};

asRoot(
  "a lock that the service may not write is named with its remedy, and no second server starts",
  async () => {
    const place = service();
    writeFileSync(join(place.data, "server.lock"), "");
    chmodSync(join(place.data, "server.lock"), 0o644);
    const refused = await place.asService(["serve", "--port", "0"]);
    expectRefusal(
      refused,
      1,
      /server\.lock belongs to user 0 and cannot be written by user 12345 .*: sudo chown 12345 /,
    );
    expect(readdirSync(place.data)).toEqual(["server.lock"]);
    const [, remedy = ""] = /: sudo (chown .*)\n/.exec(refused.stderr) ?? [];
    expect((await run(["sh", "-c", remedy], { cwd: place.path })).code).toBe(0);
    const server = await serve({ cwd: place.path, argv: place.argv });
    expectRefusal(
      await place.asService(["serve", "--port", "0"]),
      1,
      /a server is using it: stop that server/,
    );
    expect((await server.add("Bella")).status).toBe(201);
  },
);

asRoot("commands of root on the DATA_DIR of a service leave all files to the service's user", async () => {
  const place = service();
  const csv = join(place.path, "animals.csv");
  writeFileSync(csv, "name,categoryId\nMax,1\n");
  mkdirSync(join(place.data, "backups"), { mode: 0o700 });
  chownSync(join(place.data, "backups"), SERVICE, SERVICE);
  const backup = join(place.data, "backups", "taken.db");
  await createStore(place.data);
  for (const args of [
    ["keys", "create", "--name", "x", "--scope", "*"],
    ["import", csv],
    ["doctor", "--port", "0"],
    ["backup", backup],
    ["restore", backup, "--yes"],
    ["keys", "list"],
  ]) {
    const { code, stderr } = await place.asRoot(args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    expect([args, place.foreign()]).toEqual([args, []]);
  }
  const listed = await place.asService(["keys", "list", "--json"]);
  expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: "" });
  expect((await place.asService(["export", "-"])).stdout).toContain("Max");
});

asRoot("a DATA_DIR of another user is named as that by every command", async () => {
  const place = service();
  chownSync(place.data, 0, 0);
  for (const args of [
    ["serve", "--port", "0"],
    ["keys", "list"],
    ["backup", "x.db"],
    ["export", "-"],
    ["restore", "adoption-store", "--yes"],
  ])
    expectRefusal(
      await place.asService(args),
      1,
      /DATA_DIR \.\/data: it belongs to user 0, and this process runs as user 12345/,
    );
  const { stdout } = await place.asService(["doctor", "--port", "0"]);
  expect(stdout).toMatch(/^FAILED +data directory: .*it belongs to user 0/m);
});

test("a client that waits for /livez finds a key that works, in each of 20 starts", async () => {
  for (let round = 0; round < 20; round++) {
    const place = directory();
    using probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const port = String(probe.port);
    await probe.stop(true);
    const child = Bun.spawn([EXECUTABLE, "serve", "--port", port, "--host", "127.0.0.1"], {
      cwd: place,
      env: { PATH: process.env["PATH"] ?? "" },
      stdout: "ignore",
      stderr: "ignore",
    });
    const ask = async (path: string, key = "") =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(
        ({ status }) => status,
        () => 0,
      );
    try {
      await until("it is alive", async () => (await ask("/livez")) === 200, 10_000);
      const key = readFileSync(join(place, "data", "admin.key"), "utf8").trim();
      expect(await ask("/v1/pets", key)).toBe(200);
    } finally {
      child.kill("SIGTERM");
      await child.exited;
    }
  }
});

test("a server whose log is deleted ends by itself with 1, and has lost nothing", async () => {
  const place = directory();
  const log = join(place, "data", "adoption-store.db-wal");
  {
    await using server = await serve({ cwd: place });
    for (let at = 0; at < 20; at++) expect((await server.add(`Animal ${at}`)).status).toBe(201);
    rmSync(log);
    expect(await server.exited).toBe(1);
  }
  expect(existsSync(log)).toBe(false);
  const { stdout } = await store(["export", "-"], { cwd: place });
  for (let at = 0; at < 20; at++) expect(stdout).toContain(`Animal ${at}`);
});
