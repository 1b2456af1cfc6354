import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BlobDamaged, damagedBlobs } from "../../../src/platform/deploys/blob-check.ts";
import { writeManifest } from "../../../src/platform/deploys/manifest.ts";
import { siteCache } from "../../../src/platform/sites/site-cache.ts";
import type { PublishedSite } from "../../../src/platform/sites/repository.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { unrepaired } from "../../support/blobs.ts";

/** A blob store with one page, and a function that makes deploys with so many files. */
const openStore = (maxFiles: number) => {
  const root = temporaryDirectory();
  const read: string[] = [];
  const manifests = new Map<string, string>();
  const pathOf = (hash: string) => {
    const manifest = manifests.get(hash);
    if (manifest) read.push(manifest);
    return join(root, hash);
  };
  mkdirSync(root, { recursive: true });
  const hash = Bun.SHA256.hash("page", "hex");
  writeFileSync(join(root, hash), "page");
  const deploy = (deployId: number, files: number, redirects?: string): PublishedSite => {
    const file = { hash, size: 4, type: "text/html; charset=utf-8", encodings: {}, immutable: false };
    const site = new Map(
      Array.from({ length: files }, (_, index) => [
        index === 0 ? "index.html" : `${deployId}/${index}.html`,
        file,
      ]),
    );
    if (redirects !== undefined) {
      const rules = Bun.SHA256.hash(redirects, "hex");
      writeFileSync(join(root, rules), redirects);
      site.set("_redirects", { ...file, hash: rules, size: redirects.length });
    }
    const text = writeManifest(site);
    const manifest = Bun.SHA256.hash(text, "hex");
    manifests.set(manifest, `manifest${deployId}`);
    writeFileSync(join(root, manifest), text);
    return { kind: "site", projectId: 1, deployId, manifest };
  };
  const damage = damagedBlobs();
  const sites = siteCache({ pathOf, damage, repair: unrepaired(damage) }, { maxFiles });
  const visit = async (site: PublishedSite, path = "/") => {
    const request = { method: "GET", path, query: "", headers: new Headers(), inParts: false };
    return (await (await sites.open(site)).respond(request)).text();
  };
  return { root, read, damage, deploy, visit };
};

test("a deploy is read once, also by concurrent requests", async () => {
  const { read, deploy, visit } = openStore(100);
  const site = deploy(1, 10);
  expect(await Promise.all(Array.from({ length: 20 }, () => visit(site)))).toEqual(
    Array.from({ length: 20 }, () => "page"),
  );
  expect(read).toEqual(["manifest1"]);
});

test("the deploys used last stay cached, up to a number of files, and one with more files is cached alone", async () => {
  const { read, deploy, visit } = openStore(100);
  const [one, two, three, large] = [deploy(1, 40), deploy(2, 40), deploy(3, 40), deploy(4, 500)] as const;
  for (const site of [one, two, one, three, one, two]) await visit(site);
  // The third evicted the second, for the first was used after it.
  expect(read).toEqual(["manifest1", "manifest2", "manifest3", "manifest2"]);
  read.length = 0;
  for (const site of [large, large, one]) await visit(site);
  expect(read).toEqual(["manifest4", "manifest1"]);
});

test("each rule of a deploy counts as a file", async () => {
  const { read, deploy, visit } = openStore(100);
  const rules = Array.from({ length: 60 }, (_, index) => `/${index} /`).join("\n");
  const [one, other] = [deploy(1, 40), deploy(2, 10, rules)] as const;
  for (const site of [one, other, one]) await visit(site);
  expect(read).toEqual(["manifest1", "manifest2", "manifest1"]);
});

test("a long rule of a deploy counts as several files", async () => {
  const { read, deploy, visit } = openStore(100);
  const rules = Array.from({ length: 20 }, (_, index) => `/${index} /${"x".repeat(900)}`).join("\n");
  const [one, other] = [deploy(1, 40), deploy(2, 10, rules)] as const;
  for (const site of [one, other, one]) await visit(site);
  expect(read).toEqual(["manifest1", "manifest2", "manifest1"]);
});

test("rules of an earlier version's deploy hold only if all are understood, and are not served either way", async () => {
  const { deploy, visit } = openStore(100);
  const [sound, faulty] = [
    deploy(1, 1, "/a /index.html 200\n"),
    deploy(2, 1, "/a /index.html 200\nnonsense\n"),
  ];
  expect(await visit(sound, "/a")).toBe("page");
  expect(await visit(faulty, "/a")).toBe("There is nothing at this address.\n");
  for (const site of [sound, faulty])
    expect(await visit(site, "/_redirects")).toBe("There is nothing at this address.\n");
});

test("a deploy whose rules are damaged is an error, and not a site without rules", async () => {
  const { root, deploy, visit } = openStore(100);
  const site = deploy(1, 1, "/a /index.html 200\n");
  writeFileSync(join(root, Bun.SHA256.hash("/a /index.html 200\n", "hex")), "/b /index.html 200\n");
  expect(await outcomeOf(visit(site))).toThrow(BlobDamaged);
});

test("a deploy whose manifest is missing or damaged is not read again before it is repaired", async () => {
  const { root, read, damage, deploy, visit } = openStore(100);
  const site = deploy(1, 1);
  const file = join(root, site.manifest);
  const text = await Bun.file(file).text();
  for (const damaged of ["", "{}", text.replace("index", "other")]) {
    writeFileSync(file, damaged);
    expect(await outcomeOf(visit(site))).toThrow(BlobDamaged);
    expect(await outcomeOf(visit(site))).toThrow(BlobDamaged);
    damage.remove(site.manifest);
  }
  rmSync(file);
  expect(await outcomeOf(visit(site))).toThrow(BlobDamaged);
  expect(damage.hashes()).toEqual([site.manifest]);
  expect(read.length).toBe(4);
  writeFileSync(file, text);
  damage.remove(site.manifest);
  expect(await visit(site)).toBe("page");
});
