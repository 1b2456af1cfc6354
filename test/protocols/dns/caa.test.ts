import { expect, test } from "bun:test";
import { type CaaOrder, judgeCaa } from "../../../src/protocols/dns/caa.ts";
import type { CaaRecord } from "../../../src/protocols/dns/message.ts";

const caa = (text: string): CaaRecord => {
  const [flags, tag = "", ...value] = text.split(" ");
  return {
    name: "x.test",
    ttl: 1,
    type: "CAA",
    data: { critical: flags === "128", tag, value: value.join(" ") },
  };
};

const METHODS = ["http-01", "tls-alpn-01"];
const OWN = "https://ca.test/acct/1";

const judge = (records: string[], order: Partial<CaaOrder> = {}) =>
  judgeCaa(records.map(caa), { issuers: ["ca.test"], methods: METHODS, accounts: [OWN], ...order });

const allows = (...args: Parameters<typeof judge>): boolean => "methods" in judge(...args);

test.each<[records: string[], allowed: boolean]>([
  [[], true],
  [["0 issue ca.test"], true],
  [["0 issue CA.TEST. ; policy=ev"], true],
  [["0 issue other.test", "0 issue ca.test"], true],
  [["0 issue other.test"], false],
  [["0 issue ;"], false],
  [["0 issue "], false],
  [["0 issue not-ca.test"], false],
  [["0 issuewild other.test"], true],
  [["0 iodef mailto:a@x.test"], true],
  [["0 newtag x"], true],
  [["128 newtag x", "0 issue ca.test"], false],
  [["128 issue ca.test"], true],
])("CAA %j allows ca.test: %p", (records, allowed) => {
  expect(allows(records)).toBe(allowed);
});

test.each([
  [["0 issuewild ca.test"], true],
  [["0 issuewild other.test"], false],
  [["0 issuewild ;", "0 issue ca.test"], false],
  [["0 issuewild ca.test", "0 issue other.test"], true],
  [["0 issue ca.test"], true],
  [["0 issue other.test"], false],
  [["128 newtag x", "0 issuewild ca.test"], false],
])("CAA %j allows ca.test a wildcard: %p", (records, allowed) => {
  expect(allows(records, { isWildcard: true })).toBe(allowed);
});

test.each<[records: string[], methods: string[]]>([
  [["0 issue ca.test; validationmethods=http-01"], ["http-01"]],
  [["0 issue ca.test; validationmethods=dns-01,tls-alpn-01"], ["tls-alpn-01"]],
  [["0 issue ca.test;\tvalidationmethods = ca-own,http-01"], ["http-01"]],
  [["0 issue ca.test; validationmethods=dns-01", "0 issue ca.test; validationmethods=http-01"], ["http-01"]],
  [["0 issue ca.test; validationmethods=dns-01", "0 issue ca.test"], METHODS],
  [["0 issue other.test; validationmethods=dns-01", "0 issue ca.test"], METHODS],
  [[`0 issue ca.test; accounturi=${OWN}; validationmethods=http-01`], ["http-01"]],
  [
    [`0 issue ca.test; accounturi=${OWN}/2`, `0 issue ca.test; accounturi=${OWN}; validationmethods=http-01`],
    ["http-01"],
  ],
])("by RFC 8657, CAA %j allows the methods %j", (records, methods) => {
  expect(judge(records)).toEqual({ methods });
});

test.each<[record: string, forbids: "accounturi" | "validationmethods", allowing: string]>([
  [
    "0 issue ca.test; validationmethods=dns-01",
    "validationmethods",
    "ca.test; validationmethods=http-01,tls-alpn-01",
  ],
  [
    `0 issue ca.test; accounturi=${OWN}; validationmethods=dns-01`,
    "validationmethods",
    `ca.test; accounturi=${OWN}; validationmethods=http-01,tls-alpn-01`,
  ],
  ["0 issue ca.test; accounturi=https://ca.test/acct/2", "accounturi", `ca.test; accounturi=${OWN}`],
  [
    "0 issue ca.test; accounturi=x; validationmethods=http-01",
    "accounturi",
    `ca.test; accounturi=${OWN}; validationmethods=http-01`,
  ],
])("by RFC 8657, CAA %j forbids by its %s; %j would be allowed", (record, forbids, allowing) => {
  expect(judge([record])).toEqual({ forbids, allowing: [allowing] });
});

test("the CA checks an account that is not known yet", () => {
  expect(allows(["0 issue ca.test; accounturi=https://ca.test/acct/2"], { accounts: undefined })).toBe(true);
});

test("a wildcard is proven by dns-01 only", () => {
  const order = { isWildcard: true, methods: ["dns-01"] };
  expect(allows(["0 issuewild ca.test; validationmethods=dns-01"], order)).toBe(true);
  expect(allows(["0 issuewild ca.test; validationmethods=http-01"], order)).toBe(false);
});

test.each([
  ["an account twice", `accounturi=${OWN}; accounturi=${OWN}`, "accounturi"],
  ["an empty account", "accounturi=", "accounturi"],
  ["methods twice", "validationmethods=http-01; validationmethods=http-01", "validationmethods"],
  ["no method", "validationmethods=", "validationmethods"],
  ["an empty method", "validationmethods=http-01,", "validationmethods"],
  ["methods in another case", "validationmethods=HTTP-01", "validationmethods"],
  ["a space between methods", "validationmethods=dns-01, http-01", "issuer"],
  ["a parameter without a value", "validationmethods", "issuer"],
  ["a parameter without a tag", "=http-01", "issuer"],
  ["a tag that ends with a hyphen", "policy-=1", "issuer"],
  ["a final semicolon", "validationmethods=http-01;", "issuer"],
  ["an empty parameter", ";validationmethods=http-01", "issuer"],
  ["a control character", "policy=a\u0000b", "issuer"],
  ["a letter beyond ASCII", "policy=\u00e9", "issuer"],
  ["ten thousand hyphens", `${"a-".repeat(10_000)}=1`, "issuer"],
  ["ten thousand semicolons", ";".repeat(10_000), "issuer"],
])("a property with %s allows nothing", (_, parameters, forbids) => {
  expect(judge([`0 issue ca.test;${parameters}`])).toMatchObject({ forbids });
});

test("tags are compared exactly, and unknown parameters do not count", () => {
  expect(allows(["0 issue ca.test; ValidationMethods=dns-01; x-y=1"])).toBe(true);
});

test("a record full of white space is parsed quickly", () => {
  const start = process.cpuUsage();
  expect(allows([`0 issue ca.test; a${" ".repeat(65_000)}b`])).toBe(false);
  expect(allows([`0 issue ca.test${"\t".repeat(65_000)}`])).toBe(true);
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});
