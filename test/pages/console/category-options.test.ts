import { describe, expect, test } from "bun:test";
import { exactOption, optionsFor } from "../../../src/pages/console/ui/animals/animal.ts";

const DOGS = { id: 3, name: "Dogs" };
const HOT = { id: 4, name: "Hot  dogs" };
const CATS = { id: 5, name: "Cats" };
const categories = [CATS, DOGS, HOT];
const labels = (text: string) =>
  optionsFor(categories, text).map((option) =>
    option.kind === "number" ? `no. ${option.id}` : `${option.kind} ${option.name}`,
  );

describe("the category field suggests", () => {
  test.each([
    ["every category before anything is typed", "", ["category Cats", "category Dogs", "category Hot  dogs"]],
    [
      "names that contain the text, and a new category",
      " DOG ",
      ["category Dogs", "category Hot  dogs", "create DOG"],
    ],
    ["no new category with the name of another", "hot DOGS", ["category Hot  dogs"]],
    ["only a new category if none matches", "Rabbit", ["create Rabbit"]],
    ["the category with a number before a new one", "3", ["category Dogs", "create 3"]],
    [
      "a number beyond 2^53 with all its digits",
      "9223372036854775807",
      ["no. 9223372036854775807", "create 9223372036854775807"],
    ],
  ])("%s", (_what, text, expected) => {
    expect(labels(text)).toEqual(expected);
  });
});

test("a whole name or a number names a category, and a part of a name does not", () => {
  expect(exactOption(categories, " hot dogs")).toEqual({ kind: "category", id: "4", name: "Hot  dogs" });
  expect(exactOption(categories, "5")).toEqual({ kind: "category", id: "5", name: "Cats" });
  expect(exactOption(categories, "-7")).toEqual({ kind: "number", id: "-7" });
  expect(exactOption(categories, "dog")).toBeUndefined();
  expect(exactOption(categories, "")).toBeUndefined();
});
