import { expect } from "bun:test";
import { chmodSync, copyFileSync, constants, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { publishDocs } from "./console.ts";
import { connect } from "./socket.ts";
import { EXECUTABLE, type Server, directory, real, run, serve, until, within } from "./support.ts";

const test = real();
const inNetwork = real("network namespaces", "curl", "nsenter");

/** A directory that holds the executable and nothing else. */
const alone = () => {
  const place = directory();
  const executable = join(place, "adoption-store");
  copyFileSync(EXECUTABLE, executable, constants.COPYFILE_FICLONE);
  chmodSync(executable, 0o755);
  return { path: place, executable };
};

const DOCUMENTS = ["/openapi.json", "/platform/openapi.json"];

/** The scripts and style sheets of a page. */
const assetsOf = (page: string): string[] =>
  [...page.matchAll(/<(?:link|script)[^>]*(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path as string);

const expectWhole = async (server: Server) => {
  const added = await server.add("Bella", 3);
  expect(added.status).toBe(201);
  expect(await server.read("/v1/pets")).toEqual([{ id: 1, name: "Bella", categoryId: 3 }]);
  // Elysia reads the source text of its handlers: minifying too much changes what these answer.
  for (const method of ["GET", "POST", "DELETE"])
    expect((await fetch(`${server.url}/v1/pets`, { method })).status).toBe(401);
  expect((await server.call("/v1/pets/2")).status).toBe(404);
  expect((await server.call("/v1/pets?limit=0")).status).toBe(400);
  expect((await server.call("/v1/pets", { method: "DELETE" })).status).toBe(405);
  const page = await (await fetch(`${server.url}/docs`)).text();
  const assets = assetsOf(page);
  expect(assets.length).toBeGreaterThanOrEqual(4);
  for (const path of assets) {
    const answer = await fetch(`${server.url}${path}`);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      200,
      expect.stringMatching(path.endsWith(".css") ? /^text\/css/ : /^text\/javascript/),
    ]);
    expect((await answer.bytes()).length).toBeGreaterThan(10);
  }
  for (const path of DOCUMENTS)
    expect(await (await fetch(`${server.url}${path}`)).json()).toMatchObject({ openapi: "3.1.0" });
};

test("alone in an empty directory it serves the API, the documents and the Swagger page", async () => {
  const place = alone();
  const server = await serve({ cwd: place.path, argv: [place.executable] });
  await expectWhole(server);
  expect(await server.stop()).toBe(0);
  expect(await server.stderr).toBe("");
});

test("its version begins with that of package.json, and names the commit", async () => {
  const { version } = await Bun.file(join(import.meta.dir, "../../package.json")).json();
  const { stdout } = await run([EXECUTABLE, "--version"]);
  expect(stdout).toStartWith(`${version}+`);
});

test("it prints nothing but lines of JSON if its log is JSON", async () => {
  const server = await serve({ flags: ["--log-format", "json"] });
  await expectWhole(server);
  expect(await server.stop()).toBe(0);
  const lines = server.stdout().trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith('{"level":'))).toEqual([]);
});

/** Milliseconds from the start of the executable to its first answer. */
const startTime = async (place: ReturnType<typeof alone>): Promise<number> => {
  const start = performance.now();
  await using server = await serve({ cwd: place.path, argv: [place.executable] });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  return performance.now() - start;
};

test("it answers /livez within a second of its start", async () => {
  const place = alone();
  // The quickest of three, since other work on the machine is not what is measured.
  const times = [await startTime(place), await startTime(place), await startTime(place)];
  expect(Math.min(...times)).toBeLessThan(1000);
});

const variablesOf = (pid: number): string[] => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");

test("its heap is scaled for a small machine, unless the environment says otherwise", async () => {
  const place = directory();
  {
    await using server = await serve({ cwd: place });
    expect(variablesOf(server.pid)).toContain(`BUN_JSC_forceRAMSize=${256 * 2 ** 20}`);
  }
  const server = await serve({ cwd: place, env: { BUN_JSC_forceRAMSize: "400000000" } });
  expect(variablesOf(server.pid)).toContain("BUN_JSC_forceRAMSize=400000000");
});

test("its files are for its user alone", async () => {
  const server = await serve();
  await server.add("Bella");
  await publishDocs(server);
  const data = join(server.cwd, "data");
  const entries = readdirSync(data, { recursive: true, withFileTypes: true });
  const modes = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, statSync(path).mode & 0o777, entry.isDirectory() ? 0o700 : 0o600] as const;
  });
  expect(entries.map(({ name }) => name)).toEqual(expect.arrayContaining(["adoption-store.db-wal", "blobs"]));
  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(modes.filter(([, mode, expected]) => mode !== expected)).toEqual([]);
});

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(`${signal} ends it immediately when no request is in flight`, async () => {
    const server = await serve();
    await (await fetch(`${server.url}/livez`)).text();
    expect(await within("the end", 5000, server.stop(signal))).toBe(0);
    expect(await server.stderr).toBe("");
    expect(readdirSync(join(server.cwd, "data"))).not.toContain("adoption-store.db-wal");
  });

test("SIGTERM lets the request in flight finish, takes no new one, and ends with 0", async () => {
  const place = directory();
  const server = await serve({ cwd: place });
  using slow = await connect(server.port);
  const body = JSON.stringify({ name: "Slow", categoryId: 1 });
  slow.write(
    `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // The response to a later request on another connection shows that its head was read.
  await (await fetch(`${server.url}/livez`)).text();
  const exited = server.stop();
  await until("no new connection is taken", () =>
    fetch(`${server.url}/livez`, { keepalive: false }).then(
      () => false,
      () => true,
    ),
  );
  slow.write(body.slice(10));
  await slow.until(/^HTTP\/1\.1 201 .*"name":"Slow"/s);
  expect(await within("the end", 5000, exited)).toBe(0);
  expect(await server.stderr).toBe("");
  const again = await serve({ cwd: place });
  expect(await again.read("/v1/pets")).toMatchObject([{ name: "Slow" }]);
});

inNetwork("with the network cut it serves everything", async () => {
  const place = alone();
  const cut = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$0" "$@"', place.executable];
  const server = await serve({ cwd: place.path, argv: cut });
  const page = await fetchInside(server, "/docs");
  for (const path of ["/livez", "/readyz", ...DOCUMENTS, ...assetsOf(page)])
    expect((await fetchInside(server, path)).length).toBeGreaterThan(10);
  expect(await fetchInside(server, "/v1/pets")).toBe("[]");
});

/** Fetches as seen from the server's own network namespace. @throws unless it is answered with 200 */
const fetchInside = async ({ pid, url, key }: Server, path: string): Promise<string> => {
  const curl = ["curl", "--silent", "--show-error", "--fail", "--header", `Authorization: Bearer ${key}`];
  const { code, stdout, stderr } = await run(["nsenter", "-t", String(pid), "-n", ...curl, `${url}${path}`]);
  if (code !== 0) throw new Error(`${path}: ${stderr}`);
  return stdout;
};
