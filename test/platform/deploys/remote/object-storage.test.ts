import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { faultOf, openStore } from "../../../support/store.ts";
import {
  FILES,
  addProject,
  deploy,
  hashOf,
  localHashes,
  localPath,
  objectOf,
  openNodes,
  remoteHashes,
  rootOf,
  visit,
} from "./nodes.ts";

const HOME = hashOf(FILES["index.html"] ?? "");
const never = new AbortController().signal;

describe("a deploy with BLOBS_URL", () => {
  test("is recorded once the object store has all of its files, variants and manifest", async () => {
    const { server, node } = openNodes();
    const store = await node();
    await addProject(store);
    const recorded: number[] = [];
    server.intercept(async (method, name) => {
      if (method === "PUT" && name.includes("/blobs/")) {
        const page = await store.deploys.list("docs", { limit: 10, cursor: undefined });
        recorded.push(page.items.length);
      }
      return undefined;
    });
    expect((await deploy(store)).status).toBe(201);
    // Two files, the variants of one, and the manifest.
    expect(recorded).toEqual([0, 0, 0, 0]);
    expect(remoteHashes(server)).toEqual(localHashes(store));
    for (const hash of remoteHashes(server))
      expect(
        Buffer.from(server.objects.get(objectOf(hash))?.bytes ?? []).equals(
          readFileSync(localPath(store, hash)),
        ),
      ).toBe(true);
  });

  test("uploads only what the object store lacks, and leaves nothing pending", async () => {
    const { server, node } = openNodes();
    const store = await node();
    await addProject(store);
    await deploy(store);
    server.requests.length = 0;
    expect((await deploy(store, { ...FILES, "new.html": "new" })).status).toBe(201);
    const puts = server.requests.filter((one) => one.startsWith("PUT") && one.includes("/blobs/"));
    expect(puts).toHaveLength(2);
    const pending = () => [...server.objects.keys()].filter((name) => name.includes("/pending/"));
    // The response does not wait for it.
    for (let turns = 0; pending().length > 0 && turns < 1000; turns++) await Bun.sleep(1);
    expect(pending()).toEqual([]);
  });

  test("is refused while the object store is unreachable, leaves no files, and the previous site is still served", async () => {
    const { server, node } = openNodes();
    const store = await node();
    await addProject(store);
    await deploy(store);
    const before = localHashes(store);
    server.intercept(() => server.error(503, "SlowDown"));
    const response = await deploy(store, { ...FILES, "index.html": "new" });
    expect(response.headers.get("retry-after")).toBe("30");
    expect(await faultOf(response)).toBe("503 storage_unavailable");
    expect((await store.deploys.list("docs", { limit: 10, cursor: undefined })).items).toHaveLength(1);
    expect(localHashes(store)).toEqual(before);
    expect(await (await visit(store, "/")).text()).toBe("<h1>home</h1>");
  });

  test("replaces an object of another length", async () => {
    const { server, node } = openNodes();
    const store = await node();
    await addProject(store);
    server.objects.set(objectOf(HOME), { bytes: new Uint8Array(3), modifiedAt: 0 });
    await deploy(store);
    expect(server.objects.get(objectOf(HOME))?.bytes.length).toBe(13);
  });
});

test("a node of a cluster without BLOBS_URL refuses deploys: other nodes would never get the files", async () => {
  const store = await openStore({ env: { DATABASE_URL: "etcd://127.0.0.1/shelter" } });
  await addProject(store);
  const response = await deploy(store);
  expect(await faultOf(response)).toBe("503 storage_unavailable");
  expect((await store.deploys.list("docs", { limit: 10, cursor: undefined })).items).toEqual([]);
});

