import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, writeManifest } from "../../src/deploys/manifest.ts";
import { deployedSites } from "../../src/sites/deployed.ts";
import type { PublishedSite } from "../../src/sites/repository.ts";
import { temporaryDirectory } from "../support/store.ts";

/** A store with a page, and deploys with so many files each. */
const open = (most: number) => {
  const root = temporaryDirectory();
  const read: string[] = [];
  const pathOf = (hash: string) => {
    if (hash.startsWith("manifest")) read.push(hash);
    return join(root, hash);
  };
  mkdirSync(root, { recursive: true });
  const hash = Bun.SHA256.hash("page", "hex");
  writeFileSync(join(root, hash), "page");
  const deploy = (deployId: number, files: number): PublishedSite => {
    const file = { hash, size: 4, type: "text/html; charset=utf-8", encodings: {}, immutable: false };
    const manifest: Manifest = new Map(
      Array.from({ length: files }, (_, at) => [at === 0 ? "index.html" : `${at}.html`, file]),
    );
    writeFileSync(join(root, `manifest${deployId}`), writeManifest(manifest));
    return { kind: "site", projectId: 1, deployId, manifest: `manifest${deployId}` };
  };
  const sites = deployedSites({ pathOf }, { files: most });
  const visit = async (site: PublishedSite) => {
    const request = { method: "GET", path: "/", query: "", headers: new Headers() };
    return (await (await (await sites.open(site)).answer(request)).text()) as string;
  };
  return { root, read, deploy, sites, visit };
};

test("a deploy that is asked for often is read once, also by those who ask at once", async () => {
  const { read, deploy, visit } = open(100);
  const site = deploy(1, 10);
  expect(await Promise.all(Array.from({ length: 20 }, () => visit(site)))).toEqual(
    Array.from({ length: 20 }, () => "page"),
  );
  expect(read).toEqual(["manifest1"]);
});

test("the deploys asked for last are kept, up to so many files; one with more is kept alone", async () => {
  const { read, deploy, visit } = open(100);
  const [one, two, three, large] = [deploy(1, 40), deploy(2, 40), deploy(3, 40), deploy(4, 500)] as const;
  for (const site of [one, two, one, three, one, two]) await visit(site);
  // The third drove out the second, which the first was asked for after.
  expect(read).toEqual(["manifest1", "manifest2", "manifest3", "manifest2"]);
  read.length = 0;
  for (const site of [large, large, one]) await visit(site);
  expect(read).toEqual(["manifest4", "manifest1"]);
});

test("one that could not be read is read again when it is asked for again", async () => {
  const { root, read, deploy, visit } = open(100);
  const site = deploy(1, 1);
  const file = join(root, site.manifest);
  const text = await Bun.file(file).text();
  rmSync(file);
  await expect(visit(site)).rejects.toMatchObject({ code: "ENOENT" });
  writeFileSync(file, "{}");
  await expect(visit(site)).rejects.toThrow("The manifest is not one of version 1.");
  writeFileSync(file, text);
  expect(await visit(site)).toBe("page");
  expect(read.length).toBe(3);
});
