import { describe, expect, test } from "bun:test";
import type { Deploy } from "../../../src/pages/console/ui/projects/model.ts";
import { type Upload, uploadStatus, uploadTracker } from "../../../src/pages/console/ui/projects/uploads.ts";

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
])("%o is told as %p", (upload, words) => {
  expect(uploadStatus(upload)).toBe(words);
});
