import { describe, expect, test } from "bun:test";
import {
  type Parse,
  address,
  anyText,
  atLeastOne,
  bytes,
  hostName,
  integer,
  listOf,
  mailAddress,
  oneOf,
  origin,
  safeUrl,
  span,
  boolean,
} from "../../src/config/parse.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const MINUTE = 60_000;

/** Texts that are read as they stand. */
const same = (...texts: string[]) => Object.fromEntries(texts.map((text) => [text, text]));

/** The texts that each parser reads, with their values, and the texts that it refuses. */
const FORMS: [form: string, parse: Parse<unknown>, read: Record<string, unknown>, refused: string[]][] = [
  [
    "an integer from 1 to 10",
    integer(1, 10),
    { "1": 1, "10": 10, "007": 7, "5": 5 },
    ["0", "11", "", "-5", "+5", "5.0", "5e0", "0x5", " 5", "5 ", "five"],
  ],
  [
    "a size, in powers of two",
    bytes(0, Infinity),
    {
      "0": 0,
      "3": 3,
      "3b": 3,
      "3 b": 3,
      "3k": 3 * KIB,
      "3kb": 3 * KIB,
      "3kib": 3 * KIB,
      "3m": 3 * MIB,
      "3mb": 3 * MIB,
      "3mib": 3 * MIB,
      "3g": 3 * GIB,
      "3gb": 3 * GIB,
      "3gib": 3 * GIB,
      "3 MiB": 3 * MIB,
      "999999999999": 999_999_999_999,
    },
    ["", "k", "b", "-3k", "3.5k", "3  k", "3t", "3kk", "3k 4", "x3k", "3k!", "1".repeat(13), "3constructor"],
  ],
  [
    "true or false",
    boolean,
    {
      true: true,
      yes: true,
      on: true,
      True: true,
      YES: true,
      false: false,
      no: false,
      off: false,
      False: false,
      NO: false,
    },
    ["", "1", "0", "maybe", "untrue", "truely", "nothing", "not off", "of"],
  ],
  [
    "a span of time",
    span(0, Infinity),
    {
      "1s": MINUTE / 60,
      "1m": MINUTE,
      "90m": 90 * MINUTE,
      "24h": 24 * 60 * MINUTE,
      "7d": 7 * 24 * 60 * MINUTE,
      "999999m": 999_999 * MINUTE,
    },
    ["", "m", "5", "5w", "5 m", "-5m", "1.5h", "x5m", "5mm", "5m x", "1000000m", "5M"],
  ],
  [
    "an origin",
    origin,
    {
      "https://example.org": "https://example.org",
      "https://example.org/": "https://example.org",
      "HTTP://Example.org:8080": "http://example.org:8080",
      "https://example.org:443": "https://example.org",
      "http://[::1]:3000": "http://[::1]:3000",
      "https://b\u00fccher.example": "https://xn--bcher-kva.example",
      "http://my_host:3000": "http://my_host:3000",
    },
    [
      "",
      "example.org",
      "ftp://example.org",
      "https://",
      "https:///",
      "https://example.org/path",
      "https://example.org?x",
      "https://example.org#x",
      "https://example.org//",
      "https://user@example.org",
      "https://:secret@example.org",
      "https://user:secret@example.org",
      "https://exa mple.org",
      String.raw`https://example.org\n`,
      "https://$(id).example.org",
      "https://`id`",
      "https://*.example.org",
      "https://a'b.example.org",
      "https://{{host}}.example.org",
      "see https://example.org",
      "xhttps://example.org",
    ],
  ],
  [
    "a safe URL",
    safeUrl,
    {
      "https://ca.example.org/directory": "https://ca.example.org/directory",
      "https://ca.example.org/": "https://ca.example.org/",
      "HTTPS://ca.example.org/a?b=c": "https://ca.example.org/a?b=c",
      "http://localhost:14000/dir": "http://localhost:14000/dir",
      "http://127.0.0.1:14000/dir": "http://127.0.0.1:14000/dir",
      "http://127.1.2.3/dir": "http://127.1.2.3/dir",
      "http://[::1]:14000/dir": "http://[::1]:14000/dir",
    },
    [
      "",
      "https://ca.example.org",
      "https:///directory",
      "http://ca.example.org/directory",
      "http://localhost.example.org/dir",
      "http://my-localhost/dir",
      "http://[::1:2]/dir",
      "ftp://localhost/dir",
      "https://user@ca.example.org/dir",
      "https://ca.example.org?/dir",
      "https://ca.example.org/dir#x",
      "https://ca exam.org/dir",
      "see https://ca.example.org/dir",
      "xhttps://ca.example.org/dir",
    ],
  ],
  [
    "a mail address",
    mailAddress,
    same("me@example.org", "a.b+c@example.org", "a^b@example.org", "o'hara@mail", `${"x".repeat(252)}@y`),
    ["", "me", "@example.org", "me@", "me@a@b", "me you@example.org", "me@exa mple", `${"x".repeat(253)}@y`],
  ],
  [
    "a host name",
    hostName,
    {
      "example.org": "example.org",
      "Example.ORG.": "example.org",
      "a-b.c": "a-b.c",
      localhost: "localhost",
      "1.2.3.x": "1.2.3.x",
      "x.y1": "x.y1",
      [`${"x".repeat(63)}.org`]: `${"x".repeat(63)}.org`,
      [`org.${"x".repeat(63)}`]: `org.${"x".repeat(63)}`,
      [`${"x.".repeat(126)}y`]: `${"x.".repeat(126)}y`,
    },
    [
      "",
      ".",
      ".org",
      "example.org..",
      "a..b",
      "-a.org",
      "a-.org",
      "org.-a",
      "org.a-",
      "a_b.org",
      "a b.org",
      "192.0.2.1",
      "example.7",
      "123",
      "bücher.example",
      `${"x".repeat(64)}.org`,
      `org.${"x".repeat(64)}`,
      `${"x.".repeat(126)}yy`,
    ],
  ],
  [
    "an address to listen on",
    address,
    same("h", "127.0.0.1", "::1", "fe80::1%eth0", "my-host.local", "x".repeat(253)),
    ["", "a b", "[::1]", "http://x", " ::1", "::1 ", "x".repeat(254)],
  ],
];

