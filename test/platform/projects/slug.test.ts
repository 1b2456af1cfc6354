import { expect, test } from "bun:test";
import {
  MAX_SLUG_LENGTH,
  RESERVED_SLUGS,
  slugProblem,
  randomTargetLabel,
} from "../../../src/platform/projects/slug.ts";

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
])("%j cannot be a slug", (slug) => {
  expect(slugProblem(slug)?.words).toStartWith("must be a DNS label");
});

const RESERVED =
  "acme admin administrator api app assets auth autoconfig autodiscover billing cdn cname console dashboard dns ftp help hostmaster imap info localhost login mail mx ns ns1 ns2 pop postmaster root security sites smtp ssl staging static status support sysadmin webmail webmaster wpad www";

test.each(RESERVED.split(" "))("%s is reserved", (slug) => {
  expect(slugProblem(slug)?.words).toBe("is reserved: choose another");
});

test.each(["1--docs", "012--docs", "123--a--b"])("%s is reserved for previews", (slug) => {
  expect(slugProblem(slug)).toMatchObject({ rule: "reserved" });
});

test.each(["a--b", "abc1--docs", "123-docs"])("%s is not the name of a preview", (slug) => {
  expect(slugProblem(slug)).toBeUndefined();
});

test("no other slug is reserved", () => {
  expect([...RESERVED_SLUGS].toSorted()).toEqual(RESERVED.split(" "));
});

test("a slug is at most as long as a DNS label", () => {
  expect(MAX_SLUG_LENGTH).toBe(63);
});

test("target labels take five bits of each byte", () => {
  const label = randomTargetLabel((count) => Uint8Array.from({ length: count }, (_, index) => index * 13));
  expect(label).toBe("an2hubo3ivcp4jwdq5kx");
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
