import { expect, test } from "bun:test";
import { type SiteFiles, publishOwnSite } from "../../src/deploys/own-site.ts";
import { outcomeOf } from "../support/outcome.ts";
import { type Store, openStore } from "../support/store.ts";
import { tarGzOf } from "./archives.ts";

const project = async (store: Store) =>
  (await (await store.call("GET", "/platform/projects/docs")).json()) as Record<string, unknown>;

/** Publishes an edition of a site of one page. @returns whether its files were asked for */
const publish = async (store: Store, edition: string): Promise<boolean> => {
  let isRendered = false;
  const marker = `edition-${edition}.txt`;
  async function* files(): SiteFiles {
    isRendered = true;
    yield ["index.html", edition];
    yield [marker, ""];
  }
  await publishOwnSite({ marker, files }, store);
  return isRendered;
};

const shown = async (store: Store): Promise<string> =>
  (await store.visit("http://docs.localhost:3000/")).text();

const deploy = async (store: Store, text: string): Promise<void> => {
  const response = await store.call("POST", "/platform/projects/docs/deploys", {
    body: tarGzOf([{ name: "index.html", content: Buffer.from(text) }]),
    headers: { "content-type": "application/gzip" },
  });
  expect(response.status).toBe(201);
};

const activate = async (store: Store, id: number): Promise<void> => {
  const response = await store.call("POST", `/platform/projects/docs/deploys/${id}/activate`);
  expect(response.status).toBe(200);
};

test("the site is published once, as project docs with plan pro", async () => {
  const store = await openStore();
  expect(await publish(store, "one")).toBe(true);
  expect(await publish(store, "one")).toBe(false);
  expect(await project(store)).toMatchObject({ slug: "docs", plan: "pro", activeDeploy: 1 });
  expect(await shown(store)).toBe("one");
});

test("a new edition replaces the one before", async () => {
  const store = await openStore();
  await publish(store, "one");
  expect(await publish(store, "two")).toBe(true);
  expect(await shown(store)).toBe("two");
  expect(await publish(store, "two")).toBe(false);
  expect(await project(store)).toMatchObject({ activeDeploy: 2 });
});

test("a site that somebody deployed is not replaced", async () => {
  const store = await openStore();
  await publish(store, "one");
  await deploy(store, "mine");
  expect(await publish(store, "two")).toBe(false);
  expect(await shown(store)).toBe("mine");
});

test("an older edition that somebody activated is served until the next edition", async () => {
  const store = await openStore();
  await publish(store, "one");
  await publish(store, "two");
  await activate(store, 1);
  expect(await publish(store, "two")).toBe(false);
  expect(await shown(store)).toBe("one");
  expect(await publish(store, "three")).toBe(true);
  expect(await shown(store)).toBe("three");
});

test("who goes back from a site of their own to the service's gets its new editions again", async () => {
  const store = await openStore();
  await publish(store, "one");
  await deploy(store, "mine");
  await activate(store, 1);
  await publish(store, "two");
  expect(await shown(store)).toBe("two");
});

test("a publication that a crash interrupted is finished", async () => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Mine" } });
  await publish(store, "one");
  expect(await project(store)).toMatchObject({ name: "Mine", activeDeploy: 1 });
});

test("a deleted site stays deleted", async () => {
  const store = await openStore();
  await publish(store, "one");
  await store.call("DELETE", "/platform/projects/docs");
  expect(await publish(store, "two")).toBe(false);
  expect((await store.call("GET", "/platform/projects/docs")).status).toBe(404);
});

test("nothing is published where something else was deployed before", async () => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Mine" } });
  await deploy(store, "mine");
  await store.call("POST", "/platform/projects", { json: { slug: "other", name: "Other" } });
  expect(await publish(store, "one")).toBe(false);
  expect(await shown(store)).toBe("mine");
});

test.each([
  ["the first", []],
  ["a later", ["one"]],
])("a deploy that arrives during %s publication is served", async (_which, before) => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Mine" } });
  for (const edition of before) await publish(store, edition);
  async function* files(): SiteFiles {
    await deploy(store, "mine");
    yield ["index.html", "two"];
  }
  await publishOwnSite({ marker: "edition-two.txt", files }, store);
  expect(await shown(store)).toBe("mine");
});

test("a rollback that arrives during a publication is kept", async () => {
  const store = await openStore();
  await publish(store, "one");
  await publish(store, "two");
  async function* files(): SiteFiles {
    await activate(store, 1);
    yield ["index.html", "three"];
    yield ["edition-three.txt", ""];
  }
  await publishOwnSite({ marker: "edition-three.txt", files }, store);
  expect(await shown(store)).toBe("one");
  expect(await project(store)).toMatchObject({ activeDeploy: 1 });
  expect(await publish(store, "three")).toBe(true);
});

test("nothing is published if the files end with an error", async () => {
  const store = await openStore();
  await publish(store, "one");
  async function* files(): SiteFiles {
    yield ["index.html", "two"];
    throw new Error("no more");
  }
  expect(await outcomeOf(publishOwnSite({ marker: "edition-two.txt", files }, store))).toThrow("no more");
  expect(await shown(store)).toBe("one");
});
