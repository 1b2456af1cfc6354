import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Store, type StoreSettings, faultOf, openStore } from "../../support/store.ts";
import { readManifest } from "../../../src/platform/deploys/manifest.ts";
import { tarGzOf } from "./archives.ts";

const LARGE = "a line that compresses\n".repeat(20_000);
const FILES: Record<string, string> = {
  "index.html": "<h1>home</h1>",
  "guide.html": "a page of some length\n".repeat(500),
  "large.txt": LARGE,
  "large.bin": LARGE.slice(1),
};

const openSite = async (settings: StoreSettings = {}, files = FILES): Promise<Store> => {
  const store = await openStore({ sleep: async () => {}, ...settings });
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs" } });
  expect((await deploy(store, files)).status).toBe(201);
  return store;
};

const deploy = (store: Store, files = FILES) =>
  store.call("POST", "/platform/projects/docs/deploys", {
    body: tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content }))),
    headers: { "content-type": "application/gzip" },
  });

const visit = (store: Store, path: string, headers: Record<string, string> = {}, method = "GET") =>
  store.visit(`http://docs.localhost${path}`, { method, headers });

const root = ({ config }: Store) => join(config.dataDir, "blobs");

const pathOf = (store: Store, hash: string) => join(root(store), hash.slice(0, 2), hash.slice(2));

const hashOf = (name: string) => Bun.SHA256.hash(FILES[name] ?? "", "hex");

