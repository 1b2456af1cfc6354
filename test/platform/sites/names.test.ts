import { expect, test } from "bun:test";
import { publishedNames } from "../../../src/platform/sites/repository.ts";
import { runInCommit } from "../../support/store.ts";
import { makeProject, openProject } from "../domains/projects.ts";

test.each([
  ["covers a held name of its own project", "docs", true],
  ["does not cover a name that another project holds", "other", false],
])("a wildcard %s, until that name is live", async (_, holder, isCovered) => {
  const { store } = await openProject();
  await makeProject(store, "other");
  const insert = async (slug: string, hostname: string, stage: string) =>
    runInCommit(
      store.database,
      `insert into domains (project_id, hostname, stage, role, created_at, waiting_since, findings)
      select id, '${hostname}', '${stage}', 'served', created_at, created_at, '[]' from projects where slug = '${slug}'`,
    );
  await insert("docs", "*.example.org", "live");
  await insert(holder, "guide.example.org", "verified");
  const found = publishedNames(store.database).byHostname("guide.example.org");
  expect(found).toMatchObject(
    isCovered
      ? { kind: "site", wildcard: "*.example.org" }
      : { kind: "unserved", hostname: "guide.example.org", stage: "verified" },
  );
});
