import { expect, test } from "bun:test";
import { cachedNames } from "../../../src/platform/sites/name-cache.ts";
import type { Published } from "../../../src/platform/sites/repository.ts";

const site = (deployId: number): Published => ({ kind: "site", projectId: 1, deployId, manifest: "" });

const counted = (found: (name: string) => Published | undefined) => {
  const lookups: string[] = [];
  const find = (name: string) => {
    lookups.push(name);
    return found(name);
  };
  return { lookups, names: { bySlug: find, byHostname: find, byDeploy: () => undefined } };
};

test("a name is looked up once until anything is written", () => {
  let version = 1;
  const { lookups, names } = counted(() => site(version));
  const cached = cachedNames(names, () => version);
  for (let round = 0; round < 3; round++) expect(cached.bySlug("docs")).toEqual(site(1));
  expect(lookups).toEqual(["docs"]);
  version = 2;
  expect(cached.bySlug("docs")).toEqual(site(2));
  expect(cached.byHostname("docs")).toEqual(site(2));
  expect(lookups).toEqual(["docs", "docs", "docs"]);
});

test("a write empties the cache of slugs and of host names", () => {
  let version = 1;
  const { names } = counted(() => site(version));
  const cached = cachedNames(names, () => version);
  cached.bySlug("docs");
  cached.byHostname("docs.example.com");
  version = 2;
  expect(cached.bySlug("docs")).toEqual(site(2));
  expect(cached.byHostname("docs.example.com")).toEqual(site(2));
});

test("a name with nothing published is looked up each time", () => {
  const { lookups, names } = counted(() => undefined);
  const cached = cachedNames(names, () => 1);
  for (let round = 0; round < 3; round++) expect(cached.byHostname("none.example")).toBeUndefined();
  expect(lookups.length).toBe(3);
});
