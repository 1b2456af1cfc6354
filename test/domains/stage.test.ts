import { expect, test } from "bun:test";
import {
  FIRST_STAGE,
  STAGE_EVENTS,
  STORED_STAGES,
  type StageEvent,
  type StoredStage,
  nextStage,
} from "../../src/domains/stage.ts";

/** The table, written down again: a pair that is not here leaves a domain where it is. */
const EXPECTED: [StoredStage, StageEvent, StoredStage][] = [
  ["awaiting_dns", "records_right", "verified"],
  ["awaiting_dns", "records_wrong", "dns_conflict"],
  ["dns_conflict", "records_right", "verified"],
  ["dns_conflict", "records_missing", "awaiting_dns"],
  ["verified", "records_right", "verified"],
  ["verified", "records_wrong", "dns_conflict"],
  ["verified", "records_missing", "awaiting_dns"],
  ["verified", "order_placed", "issuing"],
  ["verified", "served_over_http", "live"],
  ["verified", "certificate_stored", "live"],
  ["verified", "issue_refused", "issue_failed"],
  ["verified", "plan_dropped", "suspended"],
  ["verified", "yielded", "dns_conflict"],
  ["issuing", "certificate_stored", "live"],
  ["issuing", "issue_refused", "issue_failed"],
  ["issuing", "plan_dropped", "suspended"],
  ["issuing", "yielded", "dns_conflict"],
  ["issue_failed", "records_right", "verified"],
  ["issue_failed", "records_wrong", "dns_conflict"],
  ["issue_failed", "records_missing", "awaiting_dns"],
  ["issue_failed", "order_placed", "issuing"],
  ["issue_failed", "certificate_stored", "live"],
  ["issue_failed", "plan_dropped", "suspended"],
  ["issue_failed", "yielded", "dns_conflict"],
  ["live", "lapsed", "awaiting_dns"],
  ["live", "plan_dropped", "suspended"],
  ["live", "yielded", "dns_conflict"],
  ["suspended", "plan_restored", "live"],
  ["suspended", "yielded", "dns_conflict"],
];

const pairs = STORED_STAGES.flatMap((stage) => STAGE_EVENTS.map((event) => [stage, event] as const));

test.each(pairs)("a domain that is %s moves by %s as the design says", (stage, event) => {
  const row = EXPECTED.find(([from, on]) => from === stage && on === event);
  expect(nextStage(stage, event)).toBe(row?.[2]);
});

test("every stage is the first one or is reached from another", () => {
  const reached = new Set([FIRST_STAGE, ...EXPECTED.map(([, , to]) => to)]);
  expect(STORED_STAGES.filter((stage) => !reached.has(stage))).toEqual([]);
});
