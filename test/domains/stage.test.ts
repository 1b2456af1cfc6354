import { expect, test } from "bun:test";
import { nextStage, STAGE_EVENTS, STAGES, type Stage, type StageEvent } from "../../src/domains/stage.ts";

/** The design's table, written down again: every pair that is not here does not happen. */
const EXPECTED: [Stage, StageEvent, Stage][] = [
  ["awaiting_dns", "records_right", "verified"],
  ["awaiting_dns", "records_wrong", "dns_conflict"],
  ["awaiting_dns", "records_missing", "awaiting_dns"],
  ["awaiting_dns", "removed", "removed"],
  ["dns_conflict", "records_right", "verified"],
  ["dns_conflict", "records_wrong", "dns_conflict"],
  ["dns_conflict", "records_missing", "awaiting_dns"],
  ["dns_conflict", "removed", "removed"],
  ["verified", "records_right", "verified"],
  ["verified", "records_wrong", "dns_conflict"],
  ["verified", "records_missing", "awaiting_dns"],
  ["verified", "order_placed", "issuing"],
  ["verified", "served_over_http", "live"],
  ["verified", "removed", "removed"],
  ["issuing", "certificate_stored", "live"],
  ["issuing", "issue_refused", "issue_failed"],
  ["issuing", "removed", "removed"],
  ["issue_failed", "records_right", "verified"],
  ["issue_failed", "records_wrong", "dns_conflict"],
  ["issue_failed", "records_missing", "awaiting_dns"],
  ["verified", "certificate_stored", "live"],
  ["verified", "issue_refused", "issue_failed"],
  ["verified", "plan_dropped", "suspended"],
  ["issuing", "plan_dropped", "suspended"],
  ["issue_failed", "order_placed", "issuing"],
  ["issue_failed", "certificate_stored", "live"],
  ["issue_failed", "issue_refused", "issue_failed"],
  ["issue_failed", "plan_dropped", "suspended"],
  ["issue_failed", "removed", "removed"],
  ["live", "records_right", "live"],
  ["live", "lapsed", "awaiting_dns"],
  ["live", "plan_dropped", "suspended"],
  ["live", "removed", "removed"],
  ["suspended", "plan_restored", "live"],
  ["suspended", "yielded", "dns_conflict"],
  ["verified", "yielded", "dns_conflict"],
  ["issuing", "yielded", "dns_conflict"],
  ["issue_failed", "yielded", "dns_conflict"],
  ["live", "yielded", "dns_conflict"],
  ["suspended", "removed", "removed"],
];

const pairs = STAGES.flatMap((stage) => STAGE_EVENTS.map((event) => [stage, event] as const));

test.each(pairs)("%s and %s", (stage, event) => {
  const row = EXPECTED.find(([from, on]) => from === stage && on === event);
  expect(nextStage(stage, event)).toBe(row?.[2]);
});

test("every stage is reached, and every stage but the last ends by removal", () => {
  const reached = new Set(EXPECTED.map(([, , to]) => to));
  expect(STAGES.filter((stage) => !reached.has(stage))).toEqual([]);
  for (const stage of STAGES)
    expect(nextStage(stage, "removed")).toBe(stage === "removed" ? undefined : "removed");
});
