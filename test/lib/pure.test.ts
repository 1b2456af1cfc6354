import { describe, expect, test } from "bun:test";
import { clientAddress, clientNetwork } from "../../src/lib/client-address.ts";
import { bigintOf, integerOf, jsonInteger, parseJson } from "../../src/lib/json.ts";
import { methodsAt, repeatedParameter } from "../../src/http/route-table.ts";
import { readCursor, writeCursor } from "../../src/lib/pagination.ts";
import { parseTime } from "../../src/lib/time.ts";

describe("the client's address", () => {
  test.each([
    ["the peer's own without a proxy", "10.0.0.9, 192.0.2.7", 0, "203.0.113.1"],
    ["what the only proxy wrote", "192.0.2.7", 1, "192.0.2.7"],
    ["not what the client claims", "6.6.6.6, 192.0.2.7", 1, "192.0.2.7"],
    ["what the outermost of two proxies wrote", "6.6.6.6, 192.0.2.7, 10.0.0.1", 2, "192.0.2.7"],
    ["the leftmost if there are fewer entries than proxies", "192.0.2.7", 3, "192.0.2.7"],
    ["the peer's own if the entry is no address", "unknown", 1, "203.0.113.1"],
    ["the peer's own if the header is empty", "", 1, "203.0.113.1"],
    ["without the port that some proxies add", "192.0.2.7:4711", 1, "192.0.2.7"],
    ["without brackets", "[2001:db8::7]:4711", 1, "2001:db8::7"],
  ])("is %s", (_name, header, hops, expected) => {
    expect(clientAddress("203.0.113.1", header, hops)).toBe(expected);
  });

  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:db8::9", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["", ""],
  ])("%p is counted as %p", (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});

describe("integers in JSON", () => {
  test.each([
    ["1", 1n],
    ["-0", 0n],
    ["1.50e1", 15n],
    ["120e-1", 12n],
    ["0e999999", 0n],
    ["123456789012345678901234567890", 123456789012345678901234567890n],
  ])("%s is %p", (source, integer) => {
    expect(integerOf(source)).toBe(integer);
  });

  test.each(["1.5", "1e-1", "1e41", "1e999999999999999999999", "x", "", "1".repeat(1001)])(
    "%.20p is none that we store",
    (source) => {
      expect(integerOf(source)).toBeUndefined();
    },
  );

  test("survive parsing and writing, whatever their size", () => {
    const text = '{"a":9223372036854775807,"b":[-9223372036854775808,0.5,1e2],"c":"9223372036854775807"}';
    expect(JSON.stringify(parseJson(text))).toBe(
      '{"a":9223372036854775807,"b":[-9223372036854775808,0.5,100],"c":"9223372036854775807"}',
    );
    for (const integer of [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n)])
      expect(bigintOf(jsonInteger(integer))).toBe(integer);
  });

  test("repeated keys are found in nested objects, and only in one and the same", () => {
    expect(() => parseJson('{"a":[{"b":1,"b":2}]}')).toThrow('"b": appears twice');
    expect(() => parseJson('{"a":{"a":1},"b":{"a":"a:a"},"c":["a","a"]}')).not.toThrow();
    expect(() => parseJson(String.raw`{"a\"":1,"a\\":2,"a":3}`)).not.toThrow();
  });
});

describe("methods at a path", () => {
  const routes = [
    { method: "GET", path: "/a/:id" },
    { method: "POST", path: "/a/:id/b" },
    { method: "DELETE", path: "/a/:id" },
  ];
  test.each([
    ["/a/1", ["DELETE", "GET", "HEAD", "OPTIONS"]],
    ["/a/1/", ["DELETE", "GET", "HEAD", "OPTIONS"]],
    ["/a/1/b", ["OPTIONS", "POST"]],
    ["/a", []],
    ["/a//b", []],
    ["/a/1/c", []],
  ])("%s: %p", (path, methods) => {
    expect(methodsAt(routes, path)).toEqual(methods);
  });
});

test.each([
  ["a=1&b=2", undefined],
  ["a=1&b=2&a=3", "a"],
  ["a&a", "a"],
  ["a=b=a&b", undefined],
  ["a=1&&b=2&", undefined],
  ["=1&=2", ""],
  ["&&", undefined],
  ["a=1&%61=2", "a"],
  ["a+b=1&a%20b=2", "a b"],
])("in ?%s the parameter given twice is %p", (query, repeated) => {
  expect(repeatedParameter(`http://localhost/?${query}`)).toBe(repeated);
});

describe("a cursor", () => {
  test.each([
    [1, ""],
    [20, "sold"],
    [Number.MAX_SAFE_INTEGER, "available"],
  ])("of %p and %p is read as it was written", (after, filter) => {
    expect(readCursor(writeCursor(after, filter), filter)).toBe(after);
  });

  test.each(["", "MA", "LTE6", "MTo=", "MTo ", writeCursor(1, "sold"), writeCursor(2 ** 53, ""), "MS41Og"])(
    "%p is none of this list",
    (cursor) => {
      expect(() => readCursor(cursor, "")).toThrow("cursor");
    },
  );
});

describe("a time", () => {
  test.each([
    ["2030-12-05T00:00:00Z", Date.UTC(2030, 11, 5)],
    ["2030-12-05t01:00:00.5+01:00", Date.UTC(2030, 11, 5, 0, 0, 0, 500)],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
  ])("%s is read", (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  test.each([
    "",
    "2030-12-05",
    "2030-12-05 00:00:00Z",
    "2030-02-29T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-12-05T25:00:00Z",
    "2030-12-05T00:00:00",
    "1e3",
  ])("%p is none", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
