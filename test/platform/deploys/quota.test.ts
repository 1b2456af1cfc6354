import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Store, faultOf, messageOf, openStore } from "../../support/store.ts";
import { tarGzOf } from "./archives.ts";

const MIB = 2 ** 20;

const openProjects = async (quota: string, slugs = ["docs"]): Promise<Store> => {
  const store = await openStore({ env: { PROJECT_QUOTA: quota } });
  for (const slug of slugs) await store.call("POST", "/platform/projects", { json: { slug, name: slug } });
  return store;
};

const content = (size: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
    .toString("hex")
    .repeat(size / 131_072);

const upload = (store: Store, files: Record<string, string>, slug = "docs") =>
  store.call("POST", `/platform/projects/${slug}/deploys`, {
    body: tarGzOf(
      Object.entries({ "index.html": "", ...files }).map(([name, text]) => ({ name, content: text })),
    ),
    headers: { "content-type": "application/gzip" },
  });

const remove = (store: Store, id: number) => store.call("DELETE", `/platform/projects/docs/deploys/${id}`);

const statuses = async (store: Store, ...uploads: Record<string, string>[]) => {
  const found = [];
  for (const files of uploads) found.push((await upload(store, files)).status);
  return found;
};

const blobsIn = ({ config }: Store): number =>
  readdirSync(join(config.dataDir, "blobs"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;

test("a deploy beyond the quota is recorded as failed and leaves nothing, and the previous site is still served", async () => {
  const store = await openProjects("3MiB", ["docs", "other"]);
  expect(await statuses(store, { "a.bin": content(MIB) }, { "b.bin": content(MIB) })).toEqual([201, 201]);
  const before = blobsIn(store);
  const files = { "c.bin": content(MIB) };
  const response = await upload(store, files);
  expect(await messageOf(response.clone() as Response)).toMatch(
    /^With this deploy the project would take 4 MiB of its 3 MiB: delete deploys/,
  );
  expect(await faultOf(response)).toBe("409 quota_exceeded");
  expect(blobsIn(store)).toBe(before);
  const deploys = (await (await store.call("GET", "/platform/projects/docs/deploys")).json()) as object[];
  expect(deploys).toMatchObject([
    { id: 3, status: "failed", reason: expect.stringContaining("of its 3 MiB") },
    { id: 2, active: true },
    { id: 1 },
  ]);
  // Another project has a separate quota.
  expect((await upload(store, files, "other")).status).toBe(201);
});

test("a file that deploys share counts once, so the same site can be deployed again and again", async () => {
  const store = await openProjects("3MiB");
  const shared = { "a.bin": content(2 * MIB) };
  expect(await statuses(store, shared, shared, { ...shared, "b.txt": "b" }, shared)).toEqual([
    201, 201, 201, 201,
  ]);
});

test("deleting a deploy frees quota for another", async () => {
  const store = await openProjects("3MiB");
  const [a, b, c] = [
    { "a.bin": content(MIB) },
    { "b.bin": content(MIB) },
    { "c.bin": content(MIB) },
  ] as const;
  expect(await statuses(store, a, b, c)).toEqual([201, 201, 409]);
  expect((await remove(store, 1)).status).toBe(204);
  expect((await upload(store, c)).status).toBe(201);
  expect(await store.deploys.sweep()).toBeGreaterThan(0);
  expect(await (await store.visit("http://docs.localhost/c.bin")).text()).toBe(c["c.bin"]);
});

test("of concurrent deploys as many succeed as fit in the quota", async () => {
  const store = await openProjects("3MiB");
  const responses = await Promise.all(
    Array.from({ length: 4 }, (_, index) => upload(store, { [`${index}.bin`]: content(MIB) })),
  );
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
});

test("the oldest deploy does not count, for the next one replaces it", async () => {
  const store = await openProjects("3MiB");
  await upload(store, { "a.bin": content(2 * MIB) });
  for (let at = 0; at < 19; at++) await upload(store, { "n.txt": `${at}` });
  expect((await upload(store, { "b.bin": content(2 * MIB) })).status).toBe(201);
});

test("any deploy but the served one can be deleted", async () => {
  const store = await openProjects("3MiB");
  await upload(store, { "n.txt": "1" });
  await upload(store, { "n.txt": "2" });
  expect(await faultOf(await remove(store, 2))).toBe("409 deploy_active");
  await store.call("POST", "/platform/projects/docs/deploys/1/activate");
  expect((await remove(store, 2)).status).toBe(204);
  expect(await faultOf(await remove(store, 2))).toBe("404 not_found");
  expect(await (await store.visit("http://docs.localhost/n.txt")).text()).toBe("1");
});
