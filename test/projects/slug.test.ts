import { expect, test } from "bun:test";
import { slugProblem, randomTargetLabel } from "../../src/projects/slug.ts";

test.each(["docs", "a", "1", "my-docs", "a-b-c", "x".repeat(63)])("%s can be a slug", (slug) => {
  expect(slugProblem(slug)).toBeUndefined();
});

test.each([
  "",
  "-docs",
  "docs-",
  "Docs",
  "do cs",
  "docs.api",
  "_acme-challenge",
  "xn--mnchen-3ya",
  "ab--c",
  "dócs",
  "x".repeat(64),
  "docs\n",
])("%j is no DNS label of ours", (slug) => {
  expect(slugProblem(slug)).toStartWith("must be a DNS label");
});

test.each(["www", "api", "admin", "mail", "localhost", "sites"])("%s is reserved", (slug) => {
  expect(slugProblem(slug)).toBe("is reserved: choose another");
});

test("target labels are DNS labels of 100 random bits", () => {
  const labels = new Set(
    Array.from({ length: 1000 }, () =>
      randomTargetLabel((count) => crypto.getRandomValues(new Uint8Array(count))),
    ),
  );
  expect(labels.size).toBe(1000);
  for (const label of labels) expect(label).toMatch(/^[a-z2-7]{20}$/);
});
