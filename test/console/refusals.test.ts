import { expect, test } from "bun:test";
import { refusalOfField, refusalOfNone } from "../../src/console/ui/parts/refusals.ts";

const both = new Error("name: must be a string of 1 to 200 characters; categoryId: must be an integer");

test("each field is told what is said of it", () => {
  expect(refusalOfField(both, "name")).toBe("must be a string of 1 to 200 characters");
  expect(refusalOfField(both, "categoryId")).toBe("must be an integer");
  expect(refusalOfField(both, "status")).toBeUndefined();
  expect(refusalOfField(null, "name")).toBeUndefined();
});

test("a field is told what is wrong in it", () => {
  expect(refusalOfField(new Error("scopes.0: must be one of *, pets:read"), "scopes")).toBe(
    "must be one of *, pets:read",
  );
});

test("a field is not told of one whose name begins like its own", () => {
  expect(refusalOfField(new Error("nameless: is not a known field"), "name")).toBeUndefined();
});

test("words with a semicolon stay together", () => {
  const message = "must be a name; see the documentation";
  expect(refusalOfField(new Error(`name: ${message}`), "name")).toBe(message);
});

test("what concerns no field of the form is said above it", () => {
  const limit = new Error("The key has made too many requests.");
  expect(refusalOfNone(limit, ["name"])).toBe(limit);
  expect(refusalOfNone(both, ["name", "categoryId"])).toBeUndefined();
  expect(refusalOfNone(null, ["name"])).toBeUndefined();
});
