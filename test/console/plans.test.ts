import { expect, test } from "bun:test";
import { PLANS as copy } from "../../src/console/ui/api/plans.ts";
import { PLANS } from "../../src/projects/plan.ts";

test("the console's plans are those of src/projects/plan.ts", () => {
  expect<object>(copy).toEqual(PLANS);
});
