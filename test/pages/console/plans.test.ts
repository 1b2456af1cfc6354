import { expect, test } from "bun:test";
import { PLANS as copy } from "../../../src/pages/console/ui/projects/model.ts";
import { PLANS } from "../../../src/platform/projects/plan.ts";

test("the console's plans are those of src/platform/projects/plan.ts", () => {
  expect<object>(copy).toEqual(PLANS);
});