describe("a node without the files of a deploy", () => {
  test("fetches each once, checks it, and keeps it", async () => {
    const { server, node } = openNodes();
    const [one, other] = [await node(), await node()];
    await addProject(one);
    await deploy(one);
    server.requests.length = 0;
    const bodies = await Promise.all(Array.from({ length: 5 }, async () => (await visit(other, "/")).text()));
    expect(bodies).toEqual(Array.from({ length: 5 }, () => "<h1>home</h1>"));
    expect(server.requests.filter((request) => request === `GET ${objectOf(HOME)}`)).toHaveLength(1);
    expect(readFileSync(localPath(other, HOME), "utf8")).toBe("<h1>home</h1>");
    server.intercept(() => server.error(503, "SlowDown"));
    const again = await node();
    rmSync(rootOf(again), { recursive: true, force: true });
    expect((await visit(other, "/")).status).toBe(200);
  });

  test("responds 503 with Retry-After while the object store is unreachable, and continues with its local files", async () => {
    const { server, node } = openNodes();
    const store = await node();
    await addProject(store);
    await deploy(store);
    await visit(store, "/");
    rmSync(localPath(store, hashOf(FILES["guide.html"] ?? "")));
    server.intercept(() => server.error(503, "SlowDown"));
    const lacking = await visit(store, "/guide");
    expect(lacking.status).toBe(503);
    expect(lacking.headers.get("retry-after")).toBe("5");
    expect(await (await visit(store, "/")).text()).toBe("<h1>home</h1>");
    expect(store.objects?.status.failure()?.reason).toContain("503 SlowDown");
    const ready = await (await store.call("GET", "/readyz")).json();
    expect(ready).toMatchObject({ warnings: [{ code: "object_store_unavailable", count: 1 }] });
    server.intercept(() => undefined);
    for (const poller of store.objects?.everyNode ?? []) await poller.tick();
    expect(await (await store.call("GET", "/readyz")).json()).toEqual({ status: "ready" });
    const metrics = await (await store.call("GET", "/metrics")).text();
    expect(metrics).toMatch(/^object_store_requests_total\{operation="get",outcome="failed"\} 1$/m);
  });

  test("does not serve an object whose content is wrong, and reports it as damaged", async () => {
    const { server, node } = openNodes();
    const [one, other] = [await node(), await node()];
    await addProject(one);
    await deploy(one);
    server.objects.set(objectOf(HOME), { bytes: new TextEncoder().encode("<h1>evil</h1>"), modifiedAt: 0 });
    expect(await faultOf(await visit(other, "/"))).toBe("500 damaged_file");
    expect(localHashes(other)).not.toContain(HOME);
    server.objects.set(objectOf(HOME), { bytes: new TextEncoder().encode("<h1>home</h1>"), modifiedAt: 0 });
    expect((await visit(other, "/")).status).toBe(200);
  });

  test("fetches the files of served deploys before anybody asks for them", async () => {
    const { server, node } = openNodes();
    const [one, other] = [await node(), await node()];
    await addProject(one);
    await deploy(one);
    await deploy(one, { "index.html": "second" });
    await other.objects?.mirror.prefetch(never);
    server.intercept(() => server.error(503, "SlowDown"));
    expect(await (await visit(other, "/")).text()).toBe("second");
    // Only what is served.
    expect(localHashes(other)).not.toContain(HOME);
    server.requests.length = 0;
    await other.objects?.mirror.prefetch(never);
    expect(server.requests).toEqual([]);
  });
});

describe("a damaged file", () => {
  test("is fetched again when it is read", async () => {
    const { node } = openNodes();
    const store = await node();
    await addProject(store);
    await deploy(store);
    writeFileSync(localPath(store, HOME), "<h1>evil</h1>");
    expect(await (await visit(store, "/")).text()).toBe("<h1>home</h1>");
    expect(readFileSync(localPath(store, HOME), "utf8")).toBe("<h1>home</h1>");
  });

  test("is fetched again by the scrub, and not reported", async () => {
    const { node } = openNodes();
    const store = await node();
    await addProject(store);
    await deploy(store);
    writeFileSync(localPath(store, HOME), "<h1>evil</h1>");
    await store.scrub.tick();
    expect(readFileSync(localPath(store, HOME), "utf8")).toBe("<h1>home</h1>");
    expect(await (await store.call("GET", "/readyz")).json()).toEqual({ status: "ready" });
  });
});

describe("this machine's own files", () => {
  test("are uploaded with progress if the object store lacks them: those from before BLOBS_URL, or lost ones", async () => {
    const { server, node } = openNodes();
    const store = await node();
    await addProject(store);
    await deploy(store);
    const before = remoteHashes(server);
    const restarted = await node({ dataDir: store.config.dataDir });
    for (const one of [store, restarted]) {
      server.objects.clear();
      const progress: string[] = [];
      await one.objects?.mirror.uploadAll((done, of) => progress.push(`${done}/${of}`));
      expect(remoteHashes(server)).toEqual(before);
      expect(progress.toSorted()).toEqual(["1/4", "2/4", "3/4", "4/4"]);
    }
    const empty = await node();
    server.objects.clear();
    for (const hash of await store.deploys.activeManifests())
      server.objects.set(objectOf(hash), {
        bytes: new Uint8Array(readFileSync(localPath(store, hash))),
        modifiedAt: 0,
      });
    // Its own directory has none of them.
    expect(await empty.objects?.mirror.uploadAll()).toBe(0);
  });

  test("that no deploy needs are removed here, and stay in the object store for its own sweep", async () => {
    const { server, node } = openNodes();
    const store = await node();
    await addProject(store);
    await deploy(store);
    const stored = remoteHashes(server);
    await store.call("DELETE", "/platform/projects/docs");
    await store.deploys.sweep();
    expect(localHashes(store)).toEqual([]);
    expect(remoteHashes(server)).toEqual(stored);
  });
});
