import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryDirectory } from "../support/store.ts";

// Each test starts processes, and the machine may be busy.
setDefaultTimeout(60_000);

const bundle = mkdtempSync(join(tmpdir(), "adoption-store-test-"));

/** The program is bundled and compiled once, as the executable is: each process then starts in a third of the time. */
beforeAll(async () => {
  await Bun.build({
    entrypoints: [join(import.meta.dir, "../../src/main.ts")],
    outdir: bundle,
    target: "bun",
    format: "cjs",
    bytecode: true,
  });
});
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

const run = async (argv: string[], env: Record<string, string> = {}) => {
  const child = Bun.spawn([process.execPath, join(bundle, "main.js"), ...argv], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, error, code };
};

describe("wrong use is one line on standard error and exit code 2", () => {
  test.each([
    [["nonsense"], 'unknown command "nonsense"'],
    [["serve", "--prot", "1"], "--port"],
    [["serve", "extra"], "extra"],
    [["serve", "--port", "abc"], '--port: "abc" is not a port from 0 to 65535'],
    [["keys", "lost"], 'unknown command "lost"'],
    [["keys", "create", "--name", "x"], "--scope"],
    [["keys", "create", "--scope", "pets:read"], "--name"],
    [["keys", "create", "--name", "x", "--scope", "pets:fly"], '--scope: "pets:fly" is not a scope'],
    [["keys", "create", "--name", "x", "--scope", "*", "--expires", "soon"], "--expires"],
    [["keys", "create", "--name", "x", "--scope", "*", "--expires", "999999999d"], "--expires"],
    [["keys", "create", "--name", "x", "--scope", "*", "--expires", "2020-01-01T00:00:00Z"], "--expires"],
    [["keys", "create", "--name", "x", "--scope", "*", "--rate-limit", "fast"], "--rate-limit"],
    [["keys", "revoke"], "id"],
    [["keys", "revoke", "one"], 'key id: "one"'],
    [["keys", "rotate", "1", "--grace", "1y"], "--grace"],
    [["openapi", "shop"], "shop"],
  ])("%j", async (argv, named) => {
    const { out, error, code } = await run(argv, { DATA_DIR: temporaryDirectory() });
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(named);
    expect(error.trimEnd().split("\n")).toHaveLength(1);
  });
});

test("without arguments it explains itself", async () => {
  const { out, error, code } = await run([]);
  expect([code, error]).toEqual([0, ""]);
  for (const command of ["serve", "keys", "openapi", "doctor", "version"])
    expect(out).toContain(`  ${command}`);
});

test.each([
  "--help",
  "serve --help",
  "keys --help",
  "keys",
  "keys create --help",
  "openapi --help",
  "doctor --help",
  "help serve",
])("%s explains on standard output", async (line) => {
  const { out, code } = await run(line.split(" "));
  expect([code, out.includes("Usage: adoption-store")]).toEqual([0, true]);
});

test("serve --help lists every setting with its variable and default", async () => {
  const { SETTINGS } = await import("../../src/config.ts");
  const { out } = await run(["serve", "--help"]);
  const text = out.replace(/\s+/g, " ");
  for (const { flag, env } of Object.values(SETTINGS)) {
    expect(text).toContain(`--${flag} <value>`);
    expect(text).toContain(`env ${env}`);
  }
});

test("version prints the version of package.json", async () => {
  const { version } = (await import("../../package.json")).default;
  for (const argv of [["version"], ["--version"]]) expect((await run(argv)).out).toBe(`${version}\n`);
});

test.each(["store", "platform"])("openapi %s prints a document that names BASE_URL", async (name) => {
  const { out, code } = await run(["openapi", name], { BASE_URL: "https://adopt.example.org" });
  const document = JSON.parse(out) as {
    openapi: string;
    servers: { variables: Record<string, { default: string }> }[];
  };
  expect([code, document.openapi]).toEqual([0, "3.1.0"]);
  expect(document.servers[0]?.variables["base_url"]?.default).toBe(
    `https://adopt.example.org${name === "store" ? "/v1" : ""}`,
  );
});

test("keys are made, listed, rotated and revoked, in words and in JSON", async () => {
  const env = { DATA_DIR: temporaryDirectory() };
  const json = async (...argv: string[]) =>
    JSON.parse((await run([...argv, "--json"], env)).out) as Record<string, unknown>;
  const made = await json(
    "keys",
    "create",
    "--name",
    "web",
    "--scope",
    "pets:read",
    "pets:write",
    "--expires",
    "90d",
    "--rate-limit",
    "600/min",
  );
  expect(made).toMatchObject({
    id: 1,
    name: "web",
    scopes: ["pets:read", "pets:write"],
    rateLimit: "600/min",
  });
  expect(made["secret"]).toMatch(/^aas_\w{36}$/);
  expect((await run(["keys", "list"], env)).out).toMatch(
    /^ID +NAME.*\n1 +web +aas_\w{4} +pets:read pets:write +600\/min +never +valid until /,
  );
  expect((await json("keys", "rotate", "1", "--grace", "0s"))["secret"]).not.toBe(made["secret"]);
  expect((await run(["keys", "revoke", "1"], env)).out).toStartWith('Key 1 "web" is revoked since ');
  expect(await json("keys", "list")).toMatchObject([{ id: 1, revokedAt: expect.any(String) }]);
  const unknown = await run(["keys", "revoke", "9"], env);
  expect([unknown.code, unknown.error]).toEqual([1, "adoption-store: There is no API key with this id.\n"]);
});

test.each(["list", "revoke 7", "rotate 7"])("keys %s makes no database where there is none", async (line) => {
  const directory = join(temporaryDirectory(), "mistyped");
  const { error, code } = await run(["keys", ...line.split(" ")], { DATA_DIR: directory });
  expect([code, error]).toEqual([
    1,
    `adoption-store: DATA_DIR ${directory}: there is no database; check --data-dir, or start with serve\n`,
  ]);
  expect(existsSync(directory)).toBe(false);
});

test("doctor finds nothing wrong with a fresh directory, and names what is", async () => {
  const directory = temporaryDirectory();
  const well = await run(["doctor", "--port", "0"], { DATA_DIR: directory });
  expect([well.code, well.out.includes("FAILED")]).toEqual([0, false]);
  await Bun.write(
    join(directory, "adoption-store.db"),
    "this is no database, and it is long enough to be looked at".repeat(20),
  );
  const ill = await run(["doctor", "--port", "0"], { DATA_DIR: directory });
  expect(ill.code).toBe(1);
  expect(ill.out).toMatch(/^FAILED {2}database: /m);
});
