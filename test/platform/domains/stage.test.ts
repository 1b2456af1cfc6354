import { expect, test } from "bun:test";
import {
  FIRST_STAGE,
  STAGE_EVENTS,
  STORED_STAGES,
  nextStage,
  stageAfter,
} from "../../../src/platform/domains/stage.ts";
import { EXPECTED_TRANSITIONS } from "./transitions.ts";

const pairs = STORED_STAGES.flatMap((stage) => STAGE_EVENTS.map((event) => [stage, event] as const));

test.each(pairs)("a domain that is %s moves by %s as the design says", (stage, event) => {
  const row = EXPECTED_TRANSITIONS.find(([from, on]) => from === stage && on === event);
  expect(nextStage(stage, event)).toBe(row?.[2]);
});

test("every stage is the first one or is reached from another", () => {
  const reached = new Set([FIRST_STAGE, ...EXPECTED_TRANSITIONS.map(([, , to]) => to)]);
  expect(STORED_STAGES.filter((stage) => !reached.has(stage))).toEqual([]);
});

test("an event that cannot happen in a stage throws an error that names both", () => {
  expect(stageAfter("live", "lapsed")).toBe("awaiting_dns");
  expect(() => stageAfter("suspended", "lapsed")).toThrow(
    "the event lapsed cannot happen to a domain that is suspended",
  );
});