const allHashes = (store: Store): string[] =>
  readdirSync(root(store), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath.slice(-2)}${entry.name}`)
    .toSorted();

const flip = (path: string) => {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(path, bytes);
};

const WAYS: Record<string, (path: string) => void> = {
  "a flipped bit": flip,
  "a missing end": (path) => truncateSync(path, readFileSync(path).length - 1),
  "bytes too many": (path) => writeFileSync(path, "x", { flag: "a" }),
  "no content": (path) => truncateSync(path, 0),
  "no file": (path) => rmSync(path),
  "a directory in its place": (path) => {
    rmSync(path);
    mkdirSync(join(path, "with"), { recursive: true });
  },
};

const found = (store: Store) =>
  store.log.filter(({ msg }) => String(msg).startsWith("a file of a deployed site is damaged"));

const isWhole = (store: Store, hash: string): boolean =>
  existsSync(pathOf(store, hash)) && Bun.SHA256.hash(readFileSync(pathOf(store, hash)), "hex") === hash;

const manifestOf = (store: Store) => {
  const row = store.database.client.query<{ manifest: string }, []>("select manifest from deploys").get();
  const hash = row?.manifest ?? "";
  return { hash, files: readManifest(readFileSync(pathOf(store, hash), "utf8")) };
};

const warnings = async (store: Store) =>
  ((await (await store.call("GET", "/readyz")).json()) as { warnings?: { code: string; count: number }[] })
    .warnings;

const SMALL = ["/", "/guide"] as const;
const NAMES = { "/": "index.html", "/guide": "guide.html", "/large.bin": "large.bin" } as const;

/** Serving a large file does not check its content; the scrub does. */
const SERVED = Object.entries(WAYS).flatMap(([what, damage]) =>
  (what === "a flipped bit" ? SMALL : ([...SMALL, "/large.bin"] as const)).map(
    (path) => [what, path, damage] as const,
  ),
);

test.each(SERVED)("a file with %s is not served at %s, and is logged once", async (_what, path, damage) => {
  const store = await openSite();
  const hash = hashOf(NAMES[path]);
  damage(pathOf(store, hash));
  for (const headers of [{}, { range: "bytes=0-9" }, {}, {}])
    if (path === "/large.bin" || !("range" in headers))
      expect(await faultOf(await visit(store, path, headers))).toBe("500 damaged_file");
  expect((await visit(store, path, {}, "HEAD")).status).toBe(500);
  expect(found(store)).toMatchObject([{ blob: hash }]);
  // The rest of the site is served as before.
  expect((await visit(store, path === "/" ? "/guide" : "/")).status).toBe(200);
});

test.each(Object.entries(WAYS))(
  "a coding with %s is not served, while the uncompressed file still is",
  async (_what, damage) => {
    const store = await openSite();
    damage(pathOf(store, manifestOf(store).files.get("guide.html")?.encodings.br?.hash ?? ""));
    for (const coding of ["br", "gzip"])
      expect(await faultOf(await visit(store, "/guide", { "accept-encoding": coding }))).toBe(
        "500 damaged_file",
      );
    expect(await (await visit(store, "/guide")).text()).toBe(FILES["guide.html"] ?? "");
  },
);

test.each(Object.entries(WAYS))(
  "blobs with %s are found by a scrub, counted in /readyz and /metrics, and repaired by a deploy of the same site",
  async (_what, damage) => {
    const store = await openSite();
    const { hash: manifest } = manifestOf(store);
    const hashes = allHashes(store).filter((hash) => hash !== manifest);
    for (const hash of hashes) damage(pathOf(store, hash));
    await store.scrub.tick();
    expect(await warnings(store)).toMatchObject([{ code: "damaged_files", count: hashes.length }]);
    expect(await (await store.call("GET", "/metrics")).text()).toContain(`damaged_files ${hashes.length}\n`);
    damage(pathOf(store, manifest));
    expect((await deploy(store)).status).toBe(201);
    expect([manifest, ...hashes].filter((hash) => !isWhole(store, hash))).toEqual([]);
    expect(readdirSync(join(root(store), "tmp"))).toEqual([]);
    for (const [path, name] of Object.entries(NAMES))
      expect(await (await visit(store, path)).text()).toBe(FILES[name] ?? "");
    expect(await warnings(store)).toBeUndefined();
    expect(allHashes(store)).toEqual([manifest, ...hashes].toSorted());
  },
);

test("a large file with a flipped bit is not served once a scrub has found it", async () => {
  const store = await openSite();
  const path = pathOf(store, hashOf("large.bin"));
  const good = readFileSync(path);
  flip(path);
  await store.scrub.tick();
  expect(await faultOf(await visit(store, "/large.bin"))).toBe("500 damaged_file");
  // An operator put a copy back: the next check finds it whole.
  writeFileSync(path, good);
  await store.scrub.tick();
  expect((await visit(store, "/large.bin")).status).toBe(200);
});

test("a site with a damaged manifest is not served and keeps its files; a missing manifest does not stop a sweep", async () => {
  const store = await openSite();
  const { hash } = manifestOf(store);
  const before = allHashes(store);
  flip(pathOf(store, hash));
  expect(await store.deploys.sweep()).toBe(0);
  expect(await faultOf(await visit(store, "/"))).toBe("500 damaged_file");
  expect(found(store)).toMatchObject([{ blob: hash }]);
  rmSync(pathOf(store, hash));
  expect(await store.deploys.sweep()).toBe(before.length - 1);
  expect((await deploy(store)).status).toBe(201);
  expect(allHashes(store)).toEqual(before);
});

test("the record of a damaged file ends with the last deploy that needs it", async () => {
  const store = await openSite();
  for (const hash of allHashes(store)) flip(pathOf(store, hash));
  await store.scrub.tick();
  await store.call("DELETE", "/platform/projects/docs");
  await store.deploys.sweep();
  expect(await warnings(store)).toBeUndefined();
});

test("a deploy whose manifest is not named by a hash is not served, and stops neither sweep nor scrub", async () => {
  const store = await openSite();
  store.database.client.run("UPDATE deploys SET manifest = '../../../../../../../../../dev/zero'");
  const before = allHashes(store).length;
  expect(await faultOf(await visit(store, "/"))).toBe("500 damaged_file");
  expect(await store.deploys.sweep()).toBe(before);
  await store.scrub.tick();
  expect((await deploy(store)).status).toBe(201);
  expect((await visit(store, "/")).status).toBe(200);
});

test("a directory instead of a blob, or a file instead of a shard, does not stop a sweep", async () => {
  const store = await openSite();
  const unneeded = pathOf(store, `00${"0".repeat(62)}`);
  mkdirSync(join(unneeded, "with"), { recursive: true });
  const there = readdirSync(root(store));
  const shard = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, "0")).find(
    (name) => !there.includes(name),
  );
  writeFileSync(join(root(store), shard ?? ""), "");
  await store.deploys.sweep();
  expect(existsSync(unneeded)).toBe(false);
});
