import { describe, expect, test } from "bun:test";
import { MAX_DOMAIN_ROWS, parseDomainList } from "../../../src/lib/domain-list.ts";
import { messageOf } from "../../support/store.ts";
import { makeProject, openProject } from "./projects.ts";

interface WireAddition {
  hostname: string;
  project?: string;
  result: string;
  domain?: { hostname: string; project: string; role: string; record: object };
  error?: { code: string; message: string; status: number };
}

type Opened = Awaited<ReturnType<typeof openProject>>;

const addRows = async ({ store }: Opened, body: object | string, query = ""): Promise<WireAddition[]> => {
  const isText = typeof body === "string";
  const call = isText ? { body, headers: { "content-type": "text/csv; charset=utf-8" } } : { json: body };
  const answer = await store.call("POST", `/platform/domains${query}`, call);
  expect(answer.status).toBe(200);
  return (await answer.json()) as WireAddition[];
};

const brief = (results: readonly WireAddition[]): string[] =>
  results.map(
    ({ hostname, result, domain, error }) => `${hostname} ${result} ${domain?.role ?? error?.code}`,
  );

describe("a list of domains", () => {
  test("is added to several projects, and a refused row changes nothing for the others", async () => {
    const opened = await openProject();
    const { store } = opened;
    await makeProject(store, "blog", "free");
    await makeProject(store, "wiki", "pro", false);
    await makeProject(store, "shop");
    const rows = [
      { hostname: "docs.example.org", project: "docs" },
      { hostname: "blog.example.org", project: "blog" },
      { hostname: "wiki.example.org", project: "wiki" },
      { hostname: "192.0.2.1", project: "docs" },
      { hostname: " ", project: "docs" },
      { hostname: "lost.example.org", project: "lost" },
      { hostname: "none.example.org" },
      { hostname: "odd.example.org", project: "docs", role: "odd" },
      { hostname: "*.example.org", project: "docs" },
      { hostname: "B\u00fccher.example.org", project: "shop" },
      { hostname: "DOCS.example.org.", project: "docs" },
    ];
    const results = await addRows(opened, rows);
    expect(brief(results)).toEqual([
      "docs.example.org added primary",
      "blog.example.org refused plan_required",
      "wiki.example.org refused no_successful_deploy",
      "192.0.2.1 refused invalid_request",
      "  refused invalid_request",
      "lost.example.org refused not_found",
      "none.example.org refused invalid_request",
      "odd.example.org refused invalid_request",
      "*.example.org refused invalid_request",
      "B\u00fccher.example.org added primary",
      "DOCS.example.org. present primary",
    ]);
    expect(results[0]!.domain).toMatchObject({ project: "docs", record: { type: "CNAME", name: "docs" } });
    expect(results[3]!.error).toEqual({
      code: "invalid_request",
      message: "hostname: is an IP address: a domain name is needed",
      status: 400,
    });
    expect(results[6]!.error!.message).toBe("project: is missing");
    expect(results[7]!.error!.message).toBe("role: must be primary, served or redirect");
    const listed = (await (await store.call("GET", "/platform/domains")).json()) as { hostname: string }[];
    expect(listed.map(({ hostname }) => hostname)).toEqual(["docs.example.org", "xn--bcher-kva.example.org"]);
  });

  test("that is added again changes nothing, and leaves no audit entry", async () => {
    const opened = await openProject();
    const rows = ["a", "b", "c"].map((label) => ({ hostname: `${label}.example.org`, project: "docs" }));
    const audit = async () =>
      ((await (await opened.store.call("GET", "/platform/audit?limit=100")).json()) as { action: string }[])
        .map(({ action }) => action)
        .filter((action) => action.startsWith("domain."));
    await addRows(opened, rows);
    expect(await audit()).toEqual(["domain.added", "domain.added", "domain.added"]);
    const again = await addRows(opened, rows);
    expect(again.map(({ result }) => result)).toEqual(["present", "present", "present"]);
    expect(await audit()).toHaveLength(3);
    expect(await opened.events("a.example.org")).toEqual(["added awaiting_dns"]);
  });

  test("adds the primary domain before its redirects, and returns results in request order", async () => {
    const opened = await openProject();
    const rows = [
      { hostname: "www.example.org", project: "docs", role: "redirect" },
      { hostname: "help.example.org", project: "docs", role: "served" },
      { hostname: "example.org", project: "docs", role: "primary" },
    ];
    expect(brief(await addRows(opened, rows))).toEqual([
      "www.example.org added redirect",
      "help.example.org added served",
      "example.org added primary",
    ]);
  });

  test("replaces the primary domain of a project with a new one, but not with an existing one", async () => {
    const opened = await openProject();
    const { add, show } = opened;
    await add("old.example.org");
    await add("second.example.org");
    const primary = { project: "docs", role: "primary" };
    await addRows(opened, [{ hostname: "second.example.org", ...primary }]);
    expect(await show("old.example.org")).toMatchObject({ role: "primary" });
    const [result] = await addRows(opened, [{ hostname: "new.example.org", ...primary }]);
    expect(result).toMatchObject({ result: "added", domain: { role: "primary" } });
    expect(await show("old.example.org")).toMatchObject({ role: "served" });
  });

  test("cannot make a wildcard the primary domain, and does not add it", async () => {
    const env = { HTTPS_PORT: "443", DNS_CHALLENGE_HOOK: "/bin/true", PLATFORM_DOMAIN: "sites.example.com" };
    const opened = await openProject({ env });
    const row = { hostname: "*.example.org", project: "docs" };
    const [refused] = await addRows(opened, [{ ...row, role: "primary" }]);
    expect(refused!.error!.message).toStartWith("A wildcard cannot be the primary domain");
    expect(brief(await addRows(opened, [row]))).toEqual(["*.example.org added served"]);
  });

  test("is added up to the limit of its project", async () => {
    const opened = await openProject();
    const rows = Array.from({ length: 102 }, (_, index) => ({ hostname: `n${index}.example.org` }));
    const results = await addRows(opened, rows, "?project=docs");
    expect(brief(results.slice(99))).toEqual([
      "n99.example.org added served",
      "n100.example.org refused domain_limit_reached",
      "n101.example.org refused domain_limit_reached",
    ]);
  });

  test("can be CSV, and rows without a project use the project of the query", async () => {
    const opened = await openProject();
    await makeProject(opened.store, "blog");
    const csv =
      "domain,project,role\r\ndocs.example.org,,\r\nblog.example.org,blog,\r\nwww.example.org,,redirect\r\n";
    const results = await addRows(opened, csv, "?project=docs");
    expect(results.map(({ project, domain }) => `${project} ${domain?.role}`)).toEqual([
      "docs primary",
      "blog primary",
      "docs redirect",
    ]);
  });

  test.each([
    [[], "must be a list of 1 to 1000 domains"],
    [
      Array.from({ length: MAX_DOMAIN_ROWS + 1 }, () => ({ hostname: "a" })),
      "must be a list of 1 to 1000 domains",
    ],
    [[{ hostname: "a".repeat(1001) }], "at most 1000 characters"],
    [[{ hostname: "docs.example.org", owner: "me" }], "owner"],
    [{ hostname: "docs.example.org" }, "must be"],
  ])("with the wrong shape is refused as a whole: case %#", async (json, message) => {
    const { store } = await openProject();
    const answer = await store.call("POST", "/platform/domains", { json });
    expect(answer.status).toBe(400);
    expect(await messageOf(answer)).toContain(message);
  });

  test("needs a key with the scope platform:write", async () => {
    const { store } = await openProject();
    const key = await store.createKey({ scopes: ["platform:read"] });
    expect(
      (await store.call("POST", "/platform/domains", { key, json: [{ hostname: "a.example.org" }] })).status,
    ).toBe(403);
  });
});

