import { describe, expect, test } from "bun:test";
import {
  type Deploy,
  PLANS as copy,
  archiveTypeOf,
  contentOf,
  domainPath,
  hasDomains,
  projectPath,
  shownAddress,
  sizeOf,
  slugOf,
} from "../../../src/pages/console/ui/projects/model.ts";
import { PLANS } from "../../../src/platform/projects/plan.ts";
import { slugProblem } from "../../../src/platform/projects/slug.ts";
import { type Upload, uploadStatus, uploadTracker } from "../../../src/pages/console/ui/projects/uploads.ts";

test("the console's plans are those of src/platform/projects/plan.ts", () => {
  expect<object>(copy).toEqual(PLANS);
});

test.each([
  ["site.zip", "application/zip"],
  ["Site.TAR.GZ", "application/gzip"],
  ["site.tgz", "application/gzip"],
  ["site.rar", undefined],
  ["notes.gz", undefined],
])("%s is sent as %p", (name, type) => {
  expect(archiveTypeOf(name)).toBe(type as ReturnType<typeof archiveTypeOf>);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1234, "1.2 KB"],
  [52_000, "52 KB"],
  [1_234_567, "1.2 MB"],
  [2 ** 40, "1100 GB"],
])("%p bytes are %s", (bytes, words) => {
  expect(sizeOf(bytes)).toBe(words);
});

test("one file is one file", () => {
  expect(contentOf({ files: 1, bytes: 36 })).toBe("1 file, 36 bytes");
  expect(contentOf({ files: 2, bytes: 36 })).toBe("2 files, 36 bytes");
});

test.each([
  ["Tierheim K\u00f6ln", "tierheim-koln"],
  ["  The Shelter's  Handbook!", "the-shelter-s-handbook"],
  ["\u72ac", ""],
])("the slug for %p is %p", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test("a slug suggested for a long name is valid", () => {
  expect(slugProblem(slugOf("long name ".repeat(20)))).toBeUndefined();
});

test("addresses of pages escape any text", () => {
  expect(projectPath("a/b", "deploys", "3")).toBe("/console/projects/a%2Fb/deploys/3");
  expect(domainPath({ project: "docs", hostname: "docs.example.org" }, "remove")).toBe(
    "/console/projects/docs/domains/docs.example.org/remove",
  );
});

test("an address is shown in its short form", () => {
  expect(shownAddress("https://docs.example.org/")).toBe("docs.example.org");
});

test("custom domains require Pro or above", () => {
  expect([hasDomains("free"), hasDomains("pro"), hasDomains("enterprise")]).toEqual([false, true, true]);
});

const DEPLOY = { id: 3, status: "succeeded", files: 2, bytes: 1200 } as Deploy;
const SITE = new File(["x"], "site.zip");

/** Uploads whose sending is ended by hand, and of which project each ended. */
const uploads = () => {
  const sent: { slug: string; type: string; onProgress: (share: number) => void }[] = [];
  const ended: unknown[] = [];
  let changes = 0;
  const { promise: deploy, resolve, reject } = Promise.withResolvers<Deploy>();
  const all = uploadTracker(
    (slug, _, type, onProgress) => {
      sent.push({ slug, type, onProgress });
      return { deploy, cancel: () => reject(new Error("cancelled")) };
    },
    () => (changes += 1),
    (slug, result) => ended.push([slug, result]),
  );
  return { all, sent, ended, resolve, changes: () => changes };
};

const SETTLED = () => new Promise((done) => setTimeout(done));

describe("an upload", () => {
  test("has a progress, and then a result", async () => {
    const { all, sent, ended, resolve, changes } = uploads();
    all.begin("docs", SITE);
    expect(all.of("docs")).toEqual({ state: "sending", name: "site.zip", share: 0 });
    sent[0]?.onProgress(0.5);
    expect(all.of("docs")).toEqual({ state: "sending", name: "site.zip", share: 0.5 });
    expect(all.areSending()).toBe(true);
    resolve(DEPLOY);
    await SETTLED();
    expect(all.of("docs")).toBeUndefined();
    expect([all.areSending(), ended, changes()]).toEqual([false, [["docs", DEPLOY]], 3]);
  });

  test("is the only one of its project while it is in progress", () => {
    const { all, sent } = uploads();
    all.begin("docs", SITE);
    all.begin("docs", SITE);
    all.begin("shop", SITE);
    expect(sent.map(({ slug }) => slug)).toEqual(["docs", "shop"]);
  });

  test("is forgotten once it has failed, not while it is in progress", async () => {
    const { all } = uploads();
    all.begin("docs", SITE);
    all.forget("docs");
    expect(all.of("docs")).toBeDefined();
    all.cancel("docs");
    await SETTLED();
    all.forget("docs");
    expect(all.of("docs")).toBeUndefined();
  });

  test.each(["cancel", "cancelAll"] as const)("ends by %s", async (how) => {
    const { all, ended } = uploads();
    all.begin("docs", SITE);
    all[how]("docs");
    await SETTLED();
    const error = new Error("cancelled");
    expect(all.of("docs")).toEqual({ state: "failed", error });
    expect([all.areSending(), ended]).toEqual([false, [["docs", error]]]);
  });

  test("of a file that is not an archive is not sent", () => {
    const { all, sent } = uploads();
    all.begin("docs", new File(["x"], "index.html"));
    expect(all.of("docs")).toMatchObject({
      state: "failed",
      error: { message: expect.stringContaining("index.html is neither") },
    });
    expect(sent).toEqual([]);
  });
});

test.each<[Upload | undefined, string]>([
  [undefined, ""],
  [{ state: "sending", name: "site.zip", share: 0.99 }, "Sending site.zip…"],
  [{ state: "sending", name: "site.zip", share: 1 }, "Unpacking…"],
  [{ state: "failed", error: new Error("x") }, ""],
])("%o is described as %p", (upload, words) => {
  expect(uploadStatus(upload)).toBe(words);
});
