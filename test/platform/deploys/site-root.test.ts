import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { unpack } from "../../../src/platform/deploys/archive.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { storeSite } from "../../../src/platform/deploys/store-site.ts";
import { InvalidArchive, UNPACK_LIMITS } from "../../../src/platform/deploys/archive-rules.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { tarGzOf, zipOf } from "./archives.ts";

const FORMATS = [
  ["tar.gz", tarGzOf],
  ["zip", zipOf],
] as const;

/** The paths of the site from an archive with these names, or why it is refused. */
const siteOf = async (pack: typeof tarGzOf, names: readonly string[]): Promise<string[] | string> => {
  const root = temporaryDirectory();
  const file = join(root, "upload");
  await Bun.write(file, pack(names.map((name) => ({ name, ...(name.endsWith("/") && { flag: "5" }) }))));
  try {
    const { manifest, release } = await storeSite(
      unpack(file, UNPACK_LIMITS),
      openBlobs(join(root, "blobs")),
    );
    release();
    return [...manifest.keys()];
  } catch (error) {
    if (!(error instanceof InvalidArchive)) throw error;
    return error.message;
  }
};

describe.each(FORMATS)("a %s", (_format, pack) => {
  test("with a single top-level directory is the site in that directory", async () => {
    const names = ["site/", "site/index.html", "site/css/", "site/css/main.css", "site/.well-known/x"];
    expect(await siteOf(pack, names)).toEqual([".well-known/x", "css/main.css", "index.html"]);
    expect(await siteOf(pack, ["./site/index.html", "./site/a.html"])).toEqual(["a.html", "index.html"]);
  });

  test("is unwrapped once, and not at all if its top level has a start page", async () => {
    expect(await siteOf(pack, ["a/index.html", "a/a/index.html"])).toEqual(["a/index.html", "index.html"]);
    expect(await siteOf(pack, ["index.html", "a/index.html"])).toEqual(["a/index.html", "index.html"]);
    expect(await siteOf(pack, ["a/b/index.html"])).toBe(
      "No index.html at the top level; found a/b/index.html. Deploy the directory that holds the start page.",
    );
  });

  test("loses the files that macOS adds, which do not hide the top-level directory", async () => {
    const added = ["__MACOSX/._site", "__MACOSX/site/._index.html", "._site", ".DS_Store", "site/.DS_Store"];
    expect(await siteOf(pack, ["site/index.html", "site/a/._b.html", "site/a/b.html", ...added])).toEqual([
      "a/b.html",
      "index.html",
    ]);
    expect(await siteOf(pack, added)).toBe("The archive holds no file.");
  });

  test.each([
    [["a/index.html", "b.html"], "found a/index.html. Deploy"],
    [["x/y/index.html", "Index.html"], "found Index.html, x/y/index.html. Rename Index.html to index.html."],
    [["index.htm"], "found index.htm. Rename index.htm to index.html."],
    [["site/a.html", "site/b.html"], "found site/. Add a start page."],
    [["a.html", "b/c", "b/d", "e", "f", "g"], "found a.html, b/, e and 2 more. Add a start page."],
    [[".well-known/index.html"], "found .well-known/index.html. Deploy"],
  ])("without a start page is refused with the names that it has: %p", async (names, says) => {
    expect(await siteOf(pack, names)).toStartWith(`No index.html at the top level; ${says}`);
  });

  test.each([
    ".well-known/acme-challenge/token",
    ".well-known/acme-challenge",
    ".Well-Known/ACME-Challenge/token",
    ".well-\u212Anown/acme-challenge/token",
  ])("with %s is refused with the reason", async (name) => {
    const reason = "lies in .well-known/acme-challenge/, where CAs check who controls a domain";
    expect(await siteOf(pack, ["index.html", name])).toStartWith(`${JSON.stringify(name)}: ${reason}`);
    expect(await siteOf(pack, ["a/index.html", `a/${name}`])).toStartWith(`"a/${name}": ${reason}`);
    // Elsewhere, or empty, the directory is harmless.
    expect(await siteOf(pack, ["index.html", `a/${name}`])).toEqual([`a/${name}`, "index.html"]);
  });

  test("may hold other well-known files, and empty directories for challenges", async () => {
    const names = ["index.html", ".well-known/acme-challenge-notes", ".well-known/security.txt"];
    expect(await siteOf(pack, [...names, ".well-known/acme-challenge/"])).toEqual(names.toSorted());
  });
});
