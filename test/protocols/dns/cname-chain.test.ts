import { expect, test } from "bun:test";
import {
  followCnames,
  isUsable,
  recordsOf,
  resolveAddresses,
} from "../../../src/protocols/dns/cname-chain.ts";
import type { DnsRecord, Question } from "../../../src/protocols/dns/message.ts";
import { answer, exchange, failure, record } from "../../platform/dns-checks/traces.ts";

/** A resolver with these answers, by name. */
const resolverOf = (zones: Record<string, DnsRecord[]>) => {
  const questions: Question[] = [];
  const ask = async (question: Question) => {
    questions.push(question);
    return exchange(answer(zones[question.name] ?? []));
  };
  return { ask, questions };
};

const cname = (name: string, data: string) => record("CNAME", name, data);
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.test`);

/** A chain of so many CNAME records, ending in an address. */
const chainOf = (hops: number): DnsRecord[] => [
  ...names(hops).map((name, index) => cname(name, `n${index + 1}.test`)),
  record("A", `n${hops}.test`, "192.0.2.1"),
];

test("a chain of CNAME records is one name if that name has the records", async () => {
  const { ask, questions } = resolverOf({ "a.test": [record("A", "a.test", "192.0.2.1")] });
  expect(await followCnames(ask, "a.test", "A")).toMatchObject({
    names: ["a.test"],
    records: [{ data: "192.0.2.1" }],
  });
  expect(questions).toEqual([{ name: "a.test", type: "A" }]);
});

test("a chain of CNAME records is followed within one answer", async () => {
  const { ask, questions } = resolverOf({ "n0.test": chainOf(3) });
  const followed = await followCnames(ask, "n0.test", "A");
  expect(followed.names).toEqual(names(4));
  expect(followed.records.map(({ data }) => data)).toEqual(["192.0.2.1"]);
  expect(followed).not.toHaveProperty("problem");
  expect(questions).toHaveLength(1);
});

test("a chain of CNAME records is followed across answers if a resolver returns one record at a time", async () => {
  const { ask, questions } = resolverOf({
    "n0.test": [cname("n0.test", "n1.test")],
    "n1.test": [cname("n1.test", "n2.test")],
    "n2.test": [record("A", "n2.test", "192.0.2.1")],
  });
  const followed = await followCnames(ask, "n0.test", "A");
  expect(followed.names).toEqual(names(3));
  expect(followed.records).toHaveLength(1);
  expect(questions.map(({ name }) => name)).toEqual(names(3));
});

test("a chain of CNAME records ends without records if its last name has none", async () => {
  const { ask, questions } = resolverOf({ "n0.test": [cname("n0.test", "n1.test")] });
  const followed = await followCnames(ask, "n0.test", "A");
  expect(followed).toMatchObject({ names: names(2), records: [] });
  expect(followed).not.toHaveProperty("problem");
  expect(questions).toHaveLength(2);
});

test("a chain of CNAME records has only records of its last name, with the type of the question", async () => {
  const { ask } = resolverOf({
    "a.test": [
      record("A", "other.test", "192.0.2.1"),
      record("AAAA", "a.test", "2001:db8::1"),
      record("A", "a.test", "192.0.2.2"),
      cname("other.test", "b.test"),
    ],
  });
  const { names: passed, records } = await followCnames(ask, "a.test", "A");
  expect(passed).toEqual(["a.test"]);
  expect(records.map(({ data }) => data)).toEqual(["192.0.2.2"]);
});

test("for the type CNAME, a chain of CNAME records ends at the last record", async () => {
  const { ask } = resolverOf({ "n0.test": [cname("n0.test", "n1.test")] });
  expect(await followCnames(ask, "n0.test", "CNAME")).toMatchObject({ names: names(2), records: [] });
});

test("a chain of eight CNAME records is followed, and one of nine is too long", async () => {
  const eight = await followCnames(resolverOf({ "n0.test": chainOf(8) }).ask, "n0.test", "A");
  expect(eight).toMatchObject({ names: names(9), records: [{ data: "192.0.2.1" }] });
  const nine = await followCnames(resolverOf({ "n0.test": chainOf(9) }).ask, "n0.test", "A");
  expect(nine).toMatchObject({ problem: "too_long", names: names(9), records: [] });
});

test.each([
  ["to itself", ["a.test", "a.test"]],
  ["to a name before it", ["a.test", "b.test", "c.test", "b.test"]],
])("a chain of CNAME records that leads %s is a loop", async (_, [first = "", ...rest]) => {
  const records = rest.map((name, index) => cname([first, ...rest][index] ?? "", name));
  expect(await followCnames(resolverOf({ [first]: records }).ask, first, "A")).toMatchObject({
    problem: "loop",
    records: [],
  });
});

test("a chain of CNAME records ends at a name that no query can have", async () => {
  const { ask } = resolverOf({ "a.test": [cname("a.test", "b c.test")] });
  expect(await followCnames(ask, "a.test", "A")).toMatchObject({
    names: ["a.test"],
    problem: "bad_name",
    records: [],
  });
});

test("a chain of CNAME records ends as unanswered without a usable answer, and has the last exchange", async () => {
  const silent = exchange(failure("timeout", "no answer"));
  expect(await followCnames(async () => silent, "a.test", "A")).toEqual({
    names: ["a.test"],
    records: [],
    problem: "unanswered",
    last: silent,
  });
});

const RECORDS = [record("A", "a.test", "192.0.2.1")];

test.each([
  ["NOERROR", true],
  ["NXDOMAIN", true],
  ["SERVFAIL", false],
  ["REFUSED", false],
])("an answer of %s is usable: %p", (rcode, usable) => {
  const result = exchange(answer(RECORDS, { rcode }));
  expect(isUsable(result)).toBe(usable);
  expect(recordsOf(result)).toEqual(usable ? RECORDS : []);
});

test("a failure has no records", () => {
  const result = exchange(failure("network", "unreachable"));
  expect(isUsable(result)).toBe(false);
  expect(recordsOf(result)).toEqual([]);
});

test("a name has at most 20 addresses, IPv4 before IPv6", async () => {
  const addresses = (type: "A" | "AAAA", count: number) =>
    Array.from({ length: count }, (_, index) => record(type, "a.test", `${type} ${index}`));
  const ask = async ({ type }: Question) =>
    exchange(answer(type === "A" ? addresses(type, 15) : addresses("AAAA", 6)));
  const resolved = await resolveAddresses(ask, "a.test");
  expect(resolved).toHaveLength(20);
  expect([resolved[0], resolved[14], resolved[15]]).toEqual(["A 0", "A 14", "AAAA 0"]);
});
