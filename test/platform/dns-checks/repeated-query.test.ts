import { expect, test } from "bun:test";
import { watchQueries } from "../../../src/platform/dns-checks/trace.ts";
import type { ReportedQuestion } from "../../../src/platform/dns-checks/model.ts";
import { toReportedQuestion } from "../../../src/platform/dns-checks/trace.ts";
import type { Exchange } from "../../../src/protocols/dns/client.ts";
import { answer, caaRecord, exchange, failure } from "./traces.ts";

const NAME = "example.org";
const [FIRST, SECOND] = [caaRecord(NAME, "issue", "one.test"), caaRecord(NAME, "issue", "two.test")];
const ASKED: ReportedQuestion = toReportedQuestion(exchange(answer([FIRST, SECOND])));

const repeat = async (outcome: Exchange["outcome"], asked = ASKED, mayAsk = true) => {
  let queries = 0;
  const ask = async () => {
    queries += 1;
    return exchange(outcome);
  };
  const isChanged = await watchQueries({ ask, mayAsk: () => mayAsk }).repeatQuery(asked);
  return { isChanged, queries };
};

test.each<[string, Exchange["outcome"], boolean]>([
  ["the same records", answer([FIRST, SECOND]), false],
  ["the same records in another order", answer([SECOND, FIRST]), false],
  ["the same records with a lower TTL", answer([{ ...FIRST, ttl: 59 }, SECOND]), false],
  ["fewer records", answer([FIRST]), true],
  ["no name", answer([], { rcode: "NXDOMAIN" }), true],
  ["SERVFAIL", answer([], { rcode: "SERVFAIL" }), false],
  ["silence", failure("timeout", "3 s"), false],
])("a repeated query with %s", async (_, outcome, isChanged) => {
  expect(await repeat(outcome)).toEqual({ isChanged, queries: 1 });
});

test("a repeated query is not sent to a server that may not be asked", async () => {
  const asked = { ...ASKED, recursive: false };
  expect(await repeat(answer([FIRST]), asked, false)).toEqual({ isChanged: false, queries: 0 });
  expect(await repeat(answer([FIRST]), ASKED, false)).toEqual({ isChanged: true, queries: 1 });
});
