import { expect } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completeBlobsUrl, parseBlobsUrl } from "../../src/lib/blobs-url.ts";
import { openObjectStore } from "../../src/protocols/s3/object-store.ts";
import { upload } from "./site.ts";
import { MOTO, type Moto, startMoto } from "./moto.ts";
import { type Server, directory, real, serve, store as command, until } from "./support.ts";

const test = real(MOTO);

const HOST = { host: "handbook.localhost" };
const SMALL = "<h1>home</h1>";
/** Too large for memory, so that it is sent from its file. */
const LARGE = Buffer.alloc(3 * 2 ** 20, "a line of a large file\n").toString();

const storeAt = (url: string) => openObjectStore(completeBlobsUrl(parseBlobsUrl(url), {}));

const startWith = (cwd: string, moto: Moto) =>
  serve({ cwd, env: { BLOBS_URL: moto.url }, flags: ["--log-level", "warn"] });

const deploy = (server: Server, files: Record<string, string>) => upload(server, "handbook", files);

const addProject = (server: Server) =>
  server.send("/platform/projects", { slug: "handbook", name: "Handbook" });

/** Without a coding: each coding of a large file is a separate blob. */
const visit = (server: Server, path: string) =>
  fetch(`${server.url}${path}`, { headers: { ...HOST, "accept-encoding": "identity" } });

const blobsOf = (cwd: string) => join(cwd, "data", "blobs");
const pathOf = (cwd: string, text: string) => {
  const hash = Bun.SHA256.hash(text, "hex");
  return join(blobsOf(cwd), hash.slice(0, 2), hash.slice(2));
};

/** How many objects have the content that their name says. */
const checkedObjects = async ({ client, names }: Moto): Promise<number> => {
  const blobs = await names("store/blobs/");
  for (const name of blobs)
    expect(`store/blobs/${Bun.SHA256.hash(await client.file(name).bytes(), "hex")}`).toBe(name);
  return blobs.length;
};

test("the object store of moto keeps, lists and removes objects, large ones in parts", async () => {
  await using moto = await startMoto();
  const store = storeAt(moto.url);
  const part = crypto.getRandomValues(new Uint8Array(65_536));
  const content = new Blob(Array.from({ length: 1100 }, () => part));
  await store.put("snapshots/large", content);
  await store.put("blobs/small", new TextEncoder().encode("small"));
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of (await store.get("snapshots/large")) ?? []) hasher.update(chunk);
  expect(hasher.digest("hex")).toBe(Bun.SHA256.hash(await content.bytes(), "hex"));
  expect((await Array.fromAsync(store.list("blobs/"))).map(({ name }) => name)).toEqual(["blobs/small"]);
  await store.remove("blobs/small");
  expect(await store.stat("blobs/small")).toBeUndefined();
  expect(await moto.names()).toEqual(["store/snapshots/large"]);
});

test("a deploy is in the bucket when it is acknowledged, and any node that lacks it serves it from there", async () => {
  await using moto = await startMoto();
  const place = directory();
  const files = { "index.html": SMALL, "large.txt": LARGE };
  {
    await using server = await startWith(place, moto);
    await addProject(server);
    const response = await deploy(server, files);
    expect(response.status).toBe(201);
    // Two files, the variants of one, each coding of a large file by itself, and the manifest; and the manual, perhaps in part.
    expect(await checkedObjects(moto)).toBeGreaterThanOrEqual(5);
    server.kill();
  }
  rmSync(blobsOf(place), { recursive: true });
  await using server = await startWith(place, moto);
  for (const [path, text] of [
    ["/", SMALL],
    ["/large.txt", LARGE],
  ] as const) {
    const served = await visit(server, path);
    expect({ path, status: served.status }).toEqual({ path, status: 200 });
    expect(Bun.SHA256.hash(await served.bytes(), "hex")).toBe(Bun.SHA256.hash(text, "hex"));
  }
});

