import { expect, test } from "bun:test";
import {
  apexOf,
  canonicalName,
  HOSTNAME_REFUSALS,
  parseHostname,
  type Hostname,
  hostnameOf,
} from "../../src/lib/hostname.ts";
import { words } from "../support/words.ts";

const hostname = (typed: string): Hostname => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw new Error(`${typed}: ${parsed.refusal}`);
  return parsed.hostname;
};

test.each<[typed: string, ascii: string, apex: string, label: string]>([
  ["docs.example.org", "docs.example.org", "example.org", "docs"],
  ["  Docs.Example.ORG.  ", "docs.example.org", "example.org", "docs"],
  ["example.org", "example.org", "example.org", "@"],
  ["a.b.example.co.uk", "a.b.example.co.uk", "example.co.uk", "a.b"],
  ["someone.github.io", "someone.github.io", "someone.github.io", "@"],
  ["docs.someone.github.io", "docs.someone.github.io", "someone.github.io", "docs"],
  ["B\u00fccher.Example.org", "xn--bcher-kva.example.org", "example.org", "xn--bcher-kva"],
  ["Bu\u0308cher.example.org", "xn--bcher-kva.example.org", "example.org", "xn--bcher-kva"],
  ["docs\u3002example\uff0eorg\uff61", "docs.example.org", "example.org", "docs"],
  ["fa\u00df.de", "xn--fa-hia.de", "xn--fa-hia.de", "@"],
  ["foo.xn--55qx5d.cn", "foo.xn--55qx5d.cn", "foo.xn--55qx5d.cn", "@"],
  ["1.example.org", "1.example.org", "example.org", "1"],
  ["r3---x.example.org", "r3---x.example.org", "example.org", "r3---x"],
  [`${"a".repeat(63)}.example.org`, `${"a".repeat(63)}.example.org`, "example.org", "a".repeat(63)],
])("%s is %s, below %s, entered as %s", (typed, ascii, apex, label) => {
  expect(hostname(typed)).toMatchObject({ ascii, apex, label, isApex: label === "@" });
});

test("a host name has both A-labels and U-labels", () => {
  expect(hostname("xn--bcher-kva.example.org").unicode).toBe("b\u00fccher.example.org");
  expect(hostname("docs.example.org").unicode).toBe("docs.example.org");
});

test("normalising a normalised name changes nothing", () => {
  for (const typed of ["B\u00fccher.example.org", "docs.example.co.uk", "fa\u00df.de"])
    expect(hostname(hostname(typed).ascii)).toEqual(hostname(typed));
});

const REFUSED: Readonly<Record<keyof typeof HOSTNAME_REFUSALS, readonly string[]>> = {
  empty: ["", " . "],
  ip_address: words(`
    192.0.2.1 [2001:db8::1] 2001:db8::1 ::1 FE80::1 1:: [fe80::1%eth0] ::ffff:192.0.2.1 0x7f000001 0X7F 0x 0x7f.1
    127.1 2130706433 \uff11.\uff12.\uff13.\uff14 example.999`),
  wildcard: ["*.example.org", "docs.*.example.org"],
  underscore: ["_dmarc.example.org", "my_docs.example.org"],
  malformed: [
    ...words(`
      https://docs.example.org/ docs.example.org:443 docs.example.org/path host:1:2 1:2:3/64 fe80::1% docs^.example.org
      user@example.org docs%2eexample.org docs..example.org .example.org example.org.. -docs.example.org
      docs-.example.org xn--a.example.org \u200ddocs.example.org`),
    "docs example.org",
    "docs\u0000.example.org",
  ],
  too_long: [
    `${"a".repeat(64)}.example.org`,
    `${"\u00fc".repeat(60)}.example.org`,
    `${"a.".repeat(125)}example.org`,
    `${"a.".repeat(121)}bexample.org`,
  ],
  single_label: ["localhost", "org"],
  public_suffix: ["co.uk", "github.io", "xn--55qx5d.cn"],
};

test.each(
  Object.entries(REFUSED).flatMap(([refusal, names]) => names.map((name) => [name, refusal] as const)),
)("%j is refused: %s", (typed, refusal) => {
  expect(parseHostname(typed)).toEqual({ ok: false, refusal: refusal as keyof typeof REFUSED });
});

test("every refusal has a message", () => {
  for (const words of Object.values(HOSTNAME_REFUSALS)) expect(words).toMatch(/^(is|has) /);
});

test("a name of 253 characters is accepted", () => {
  const longest = `${"a.".repeat(121)}example.org`;
  expect(longest).toHaveLength(253);
  expect(hostname(longest).ascii).toBe(longest);
});

test.each(["docs.example.co.uk", "example.org", "xn--bcher-kva.example.org", "docs.someone.github.io"])(
  "the stored name %s has the same description as when it was parsed",
  (name) => {
    expect(hostnameOf(name)).toEqual(hostname(name));
  },
);

test.each([
  ["co.uk", "co.uk", "@"],
  ["a.kawasaki.jp", "kawasaki.jp", "a"],
  ["uk", "uk", "@"],
])(
  "the stored name %s is still valid, below %s, though that is a public suffix now",
  (ascii, apex, label) => {
    const isApex = label === "@";
    expect(hostnameOf(ascii)).toEqual({ ascii, unicode: ascii, apex, label, isApex, isWildcard: false });
  },
);

test("the registered domain of a wildcard is that of its domain", () => {
  expect(apexOf("*.sites.example.co.uk")).toBe("example.co.uk");
  expect(apexOf("sites.example.co.uk")).toBe("example.co.uk");
});

test("a name loses ASCII capitals, and no other letter is folded", () => {
  expect(canonicalName("Docs.Example.ORG")).toBe("docs.example.org");
  expect(canonicalName("\u212a.test")).toBe("\u212a.test");
  expect(canonicalName("a.b")).toBe("a.b");
});

test("a name loses one final dot, and no other", () => {
  expect(canonicalName("Docs.Example.ORG..")).toBe("docs.example.org.");
  expect(canonicalName(".")).toBe("");
});
