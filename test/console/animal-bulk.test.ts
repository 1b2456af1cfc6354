import { describe, expect, test } from "bun:test";
import { mapAtOnce, reasonOf, wantedAnimal } from "../../src/console/ui/animals/bulk.ts";
import { csvOf } from "../../src/console/ui/animals/csv.ts";
import { WORDS } from "../../src/console/ui/animals/words.ts";
import { ApiError } from "../../src/client/api-error.ts";
import { csvLine, guardFormula } from "../../src/bulk/csv-writer.ts";

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
    ["pet_in_order", "an open adoption holds it"],
    ["precondition_failed", "somebody else changed it"],
    ["not_found", "it was deleted"],
    ["storage_unavailable", "The disk is full."],
  ])("says why one was not changed: %s", (code, reason) => {
    expect(reasonOf(new ApiError(409, code, "The disk is full."))).toBe(reason);
  });

  test("says how many were not changed", () => {
    expect(WORDS.notChanged(2, 40)).toBe("2 of 40 animals were not changed:");
    expect(WORDS.notChanged(1, 1)).toBe("1 of 1 animal was not changed:");
  });

  test("runs a few at once, and keeps the order of their results", async () => {
    let running = 0;
    let most = 0;
    const results = await mapAtOnce([5, 1, 3, 2, 4], 2, async (ms) => {
      most = Math.max(most, ++running);
      await Bun.sleep(ms);
      running--;
      if (ms === 3) throw new Error("three");
      return ms;
    });
    expect(most).toBe(2);
    expect(results.map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual([
      5,
      1,
      "failed",
      2,
      4,
    ]);
  });
});

describe("what an edit did", () => {
  test.each([
    [{ ...bella, name: "Luna" }, "“Bella” renamed to “Luna”"],
    [{ ...bella, status: "sold" }, "“Bella” is now sold"],
    [{ id: 7, name: "Bella", categoryId: 3 }, "“Bella” has no status now"],
    [{ ...bella, categoryId: 4 }, "“Bella” moved to “Cats”"],
    [{ ...bella, name: "Luna", status: "sold" }, "“Luna” changed"],
    [bella, "Nothing changed"],
  ] as const)("%j: %s", (now, said) => {
    expect(WORDS.editedMessage(bella, now, "Cats")).toBe(said);
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

  test.each(["=1+1", "'=1", "@x", "a;b", 'say "hi"', " x", "-5", "plain"])(
    "writes the name %j as `export --for-spreadsheets` does",
    (name) => {
      const [, row] = csvOf([{ id: 1, name, categoryId: 9 }], []).split("\n");
      expect(`${row}\n`).toBe(csvLine(["1", guardFormula(name), "9", "", ""]));
    },
  );
});