test("while the bucket is unreachable, sites continue, missing files and deploys get 503, and afterwards everything works", async () => {
  await using moto = await startMoto();
  const place = directory();
  await using server = await startWith(place, moto);
  await addProject(server);
  expect((await deploy(server, { "index.html": SMALL, "large.txt": LARGE })).status).toBe(201);
  expect(await (await visit(server, "/")).text()).toBe(SMALL);
  rmSync(pathOf(place, LARGE));
  await moto.stop();
  expect((await visit(server, "/")).status).toBe(200);
  const missing = await visit(server, "/large.txt");
  expect(missing.status).toBe(503);
  expect(missing.headers.get("retry-after")).toBe("5");
  const refused = await deploy(server, { "index.html": "new" });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("30");
  const ready = await server.read<{
    warnings: { code: string; message: string }[];
  }>("/readyz");
  expect(ready.warnings.map(({ code }) => code)).toContain("object_store_unavailable");
  expect(JSON.stringify(ready)).not.toMatch(/test-key|test-secret/);
  await using again = await startMoto({ port: moto.port });
  // moto keeps objects in memory: the server uploads what is missing at its next start.
  expect(await again.names()).toEqual([]);
  expect((await deploy(server, { "index.html": "new" })).status).toBe(201);
  expect(await (await visit(server, "/")).text()).toBe("new");
});

test("a damaged file is fetched again, and a bucket that lost its objects gets them at the next start", async () => {
  await using moto = await startMoto();
  const place = directory();
  {
    await using server = await startWith(place, moto);
    await addProject(server);
    expect((await deploy(server, { "index.html": SMALL, "large.txt": LARGE })).status).toBe(201);
    await server.stop();
  }
  writeFileSync(pathOf(place, SMALL), "<h1>evil</h1>");
  const before = await moto.names("store/blobs/");
  {
    await using server = await startWith(place, moto);
    expect(await (await visit(server, "/")).text()).toBe(SMALL);
    expect(await Bun.file(pathOf(place, SMALL)).text()).toBe(SMALL);
    for (const name of before) await moto.client.delete(name);
    await server.stop();
  }
  await using server = await startWith(place, moto);
  expect((await visit(server, "/")).status).toBe(200);
  const isBack = async () => {
    const names = new Set(await moto.names("store/blobs/"));
    return before.every((name) => names.has(name));
  };
  await until("all objects are back", isBack, 30_000);
});

test("backup, restore and doctor use the bucket, and no command prints its keys", async () => {
  await using moto = await startMoto();
  const place = directory();
  const env = { BLOBS_URL: moto.url };
  {
    await using server = await startWith(place, moto);
    await addProject(server);
    expect((await deploy(server, { "index.html": SMALL })).status).toBe(201);
    await server.stop();
  }
  rmSync(blobsOf(place), { recursive: true });
  const doctor = await command(["doctor", "--json"], { cwd: place, env });
  const findings = JSON.parse(doctor.stdout) as { check: string; detail: string }[];
  expect(findings.find(({ check }) => check === "object store")?.detail).toContain("can be written, read");
  expect(findings.find(({ check }) => check === "sites")?.detail).toContain("all intact");
  const backup = await command(["backup", "backup.db"], { cwd: place, env });
  expect({ code: backup.code, stderr: backup.stderr }).toEqual({ code: 0, stderr: "" });
  for (const name of await moto.names("store/blobs/")) await moto.client.delete(name);
  const other = directory();
  const restored = await command(["restore", join(place, "backup.db"), "--yes"], {
    cwd: other,
    env,
  });
  expect(restored.code).toBe(0);
  expect(await checkedObjects(moto)).toBeGreaterThanOrEqual(2);
  const shown = await command(["config", "show"], { cwd: place, env });
  for (const { stdout, stderr } of [doctor, backup, restored, shown])
    expect(stdout + stderr).not.toMatch(/test-key|test-secret/);
  expect(readdirSync(place)).toContain("backup.db");
});
