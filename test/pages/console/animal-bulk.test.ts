import { describe, expect, test } from "bun:test";
import {
  csvOf,
  failureOf,
  failureWords,
  outcomeOf,
  reasonOf,
  wantedAnimal,
} from "../../../src/pages/console/ui/animals/changes.ts";
import { editedWords } from "../../../src/pages/console/ui/animals/animal.ts";
import { ApiError } from "../../../src/client/api-error.ts";
import { csvLine, guardFormula } from "../../../src/lib/csv-writer.ts";

const bella = { id: 7, name: "Bella", categoryId: 3, status: "available" } as const;

describe("a change of many animals", () => {
  test.each([
    [{ status: "sold" }, { id: 7, name: "Bella", categoryId: 3, status: "sold" }],
    [{ status: null }, { id: 7, name: "Bella", categoryId: 3 }],
    [{ categoryId: 4 }, { id: 7, name: "Bella", categoryId: 4, status: "available" }],
  ] as const)("to %j makes of one: %j", (wanted, animal) => {
    expect(wantedAnimal(bella, wanted)).toEqual(animal);
  });

  test.each([
    ["pet_in_order", "it has an open adoption"],
    ["precondition_failed", "somebody else changed it"],
    ["not_found", "it was deleted"],
    ["category_not_found", "This category no longer exists. Choose another."],
    ["new_code", "The disk is full."],
  ])("says why one was not changed: %s", (code, reason) => {
    expect(reasonOf(new ApiError(409, code, "The disk is full."))).toBe(reason);
  });

  test("says how many were not changed", () => {
    expect(failureWords(2, 40)).toBe("2 of 40 animals were not changed:");
    expect(failureWords(1, 1)).toBe("1 of 1 animal was not changed:");
  });

  test("has an outcome for each, in their order, with what is needed to undo it", () => {
    const max = { id: 8, name: "Max", categoryId: 3 };
    const changes = [bella, max].map((animal) => ({ from: { animal, tag: '"old"' }, to: animal }));
    const now = { ...bella, status: "sold" as const };
    const { changed, failed } = outcomeOf(changes, [
      { id: 7, pet: now, etag: '"new"' },
      { id: 8, error: { code: "pet_in_order", message: "held", status: 409 } },
    ]);
    expect(changed).toEqual([{ before: bella, now: { animal: now, tag: '"new"' } }]);
    expect(failed.map(({ animal, error }) => [animal, reasonOf(error)])).toEqual([
      [max, "it has an open adoption"],
    ]);
  });

  test("that got no response has changed none", () => {
    const error = new Error("The server did not respond.");
    const outcome = failureOf([{ from: { animal: bella, tag: "" }, to: bella }], error);
    expect(outcome).toEqual({ changed: [], failed: [{ animal: bella, error }] });
  });
});

describe("what an edit did", () => {
  test.each([
    [{ ...bella, name: "Luna" }, "“Bella” renamed to “Luna”"],
    [{ ...bella, status: "sold" }, "“Bella” is now adopted"],
    [{ id: 7, name: "Bella", categoryId: 3 }, "“Bella” no longer has a status"],
    [{ ...bella, categoryId: 4 }, "“Bella” moved to “Cats”"],
    [{ ...bella, name: "Luna", status: "sold" }, "“Luna” changed"],
    [bella, "Nothing changed"],
  ] as const)("%j: %s", (now, said) => {
    expect(editedWords(bella, now, "Cats")).toBe(said);
  });
});

describe("the file of selected animals", () => {
  const categories = [{ id: 3, name: "=Dogs, small" }];

  test("has the columns of `export`, the names of categories, and ids with all their digits", () => {
    const most = 9223372036854775807n;
    expect(csvOf([bella, { id: 8, name: "Max", categoryId: most }], categories)).toBe(
      `\ufeffid,name,categoryId,category,status\n7,Bella,3,"'=Dogs, small",available\n8,Max,9223372036854775807,,\n`,
    );
  });

  test.each(["=1+1", "'=1", "＝1", " =1", "a;=1", "@x", "a;b", 'say "hi"', " x", "-5", "plain"])(
    "writes the name %j as `export` does",
    (name) => {
      const [, row] = csvOf([{ id: 1, name, categoryId: 9 }], []).split("\n");
      expect(`${row}\n`).toBe(csvLine(["1", guardFormula(name), "9", "", ""]));
    },
  );
});
