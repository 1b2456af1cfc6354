import { describe, expect, test } from "bun:test";
import { messageOf, openOnce } from "../../support/store.ts";
import { type WireDomain, makeProject, openProject } from "./projects.ts";

type Opened = Awaited<ReturnType<typeof openProject>>;

/** Three projects, with domains in each rank. */
const openMany = async (): Promise<Opened> => {
  const opened = await openProject();
  const { store, fakeDns, add, verify } = opened;
  await makeProject(store, "blog");
  await makeProject(store, "wiki");
  const names: readonly [string, string, Parameters<typeof fakeDns.byName.set>[1] | undefined][] = [
    ["docs", "z-conflict.example.org", "records_wrong"],
    ["blog", "b-waiting.example.net", undefined],
    ["wiki", "a-live.example.org", "records_right"],
    ["blog", "a-waiting.example.org", undefined],
    ["docs", "b\u00fccher.example.org", "records_right"],
    ["blog", "a-conflict.example.net", "records_wrong"],
  ];
  for (const [slug, hostname, outcome] of names) {
    await add(hostname, slug);
    if (outcome === undefined) continue;
    fakeDns.byName.set(
      hostname === "b\u00fccher.example.org" ? "xn--bcher-kva.example.org" : hostname,
      outcome,
    );
    await verify(hostname, slug);
  }
  return opened;
};

const shared = openOnce(openMany);

const ALL = [
  "blog a-conflict.example.net dns_conflict",
  "docs z-conflict.example.org dns_conflict",
  "blog a-waiting.example.org awaiting_dns",
  "blog b-waiting.example.net awaiting_dns",
  "wiki a-live.example.org live",
  "docs xn--bcher-kva.example.org live",
];

const read = async (query: string, { store }: Opened = shared()): Promise<string[]> => {
  const answer = await store.call("GET", `/platform/domains${query}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as WireDomain[]).map(
    ({ project, hostname, stage }) => `${project} ${hostname} ${stage}`,
  );
};

describe("the list of all domains", () => {
  test("has problems first, then waiting domains, each sorted by name", async () => {
    expect(await read("")).toEqual(ALL);
  });
  test("has the record of each domain's own project", async () => {
    const { store, show } = shared();
    const [first] = (await (await store.call("GET", "/platform/domains?q=a-waiting")).json()) as WireDomain[];
    const { trace: _, ...shown } = await show("a-waiting.example.org", "blog");
    expect(first).toEqual(shown as WireDomain);
  });

  test.each([
    ["?q=Conflict", [0, 1]],
    ["?q=example.net", [0, 3]],
    ["?q=B%C3%9CCH", [5]],
    ["?q=bu%CC%88ch", [5]],
    ["?q=xn--bch", [5]],
    ["?q=bcher-kva.", [5]],
    ["?q=%25", []],
    ["?project=blog", [0, 2, 3]],
    ["?stage=live", [4, 5]],
    ["?stage=live,dns_conflict", [0, 1, 4, 5]],
    ["?stage=awaiting_dns&project=blog&q=b-", [3]],
  ])("with %s has the domains that match", async (query, at) => {
    expect(await read(query)).toEqual(at.map((index) => ALL[index]!));
  });

  test.each([
    ["?stage=lost", "stage: must be stages separated by commas"],
    ["?stage=live,", "stage: must be stages separated by commas"],
    [`?q=${"a".repeat(256)}`, "q: must be a string of 1 to 255 characters"],
    ["?stage=live&stage=verified", "is given twice"],
  ])("with the query %# is refused", async (query, message) => {
    const answer = await shared().store.call("GET", `/platform/domains${query}`);
    expect(answer.status).toBe(400);
    expect(await messageOf(answer)).toContain(message);
  });

  test("keeps the filters of the first page on every page", async () => {
    const { store } = shared();
    const found: string[] = [];
    for (
      let path: string | undefined = "/platform/domains?limit=1&q=example&stage=live,dns_conflict";
      path;
    ) {
      const answer: Response = await store.call("GET", path);
      const page = (await answer.json()) as WireDomain[];
      expect(page).toHaveLength(1);
      found.push(...page.map(({ hostname }) => hostname));
      path = /<(.+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    expect(found).toEqual([0, 1, 4, 5].map((at) => ALL[at]!.split(" ")[1]!));
  });

  test("continues after a removed domain", async () => {
    const opened = await openMany();
    const { store, api } = opened;
    const first = await store.call("GET", "/platform/domains?limit=3");
    const cursor = first.headers.get("next-cursor");
    await api("DELETE", "/domains/a-waiting.example.org", {}, "blog");
    expect(await read(`?limit=3&cursor=${cursor}`, opened)).toEqual(ALL.slice(3));
  });

  test("has a cursor that fits the longest host name, and refuses it with other filters", async () => {
    const { store, add } = await openProject();
    const label = "a".repeat(61);
    for (const last of ["a", "b"]) await add(`${last}${[label, label, label, label].join(".")}.org`);
    const cursor = (await store.call("GET", "/platform/domains?limit=1")).headers.get("next-cursor")!;
    expect((await store.call("GET", `/platform/domains?cursor=${cursor}`)).status).toBe(200);
    const refused = await store.call("GET", `/platform/domains?q=a&cursor=${cursor}`);
    expect(await messageOf(refused)).toStartWith("cursor: ");
  });

  test("has a live domain that no longer verifies among the problems", async () => {
    const { store, fakeDns, add, verify } = await openProject();
    fakeDns.outcome = "records_right";
    for (const name of ["a.example.org", "b.example.org"]) {
      await add(name);
      await verify(name);
    }
    fakeDns.outcome = "records_wrong";
    await verify("b.example.org");
    const listed = (await (await store.call("GET", "/platform/domains")).json()) as WireDomain[];
    expect(listed.map(({ hostname }) => hostname)).toEqual(["b.example.org", "a.example.org"]);
  });

  test("of a project that does not exist is 404", async () => {
    expect((await shared().store.call("GET", "/platform/domains?project=none")).status).toBe(404);
  });

  test("needs a key with the scope platform:read", async () => {
    const { store } = shared();
    const key = await store.createKey({ scopes: ["pets:read"] });
    expect((await store.call("GET", "/platform/domains", { key })).status).toBe(403);
  });
});
