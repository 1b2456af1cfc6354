import { expect, test, describe } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/store.ts";
import { bundled, inProcess } from "./program.ts";
import { makeProject, openProject } from "../platform/domains/projects.ts";

const executable = bundled();

/** A DATA_DIR with the deployed projects `docs` and `blog`. */
const open = async () => {
  const directory = temporaryDirectory();
  const opened = await openProject({
    path: join(directory, "adoption-store.db"),
    env: { DATA_DIR: directory },
  });
  await makeProject(opened.store, "blog");
  const env = { DATA_DIR: directory, DNS_RESOLVERS: "127.0.0.1:1", DNS_PRIVATE: "yes" };
  const file = (text: string): string => {
    const path = join(directory, "domains.csv");
    writeFileSync(path, text);
    return path;
  };
  const domains = (...argv: string[]) => inProcess(["domains", ...argv], { env });
  return { ...opened, env, file, domains };
};

describe("`domains add --from`", () => {
  test("adds the domains of a file, and prints a record or a reason for each", async () => {
    const { domains, file, store } = await open();
    const path = file(
      "domain,project\ndocs.example.org,\nblog.example.org,blog\nlocalhost,\nx.example.org,lost\n",
    );
    const { out, error, code } = await domains("add", "--from", path, "--project", "docs");
    expect([code, error]).toEqual([1, ""]);
    const { targetLabel } = await store.projects.get("blog");
    const lines = out.split("\n").map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual(["DOMAIN", "PROJECT", "RESULT", "RECORD OR REASON"]);
    expect(lines[2]).toEqual([
      "blog.example.org",
      "blog",
      "added",
      `CNAME blog ${targetLabel}.cname.localhost`,
    ]);
    expect(lines[3]!.slice(0, 3)).toEqual(["localhost", "docs", "refused"]);
    expect(lines[3]![3]).toStartWith("hostname: has only one label");
    expect(lines[4]).toEqual(["x.example.org", "lost", "refused", "The project lost does not exist."]);
  });

  test("can be repeated: then it succeeds, and adds nothing", async () => {
    const { domains, file } = await open();
    const path = file("docs.example.org\nwww.example.org\n");
    for (const result of ["added", "present"]) {
      const { out, code } = await domains("add", "--from", path, "--project", "docs", "--json");
      expect(code).toBe(0);
      expect((JSON.parse(out) as { result: string }[]).map((one) => one.result)).toEqual([result, result]);
    }
  });

  test("reads standard input", async () => {
    const { env, show } = await open();
    const { code } = await executable(["domains", "add", "--from", "-"], {
      env,
      input: "docs.example.org,docs\n",
    });
    expect(code).toBe(0);
    expect(await show("docs.example.org")).toMatchObject({ stage: "awaiting_dns" });
  });

  test.each([
    [["add", "docs.example.org"], "name a domain and its --project, or a list of domains with --from"],
    [["add", "--project", "docs"], "name a domain and its --project, or a list of domains with --from"],
    [["add", "docs.example.org", "--from", "a.csv"], "name a domain and its --project, or a list"],
    [["add", "--from", "a.csv", "--pair"], "--pair"],
    [["add", "--from", "/none.csv"], '"/none.csv" does not exist'],
    [["list", "--stage", "lost"], '--stage: "lost" is not one of awaiting_dns, '],
  ])("is called incorrectly, or `domains list`, as %j", async (argv, message) => {
    const { domains } = await open();
    const { out, error, code } = await domains(...argv);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(message);
  });

  test.each(["", "domain,project\n"])("refuses a list without domains: %j", async (text) => {
    const { domains, file } = await open();
    const { out, error, code } = await domains("add", "--from", file(text), "--project", "docs");
    expect([code, out]).toEqual([1, ""]);
    expect(error).toContain("The list has no domains.");
  });

  test("refuses a list that is not CSV, and adds nothing", async () => {
    const { domains, file } = await open();
    const { error, code } = await domains("add", "--from", file('docs.example.org,docs\n"'));
    expect(code).toBe(1);
    expect(error).toContain("The list is not valid CSV: Quote Not Closed");
    expect((await domains("list")).out).toBe(
      "No domains. Add one: adoption-store domains add HOSTNAME --project SLUG\n",
    );
  });
});

test("`domains list` lists the domains of all projects, problems first, or those that match its options", async () => {
  const { domains, add, verify, fakeDns } = await open();
  for (const [slug, name, outcome] of [
    ["docs", "z.example.org", "records_wrong"],
    ["docs", "a.example.org", "records_right"],
    ["blog", "b.example.net", "records_missing"],
  ] as const) {
    await add(name, slug);
    fakeDns.outcome = outcome;
    await verify(name, slug);
  }
  const list = async (...flags: string[]) =>
    (
      JSON.parse((await domains("list", "--json", ...flags)).out) as { project: string; hostname: string }[]
    ).map(({ project, hostname }) => `${project} ${hostname}`);
  expect(await list()).toEqual(["docs z.example.org", "blog b.example.net", "docs a.example.org"]);
  expect(await list("--q", "Example.NET")).toEqual(["blog b.example.net"]);
  expect(await list("--stage", "live", "awaiting_dns")).toEqual(["blog b.example.net", "docs a.example.org"]);
  expect(await list("--project", "docs")).toEqual(["docs z.example.org", "docs a.example.org"]);
  expect(await list("--project", "docs", "--stage", "live")).toEqual(["docs a.example.org"]);
  expect(await list("--stage", "issuing")).toEqual([]);
  for (const flags of [
    ["--stage", "issuing"],
    ["--q", "cats"],
    ["--q", "cats", "--project", "docs"],
  ])
    expect((await domains("list", ...flags)).out).toBe("No domain matches.\n");
  const unknown = await domains("list", "--project", "lost");
  expect([unknown.code, unknown.out]).toEqual([1, ""]);
});

test("`projects list --q` finds projects by their slug or name", async () => {
  const { env } = await open();
  const list = (...argv: string[]) => inProcess(["projects", "list", ...argv], { env });
  const { out, code } = await list("--q", "BLO");
  expect(code).toBe(0);
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ["PROJECT", "NAME", "PLAN", "ADDRESS"],
    ["blog", "blog", "pro", "http://blog.localhost:3000/"],
  ]);
  const all = JSON.parse((await list("--json")).out) as { slug: string }[];
  expect(all.map(({ slug }) => slug)).toEqual(["docs", "blog"]);
  expect((await list("--q", "cats")).out).toStartWith("No projects.");
});
