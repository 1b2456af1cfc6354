import { describe, expect, test } from "bun:test";
import { SWEEP_MARGIN_MS, SWEEP_MS } from "../../../../src/platform/deploys/remote/names.ts";
import { blobUploader } from "../../../../src/platform/deploys/remote/uploader.ts";
import { completeBlobsUrl, parseBlobsUrl } from "../../../../src/lib/blobs-url.ts";
import { openObjectStore } from "../../../../src/protocols/s3/object-store.ts";
import { outcomeOf } from "../../../support/outcome.ts";
import type { Store } from "../../../support/store.ts";
import { FILES, addProject, deploy, hashOf, objectOf, openNodes, remoteHashes, visit } from "./nodes.ts";

const never = new AbortController().signal;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

const sweep = (store: Store) => store.objects?.sweep(never);

/** A deploy that was deleted so many hours ago: its objects are unused. */
const openDeleted = async (hours: number, settings: { sleep?: (ms: number) => Promise<void> } = {}) => {
  const nodes = openNodes();
  const store = await nodes.node(settings);
  await addProject(store);
  await deploy(store);
  await store.call("DELETE", "/platform/projects/docs");
  nodes.clock.advance(hours * HOUR_MS);
  return { ...nodes, store };
};

/** The objects that deploys need and that are missing. */
const lost = async (store: Store, hashes: readonly string[]): Promise<string[]> =>
  [...((await store.deploys.needed()) ?? [])].filter((hash) => !hashes.includes(hash));

describe("a sweep of the object store", () => {
  test("removes what no deploy needs after a day, and leaves its mark", async () => {
    const { server, store } = await openDeleted(25);
    expect(await sweep(store)).toBe(4);
    expect(remoteHashes(server)).toEqual([]);
    const names = [...server.objects.keys()].map((name) => name.replace(/[\da-f-]{36}/, "ID"));
    expect(names.toSorted()).toEqual(["sites/store/owner", "sites/store/sweeps/ID.done"]);
  });

  test("removes nothing before a day is over, and marks nothing", async () => {
    const { server, store } = await openDeleted(23);
    // A deploy does not wait until its pending object is removed.
    const names = () => [...server.objects.keys()].filter((name) => !name.includes("/pending/"));
    const before = names();
    expect(await sweep(store)).toBe(0);
    expect(names()).toEqual(before);
  });

  test("keeps what deploys of other nodes need, however old", async () => {
    const { clock, server, node } = openNodes();
    const [one, other] = [await node(), await node()];
    await addProject(one);
    await deploy(one);
    clock.advance(30 * DAY_MS);
    const before = remoteHashes(server);
    expect(await sweep(other)).toBe(0);
    expect(remoteHashes(server)).toEqual(before);
  });

  test("removes nothing while a manifest cannot be read", async () => {
    const { clock, server, node } = openNodes();
    const [one, other] = [await node(), await node()];
    await addProject(one);
    await deploy(one);
    const first = remoteHashes(server);
    await deploy(one, { "index.html": "second" });
    await one.call("DELETE", "/platform/projects/docs/deploys/1");
    clock.advance(30 * DAY_MS);
    const manifest = (await one.deploys.activeManifests())[0] ?? "";
    const kept = server.objects.get(objectOf(manifest));
    server.objects.delete(objectOf(manifest));
    expect(await outcomeOf(Promise.resolve(sweep(other)))).toThrow();
    expect(remoteHashes(server)).toEqual(expect.arrayContaining(first));
    if (kept) server.objects.set(objectOf(manifest), kept);
    expect(await sweep(other)).toBe(4);
  });

  test("removes nothing that belongs to another store", async () => {
    const { clock, server, store } = await openDeleted(25);
    const text = "0123456789abcdef";
    server.objects.set("sites/store/owner", {
      bytes: new TextEncoder().encode(text),
      modifiedAt: clock.now(),
    });
    expect(await outcomeOf(Promise.resolve(sweep(store)))).toThrow("belongs to another store");
    expect(remoteHashes(server)).toHaveLength(4);
  });

  test("removes nothing while this machine's clock is wrong: the store could not refuse what comes too late", async () => {
    const { server, store } = await openDeleted(25);
    server.setClock(() => store.clock.now() + 60_000);
    expect(await outcomeOf(Promise.resolve(sweep(store)))).toThrow("the clock of this machine differs");
    expect(remoteHashes(server)).toHaveLength(4);
  });

  test("that stops for longer than a minute removes nothing more", async () => {
    const { clock, server, store } = await openDeleted(25);
    server.intercept((method, name) => {
      if (method === "GET" && name.includes("/pending/")) clock.advance(SWEEP_MS);
      if (name === "sites/") clock.advance(SWEEP_MS);
      return undefined;
    });
    expect(await sweep(store)).toBe(0);
    expect(remoteHashes(server)).toHaveLength(4);
  });

  test("leaves its mark if a removal may still arrive, and a deploy waits for it", async () => {
    const { server, store } = await openDeleted(25);
    server.intercept((method) => (method === "DELETE" ? server.error(500, "InternalError") : undefined));
    expect(await outcomeOf(Promise.resolve(sweep(store)))).toThrow("500 InternalError");
    server.intercept(() => undefined);
    let now = 0;
    const uploader = blobUploader({
      store: openObjectStore(completeBlobsUrl(parseBlobsUrl(server.url), {})),
      pathOf: () => import.meta.path,
      sleep: async (ms) => void (now += ms),
      now: () => now,
    });
    const manifest = hashOf("manifest");
    await uploader.upload(manifest, []);
    // Then the store refuses what the sweeper signed.
    expect(now).toBe(SWEEP_MS + SWEEP_MARGIN_MS);
    await uploader.upload(manifest, []);
    expect(now).toBe(SWEEP_MS + SWEEP_MARGIN_MS);
  });
});

