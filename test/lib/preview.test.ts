import { expect, test } from "bun:test";
import fc from "fast-check";
import { parsePreviewLabel, previewLabel } from "../../src/lib/preview.ts";
import { SLUG_PATTERN } from "../../src/platform/projects/slug.ts";
import { words } from "../support/words.ts";

const SEED = 20_261_123;

test.each([
  ["docs", 1, "001--docs"],
  ["docs", 12, "012--docs"],
  ["docs", 123, "123--docs"],
  ["docs", 1234, "1234--docs"],
  ["a--b", 7, "007--a--b"],
  ["x".repeat(58), 7, `007--${"x".repeat(58)}`],
])("the preview of %s's deploy %d has the label %s", (slug, deployId, label) => {
  expect(previewLabel({ slug, deployId })).toBe(label);
  expect(parsePreviewLabel(label)).toEqual({ slug, deployId });
});

test("a deploy whose label would be longer than 63 bytes has none", () => {
  expect(previewLabel({ slug: "x".repeat(59), deployId: 7 })).toBeUndefined();
  expect(previewLabel({ slug: "x".repeat(58), deployId: 1234 })).toBeUndefined();
});

test.each([
  "",
  ...words("docs 1--docs 12--docs 0012--docs --docs 012-- 012-docs a012--docs"),
  `${"9".repeat(17)}--docs`,
])("%j is not the label of a preview", (label) => expect(parsePreviewLabel(label)).toBeUndefined());

test("every deploy of every slug has its own label, which no other slug can have and IDNA does not reserve", () => {
  const slugs = fc.stringMatching(new RegExp(SLUG_PATTERN)).filter((slug) => slug.length <= 40);
  fc.assert(
    fc.property(slugs, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (slug, deployId) => {
      const label = previewLabel({ slug, deployId }) ?? "";
      expect(parsePreviewLabel(label)).toEqual({ slug, deployId });
      expect(label.slice(2, 4)).not.toBe("--");
    }),
    { seed: SEED, numRuns: 500 },
  );
});
