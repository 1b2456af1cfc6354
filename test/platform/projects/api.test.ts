import { expect, test } from "bun:test";
import { PLAN_NAMES } from "../../../src/platform/projects/plan.ts";
import { type Store, faultOf, messageOf, openStore } from "../../support/store.ts";

const make = (store: Store, project: Record<string, unknown> = {}) =>
  store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs", ...project } });

test("a project is created, fetched, listed, changed and deleted", async () => {
  const store = await openStore({ env: { PLATFORM_DOMAIN: "sites.example.org", PORT: "8080" } });
  const createdResponse = await make(store);
  expect(createdResponse.status).toBe(201);
  expect(createdResponse.headers.get("location")).toBe("/platform/projects/docs");
  const project = (await createdResponse.json()) as Record<string, string>;
  expect(project).toEqual({
    slug: "docs",
    name: "Docs",
    plan: "free",
    target: expect.stringMatching(/^[a-z2-7]{20}\.cname\.sites\.example\.org$/),
    address: "http://docs.sites.example.org:8080/",
    createdAt: "2026-11-20T00:00:00.000Z",
  });
  expect(await (await store.call("GET", "/platform/projects/docs")).json()).toEqual(project);
  expect(await (await store.call("GET", "/platform/projects")).json()).toEqual([project]);
  const changed = await store.call("PATCH", "/platform/projects/docs", { json: { plan: "pro" } });
  expect(await changed.json()).toEqual({ ...project, plan: "pro" });
  expect((await store.call("DELETE", "/platform/projects/docs")).status).toBe(204);
  expect(await faultOf(await store.call("GET", "/platform/projects/docs"))).toBe("404 not_found");
  expect(await faultOf(await store.call("DELETE", "/platform/projects/docs"))).toBe("404 not_found");
  expect(await faultOf(await store.call("PATCH", "/platform/projects/docs", { json: {} }))).toBe(
    "404 not_found",
  );
});

test.each(PLAN_NAMES)("a project can be created on the plan %s", async (plan) => {
  const store = await openStore();
  const created = await make(store, { plan });
  expect([created.status, ((await created.json()) as { plan: string }).plan]).toEqual([201, plan]);
});

test("a slug belongs to one project at a time, and its CNAME target is never used again", async () => {
  const store = await openStore();
  const first = (await (await make(store)).json()) as { target: string };
  expect(await faultOf(await make(store, { name: "Other" }))).toBe("409 slug_taken");
  await store.call("DELETE", "/platform/projects/docs");
  const second = (await (await make(store)).json()) as { target: string };
  expect(second.target).not.toBe(first.target);
});

test.each([
  "www",
  "api",
  "admin",
  "mail",
  "_acme-challenge",
  "",
  "-docs",
  "docs-",
  "do.cs",
  "Docs",
  "dócs",
  "xn--dcs-gna",
  "a".repeat(64),
])("the slug %p is refused by name", async (slug) => {
  const store = await openStore();
  const response = await make(store, { slug });
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toMatch(/^slug: /);
});

test("projects are listed in pages, in the order in which they were created", async () => {
  const store = await openStore();
  for (const slug of ["c", "a", "b"]) await make(store, { slug });
  const slugs = async (response: Response) =>
    ((await response.json()) as { slug: string }[]).map((one) => one.slug);
  const first = await store.call("GET", "/platform/projects?limit=2");
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  expect(await slugs(first)).toEqual(["c", "a"]);
  const second = await store.call("GET", next);
  expect(second.headers.get("link")).toBeNull();
  expect(await slugs(second)).toEqual(["b"]);
  expect(await faultOf(await store.call("GET", "/platform/projects?cursor=MTpwZXRzOg"))).toBe(
    "400 invalid_cursor",
  );
});

test("projects are found by part of their slug or name, in pages", async () => {
  const store = await openStore();
  for (const [slug, name] of [
    ["docs", "The Handbook"],
    ["handbook-2", "Second"],
    ["blog", "\u00dcber uns 100%"],
  ] as const)
    await make(store, { slug, name });
  const find = async (query: string) => {
    const answer = await store.call("GET", `/platform/projects?${query}`);
    const slugs = ((await answer.json()) as { slug: string }[]).map(({ slug }) => slug);
    return { slugs, next: /<(.+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1] };
  };
  expect((await find("q=HANDbook")).slugs).toEqual(["docs", "handbook-2"]);
  expect((await find("q=%C3%9Cber")).slugs).toEqual(["blog"]);
  expect((await find("q=%25")).slugs).toEqual(["blog"]);
  expect((await find("q=_")).slugs).toEqual([]);
  const { slugs, next } = await find("q=book&limit=1");
  expect(slugs).toEqual(["docs"]);
  expect((await find(new URL(next!, "http://localhost").search.slice(1))).slugs).toEqual(["handbook-2"]);
  const other = await store.call("GET", next!.replace("q=book", "q=docs"));
  expect(await faultOf(other)).toBe("400 invalid_cursor");
  expect((await store.call("GET", `/platform/projects?q=${"a".repeat(101)}`)).status).toBe(400);
});

test("reading projects needs platform:read, changing them platform:write", async () => {
  const store = await openStore();
  await make(store);
  const reader = await store.createKey({ scopes: ["platform:read"] });
  const writer = await store.createKey({ scopes: ["platform:write"] });
  expect((await store.call("GET", "/platform/projects/docs", { key: reader })).status).toBe(200);
  const refused = [
    await store.call("GET", "/platform/projects", { key: writer }),
    await store.call("PATCH", "/platform/projects/docs", { key: reader, json: { plan: "pro" } }),
    await store.call("DELETE", "/platform/projects/docs", { key: reader }),
  ];
  for (const response of refused) expect(await faultOf(response)).toBe("403 insufficient_scope");
  expect((await store.call("DELETE", "/platform/projects/docs", { key: writer })).status).toBe(204);
});

test("of concurrent requests for the same slug, one succeeds", async () => {
  const store = await openStore();
  const responses = await Promise.all([make(store), make(store), make(store)]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
});

test("a slug whose address is one of the service's own names is refused", async () => {
  const store = await openStore({
    env: {
      PLATFORM_DOMAIN: "example.org",
      BASE_URL: "https://adopt.example.org",
      API_HOSTS: "store.example.org",
      PLATFORM_CNAME_TARGET: "to.edge.example.org",
    },
  });
  for (const slug of ["adopt", "store", "edge"])
    expect(await messageOf(await make(store, { slug }))).toBe("slug: is reserved: choose another");
  expect((await make(store, { slug: "to" })).status).toBe(201);
});