/**
 * Runs one act to its end, and at its nth request to the object store another, until that ends or waits for the first.
 * @param isKnown true if the deployer knows that the object store had the files
 */
const interleave = async (first: "sweep" | "deploy", nth: number, isKnown: boolean) => {
  const ended = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  const sleep = () => {
    waiting.resolve();
    return ended.promise;
  };
  const { server, store, node } = await openDeleted(25, { sleep });
  const sweeper = await node();
  const deployer = isKnown ? store : await node({ sleep });
  await addProject(deployer);
  const acts = {
    sweep: () => sweep(sweeper),
    deploy: async () => expect((await deploy(deployer)).status).toBe(201),
  };
  let requests = 0;
  let second: Promise<unknown> | undefined;
  server.intercept(async () => {
    if (second !== undefined || requests++ !== nth) return undefined;
    second = acts[first === "sweep" ? "deploy" : "sweep"]();
    await Promise.race([second, waiting.promise]);
    return undefined;
  });
  await acts[first]();
  ended.resolve();
  await second;
  server.intercept(() => undefined);
  return {
    isInterleaved: second !== undefined,
    lost: await lost(deployer, remoteHashes(server)),
    page: await (await visit(await node(), "/")).text(),
  };
};

describe("a deploy that needs what a sweep is about to remove loses nothing", () => {
  test.each([
    ["sweep", false],
    ["sweep", true],
    ["deploy", false],
    ["deploy", true],
  ] as const)("wherever the other begins within a %s (files known: %p)", async (first, isKnown) => {
    let nth = 0;
    for (; ; nth++) {
      const found = await interleave(first, nth, isKnown);
      if (!found.isInterleaved) break;
      expect({ nth, ...found }).toEqual({
        nth,
        isInterleaved: true,
        lost: [],
        page: FILES["index.html"] ?? "",
      });
    }
    // Each makes several requests.
    expect(nth).toBeGreaterThan(2);
  });
});