describe.each(FORMS)("%s", (_, parse, read, refused) => {
  test.each(Object.entries(read))("is read from %p", (text, value) => {
    expect(parse(text)).toBe(value);
  });

  test.each(refused)("is not %p", (text) => {
    expect(parse(text)).toBeUndefined();
  });
});

test("an integer has 1 to 15 digits", () => {
  expect(integer(0, Infinity)("9".repeat(15))).toBe(999_999_999_999_999);
  expect(integer(0, Infinity)("9".repeat(16))).toBeUndefined();
  expect(integer(0, Infinity)("")).toBeUndefined();
});

test("a size may be the minimum and the maximum, but nothing beyond", () => {
  const parse = bytes(KIB, MIB);
  expect(["1023", "1024", "1m", "1048577"].map(parse)).toEqual([undefined, KIB, MIB, undefined]);
});

test("a span of time may be the minimum and the maximum, but nothing beyond", () => {
  const parse = span(10 * MINUTE, 20 * MINUTE);
  expect(["9m", "10m", "20m", "21m"].map(parse)).toEqual([undefined, 10 * MINUTE, 20 * MINUTE, undefined]);
});

test("a text may be anything, except that it is not empty and has no NUL", () => {
  expect(["x", " ", "", "a\0b"].map(anyText)).toEqual(["x", " ", undefined, undefined]);
});

test("a word of a list is matched exactly", () => {
  const parse = oneOf(["json", "text"]);
  expect(["json", "text", "JSON", "tex", ""].map(parse)).toEqual([
    "json",
    "text",
    undefined,
    undefined,
    undefined,
  ]);
});

const parse = listOf(integer(1, 10));

test("a list is split at commas, without spaces and empty parts", () => {
  expect(parse("1, 2 ,,3,")).toEqual([1, 2, 3]);
  expect(parse("")).toEqual([]);
});

test("a list is refused if one of its items is", () => {
  expect(parse("1,11,2")).toBeUndefined();
});

test("a list of atLeastOne must have an item", () => {
  const parseSome = atLeastOne(parse);
  expect(["1", "1,2", "", ",", "11"].map(parseSome)).toEqual([[1], [1, 2], undefined, undefined, undefined]);
});
