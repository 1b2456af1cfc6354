import { expect, test } from "bun:test";
import { digCommand } from "../../../src/platform/dns-checks/model.ts";

const ASKED = {
  server: "192.0.2.1",
  name: "docs.example.org",
  type: "CNAME",
  recursive: false,
  transport: "udp",
  outcome: "NOERROR",
} as const;

test.each([
  [{}, "dig @192.0.2.1 docs.example.org. CNAME +norecurse +noadflag +nocookie"],
  [{ recursive: true }, "dig @192.0.2.1 docs.example.org. CNAME +recurse +noadflag +nocookie"],
  [
    { recursive: true, checkingDisabled: true as const },
    "dig @192.0.2.1 docs.example.org. CNAME +recurse +cdflag +noadflag +nocookie",
  ],
  [{ transport: "tcp" }, "dig @192.0.2.1 docs.example.org. CNAME +norecurse +tcp +noadflag +nocookie"],
  [
    { server: "192.0.2.1:5353" },
    "dig @192.0.2.1 -p 5353 docs.example.org. CNAME +norecurse +noadflag +nocookie",
  ],
  [{ server: "2001:db8::1" }, "dig @2001:db8::1 docs.example.org. CNAME +norecurse +noadflag +nocookie"],
  [
    { server: "[2001:db8::1]:5353" },
    "dig @2001:db8::1 -p 5353 docs.example.org. CNAME +norecurse +noadflag +nocookie",
  ],
  // Without the final dot dig would read these top-level domains as a class and a type.
  [{ name: "in", type: "CAA" }, "dig @192.0.2.1 in. CAA +norecurse +noadflag +nocookie"],
  [{ name: "mx", type: "CAA" }, "dig @192.0.2.1 mx. CAA +norecurse +noadflag +nocookie"],
  [{ name: "_dmarc.example.org" }, "dig @192.0.2.1 _dmarc.example.org. CNAME +norecurse +noadflag +nocookie"],
] as const)("a query %j is repeated by %s", (more, command) => {
  expect(digCommand({ ...ASKED, ...more })).toBe(command);
});

test.each([
  "$(reboot).example.org",
  "`reboot`",
  "a;reboot",
  "a b",
  "a\nreboot",
  "a'b",
  'a"b',
  "a|b",
  "a&b",
  "a>b",
  "*.example.org",
  "?.example.org",
  "~root",
  "{a,b}.example.org",
  "-f/etc/passwd",
  "+short",
  "@127.0.0.1",
  "#a",
  "!a",
  "a\\b",
  "",
  "a.example.org.",
  "a".repeat(300),
])("the name %j gets no command", (name) => {
  expect(digCommand({ ...ASKED, name })).toBeUndefined();
});

test.each([
  "$(reboot)",
  "192.0.2.1;reboot",
  "192.0.2.1:99999",
  "192.0.2.1:53;reboot",
  "[::1%$(reboot)]:53",
  "fe80::1%$(reboot)",
  "localhost",
  "",
])("the server %j gets no command", (server) => {
  expect(digCommand({ ...ASKED, server })).toBeUndefined();
});

test("a query that was never sent gets no command", () => {
  expect(digCommand({ ...ASKED, outcome: "forbidden" })).toBeUndefined();
});

test("a type that is not one gets no command", () => {
  expect(digCommand({ ...ASKED, type: "A +short" })).toBeUndefined();
});
