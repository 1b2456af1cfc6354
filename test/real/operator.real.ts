import { expect } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { words } from "../support/words.ts";
import { freePort } from "./authorities.ts";
import {
  EXECUTABLE,
  type Server,
  directory,
  expectRefusal,
  real,
  run,
  serve,
  store,
  until,
  within,
} from "./support.ts";

const test = real();
const withSetpriv = real("setpriv");
const inBash = real("bash");
const withFifo = real("mkfifo", "setpriv");

test("a port in use is named, and the start leaves nothing running", async () => {
  const place = directory();
  using taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const refused = await store(["serve", "--port", String(taken.port)], { cwd: place });
  expectRefusal(refused, 1, new RegExp(`127\\.0\\.0\\.1:${taken.port}.*in use`));
  const server = await serve({ cwd: place });
  expect((await server.call("/v1/pets")).status).toBe(200);
});

test("a DATA_DIR that cannot be made is named", async () => {
  const place = directory();
  writeFileSync(join(place, "file"), "kept");
  for (const dataDir of ["file", "file/below"])
    expectRefusal(await store(["serve", "--data-dir", dataDir], { cwd: place }), 1, /DATA_DIR file/);
  expect(readFileSync(join(place, "file"), "utf8")).toBe("kept");
});

/** Takes from root the right to write everywhere; other users have no such right. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];

withSetpriv("a DATA_DIR that cannot be written is named", async () => {
  const place = directory();
  mkdirSync(join(place, "data"));
  chmodSync(join(place, "data"), 0o500);
  const refused = await run([...UNPRIVILEGED, EXECUTABLE, "serve"], { cwd: place });
  expectRefusal(refused, 1, /DATA_DIR \.\/data/);
  expect(readdirSync(join(place, "data"))).toEqual([]);
});

test("a file that is no database is refused and left as it was", async () => {
  const place = directory();
  const file = join(place, "data", "adoption-store.db");
  mkdirSync(join(place, "data"), { mode: 0o700 });
  writeFileSync(file, "Dear diary, this is no database.\n".repeat(1000));
  const before = readFileSync(file);
  const says = /DATA_DIR \.\/data: .*not a database/;
  expectRefusal(await store(["serve", "--port", "0"], { cwd: place }), 1, says);
  expectRefusal(await store(["keys", "list"], { cwd: place }), 1, says);
  const doctor = await store(["doctor", "--port", "0"], { cwd: place });
  expect(doctor.stdout).toMatch(/^FAILED +database: .*not a database/m);
  expect({ code: doctor.code, stderr: doctor.stderr }).toEqual({ code: 1, stderr: "" });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a start that fails after it listens ends, and leaves port and DATA_DIR to the next", async () => {
  const place = directory();
  mkdirSync(join(place, "data/admin.key.new"), { recursive: true });
  const refused = await store(["serve", "--port", "0"], { cwd: place });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("admin.key.new") });
  rmSync(join(place, "data/admin.key.new"), { recursive: true });
  const server = await serve({ cwd: place });
  expect((await server.add("Bella")).status).toBe(201);
});

test("settings that cannot be saved for other commands do not keep a server from starting", async () => {
  const place = directory();
  mkdirSync(join(place, "data/server.json.new"), { recursive: true });
  const server = await serve({ cwd: place });
  expect((await server.add("Bella")).status).toBe(201);
  expect(await server.stop()).toBe(0);
});

interface Made {
  id: number;
  secret: string;
}

const json = async <Value>(argv: string[], cwd: string): Promise<Value> => {
  const { code, stdout, stderr } = await store([...argv, "--json"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Value;
};

const statusWith = async (server: Server, secret: string): Promise<number> =>
  (await server.call("/v1/pets", { headers: { authorization: `Bearer ${secret}` } })).status;

const CREATE = ["keys", "create", "--name", "reader", "--scope", "pets:read"];

test("keys created, rotated and revoked while a server runs apply there from the next request on", async () => {
  const place = directory();
  const server = await serve({ cwd: place });
  const made = await json<Made>([...CREATE, "--rate-limit", "600/min"], place);
  expect(await statusWith(server, made.secret)).toBe(200);
  const rotated = await json<Made>(["keys", "rotate", String(made.id), "--grace", "0s"], place);
  expect(await statusWith(server, made.secret)).toBe(401);
  expect(await statusWith(server, rotated.secret)).toBe(200);
  await json(["keys", "revoke", String(made.id)], place);
  expect(await statusWith(server, rotated.secret)).toBe(401);
  const listed = await json<{ name: string; revokedAt?: string }[]>(["keys", "list"], place);
  expect(listed).toMatchObject([
    { name: "admin", scopes: ["*"] },
    { name: "reader", scopes: ["pets:read"], rateLimit: "600/min", revokedAt: expect.any(String) },
  ]);
  expect(JSON.stringify(listed)).not.toContain(rotated.secret);
});

test("each of 50 keys that are in use is refused by the first request after its revocation", async () => {
  const server = await serve({ flags: ["--auth-failures-per-minute", "1000"] });
  for (let count = 0; count < 50; count++) {
    const key = { name: `key ${count}`, scopes: ["pets:read"] };
    const { id, secret } = await server.send<Made>("/platform/keys", key);
    expect(await statusWith(server, secret)).toBe(200);
    await json(["keys", "revoke", String(id)], server.cwd);
    expect(await statusWith(server, secret)).toBe(401);
  }
});

test("doctor finds nothing wrong before, during and after a server's run", async () => {
  const place = directory();
  const doctor = () => json<{ check: string; ok: boolean }[]>(["doctor", "--port", "0"], place);
  const findings = [await doctor()];
  const server = await serve({ cwd: place });
  findings.push(await doctor());
  await server.stop();
  findings.push(await doctor());
  for (const found of findings) {
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
    expect(found.map(({ check }) => check)).toEqual(expect.arrayContaining(["database", "disk", "clock"]));
  }
});

test("every command prints its help, and writes no files", async () => {
  const place = directory();
  const help = async (line: string) => {
    const { code, stdout, stderr } = await store(line.split(" "), { cwd: place });
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
    return stdout;
  };
  for (const name of words("serve keys openapi doctor version"))
    expect(await help(`${name} --help`)).toStartWith(`Usage: adoption-store ${name}`);
  for (const name of words("create list rotate revoke"))
    expect(await help(`keys ${name} --help`)).toStartWith(`Usage: adoption-store keys ${name}`);
  expect(await help("help")).toBe(await help("--help"));
  expect(await help("keys")).toBe(await help("keys --help"));
  expect(readdirSync(place)).toEqual([]);
});

for (const reader of ["head -1", "true"])
  inBash(`both documents piped into ${reader} end quietly`, async () => {
    for (const name of ["store", "platform"]) {
      const script = `set -o pipefail; "$0" openapi ${name} | ${reader}`;
      const { code, stderr } = await run(["bash", "-c", script, EXECUTABLE]);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
    }
  });

for (const format of ["json", "pretty"])
  for (const [what, reader] of [
    ["whose reader has gone", "head -n 1 <log >/dev/null"],
    ["that nobody reads", "sleep 100 <log"],
  ] as const)
    withFifo(`with its ${format} log in a pipe ${what} a server serves, and ends at SIGTERM`, async () => {
      const place = directory();
      await run(["mkfifo", join(place, "log")]);
      const reading = Bun.spawn(["setpriv", "--pdeathsig", "TERM", "sh", "-c", `exec ${reader}`], {
        cwd: place,
        stdin: "ignore",
      });
      const port = freePort();
      const env = { PATH: process.env["PATH"] ?? "", PORT: String(port), LOG_FORMAT: format };
      const child = Bun.spawn(
        ["setpriv", "--pdeathsig", "KILL", "sh", "-c", 'exec "$0" serve >log', EXECUTABLE],
        { cwd: place, env, stdin: "ignore" },
      );
      const isAlive = () =>
        fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(5000) }).then(
          ({ ok }) => ok,
          () => false,
        );
      await until("it answers", isAlive, 10_000);
      // More than a pipe holds.
      for (let turn = 0; turn < 20; turn++) {
        const answers = await Promise.all(Array.from({ length: 50 }, isAlive));
        expect(answers).not.toContain(false);
      }
      child.kill("SIGTERM");
      expect(await within("it ends", 20_000, child.exited)).toBe(0);
      reading.kill();
      await reading.exited;
    });

test("a key of admin.key that opens nothing is not shown as one that does", async () => {
  const place = directory();
  {
    await using server = await serve({ cwd: place });
    await until("named", () => server.stdout().includes("Admin key (all scopes) in "), 5000);
    expect(await server.stop()).toBe(0);
  }
  writeFileSync(join(place, "data", "admin.key"), "aas_of-another-database\n");
  const server = await serve({ cwd: place });
  await until("refused", () => server.stdout().includes("this key is revoked or belongs to another"), 5000);
  expect(server.stdout()).not.toContain("Admin key (all scopes) in ");
  expect(await server.stop()).toBe(0);
});
