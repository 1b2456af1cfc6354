import { expect, test } from "bun:test";
import { fieldError, generalError } from "../../src/console/ui/parts/field-errors.ts";

const both = new Error("name: must be a string of 1 to 200 characters; categoryId: must be an integer");

test("each field shows the error about it", () => {
  expect(fieldError(both, "name")).toBe("must be a string of 1 to 200 characters");
  expect(fieldError(both, "categoryId")).toBe("must be an integer");
  expect(fieldError(both, "status")).toBeUndefined();
  expect(fieldError(null, "name")).toBeUndefined();
});

test("a field shows the error about a value inside it", () => {
  expect(fieldError(new Error("scopes.0: must be one of *, pets:read"), "scopes")).toBe(
    "must be one of *, pets:read",
  );
});

test("a field does not show the error of one whose name begins like its own", () => {
  expect(fieldError(new Error("nameless: is not a known field"), "name")).toBeUndefined();
});

test("a message with a semicolon stays together", () => {
  const message = "must be a name; see the documentation";
  expect(fieldError(new Error(`name: ${message}`), "name")).toBe(message);
});

test("an error about no field of the form is shown above it", () => {
  const limit = new Error("The key has made too many requests.");
  expect(generalError(limit, ["name"])).toBe(limit);
  expect(generalError(both, ["name", "categoryId"])).toBeUndefined();
  expect(generalError(null, ["name"])).toBeUndefined();
});
