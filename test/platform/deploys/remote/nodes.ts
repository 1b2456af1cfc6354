import { expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ObjectServer, objectServer } from "../../../support/object-server.ts";
import { atEnd, temporaryDirectory } from "../../../support/ends.ts";
import { type Store, type TestClock, openStore, testClock } from "../../../support/store.ts";
import { tarGzOf } from "../archives.ts";

export const FILES: Record<string, string> = {
  "index.html": "<h1>home</h1>",
  "guide.html": "a page of some length\n".repeat(500),
};

/** Opens nodes that share a database and an object store, each with a separate directory. */
export const openNodes = () => {
  const clock = testClock();
  const server = objectServer({ now: clock.now });
  atEnd(() => server[Symbol.asyncDispose]());
  const shared = join(temporaryDirectory(), "store.db");
  const node = (
    settings: { dataDir?: string; path?: string; sleep?: (ms: number) => Promise<void> } = {},
  ): Promise<Store> =>
    openStore({
      path: settings.path ?? shared,
      clock,
      env: { BLOBS_URL: server.url, ...(settings.dataDir && { DATA_DIR: settings.dataDir }) },
      objectRequests: { tries: 2, retryMs: 1, stallMs: 2000 },
      ...(settings.sleep && { sleep: settings.sleep }),
    });
  return { clock, server, node };
};

export type Nodes = { clock: TestClock; server: ObjectServer };

export const addProject = async (store: Store, slug = "docs") => {
  const response = await store.call("POST", "/platform/projects", { json: { slug, name: "Docs" } });
  expect(response.status).toBe(201);
};

export const deploy = (store: Store, files = FILES, slug = "docs") =>
  store.call("POST", `/platform/projects/${slug}/deploys`, {
    body: tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content }))),
    headers: { "content-type": "application/gzip" },
  });

export const visit = (store: Store, path: string, headers: Record<string, string> = {}) =>
  store.visit(`http://docs.localhost${path}`, { headers });

export const rootOf = ({ config }: Store) => join(config.dataDir, "blobs");

export const localPath = (store: Store, hash: string) => join(rootOf(store), hash.slice(0, 2), hash.slice(2));

/** The hashes of all blobs of a node. */
export const localHashes = (store: Store): string[] =>
  existsSync(rootOf(store))
    ? readdirSync(rootOf(store), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /^[\da-f]{62}$/.test(entry.name))
        .map((entry) => `${entry.parentPath.slice(-2)}${entry.name}`)
        .toSorted()
    : [];

const BLOBS = "sites/store/blobs/";

/** The hashes of all blobs of the object store. */
export const remoteHashes = ({ objects }: ObjectServer): string[] =>
  [...objects.keys()]
    .filter((name) => name.startsWith(BLOBS))
    .map((name) => name.slice(BLOBS.length))
    .toSorted();

export const objectOf = (hash: string) => BLOBS + hash;

export const hashOf = (text: string) => Bun.SHA256.hash(text, "hex");
