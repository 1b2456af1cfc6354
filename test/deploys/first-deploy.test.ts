import { expect, test } from "bun:test";
import { openStore } from "../support/store.ts";
import { tarGzOf } from "./archives.ts";

const projects = async (store: Awaited<ReturnType<typeof openStore>>) =>
  (await (await store.call("GET", "/platform/projects")).json()) as Record<string, unknown>[];

test("the reference is published once, as project docs with plan pro", async () => {
  const store = await openStore();
  await store.publishReference();
  await store.publishReference();
  expect(await projects(store)).toMatchObject([{ slug: "docs", plan: "pro", activeDeploy: 1 }]);
  const page = (path: string) => store.visit(`http://docs.localhost:3000${path}`);
  expect(await (await page("/")).text()).toContain("<h1");
  const reference = await (await page("/store")).text();
  for (const words of ["GET /v1/pets/{petId}", "(deprecated)", "pets:write", 'id="newpet"'])
    expect(reference).toContain(words);
  expect(await (await page("/platform.json")).json()).toMatchObject({ openapi: "3.1.0" });
  expect((await page("/nothing")).status).toBe(404);
});

test("a publication that a crash interrupted is finished", async () => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Mine" } });
  await store.publishReference();
  expect(await projects(store)).toMatchObject([{ slug: "docs", name: "Mine", activeDeploy: 1 }]);
});

test("a deleted reference stays deleted", async () => {
  const store = await openStore();
  await store.publishReference();
  await store.call("DELETE", "/platform/projects/docs");
  await store.publishReference();
  expect(await projects(store)).toEqual([]);
});

test("a deploy that arrives during the publication is served, not the reference", async () => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Mine" } });
  const publishing = store.publishReference();
  const body = tarGzOf([{ name: "index.html", content: Buffer.from("mine") }]);
  const headers = { "content-type": "application/gzip" };
  const response = await store.call("POST", "/platform/projects/docs/deploys", { body, headers });
  await publishing;
  expect(await response.json()).toMatchObject({ active: true });
  expect(await (await store.visit("http://docs.localhost:3000/")).text()).toBe("mine");
});
