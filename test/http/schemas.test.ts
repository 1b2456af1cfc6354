import { expect, test } from "bun:test";
import { checked } from "../../src/http/schemas.ts";

test("a schema of another kind's name is refused: it would check the values of both", () => {
  const make = (rule: string) => checked<string>("Taken", { type: "string" }, rule, () => true);
  make("must be short");
  make("must be short");
  expect(() => make("must be long")).toThrow("two rules for schemas of the kind Taken");
});