test("a row without a host name is refused, and the others are added", async () => {
  const { store } = await openProject();
  for (const sent of [
    { json: [{ hostname: "" }, { hostname: "a.example.org" }] },
    { body: ",docs\na.example.org\n", headers: { "content-type": "text/csv" } },
  ]) {
    const response = await store.call("POST", "/platform/domains?project=docs", sent);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { hostname: "", result: "refused", error: { code: "invalid_request" } },
      { hostname: "a.example.org", result: expect.stringMatching(/added|present/) },
    ]);
  }
});

describe("the text of a list of domains", () => {
  const row = (hostname: string, project?: string, role?: string) => ({ hostname, project, role });

  test.each([
    ["docs.example.org\nwww.example.org\n", [row("docs.example.org"), row("www.example.org")]],
    ["\ufeffDomain;Project\r\ndocs.example.org;docs", [row("docs.example.org", "docs")]],
    ["hostname\tproject\nb\u00fccher.example.org\tdocs\n", [row("b\u00fccher.example.org", "docs")]],
    ["docs.example.org, docs, redirect", [row("docs.example.org", "docs", "redirect")]],
    [",docs\n", [row("", "docs")]],
    ['\n\n"docs.example.org",\n,,\n', [row("docs.example.org")]],
    ["project,domain\ndocs,docs.example.org\n", [row("docs.example.org", "docs")]],
    ["docs.example.org,domain", [row("docs.example.org", "domain")]],
    ["docs.example.org,hostname", [row("docs.example.org", "hostname")]],
    ["", []],
  ])("%j is read", (text, rows) => {
    expect(parseDomainList(text)).toEqual(rows);
  });

  test.each([
    ['docs.example.org,"docs', "Quote Not Closed: the parsing is finished with an opening quote at line 1"],
    [`${"a".repeat(5000)}"b"`, /Invalid Opening Quote: .{1,60}$/],
    [
      "domain,ttl\ndocs.example.org,300",
      'The list has a column "ttl". The columns are domain, project and role.',
    ],
    [
      "docs.example.org\n\ndocs.example.org,docs,served,300",
      "Line 3 has 4 values. The columns are domain, project and role.",
    ],
  ])("that is not CSV is refused: case %#", (text, message) => {
    expect(() => parseDomainList(text)).toThrow(message);
  });
});
