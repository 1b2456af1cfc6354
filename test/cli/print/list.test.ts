import { expect, test } from "bun:test";
import { allPages } from "../../../src/cli/print/output.ts";

test("all pages of a list are fetched in order, and none after the last", async () => {
  const pages = [
    { items: [1, 2], next: "b" },
    { items: [3], next: "c" },
    { items: [], next: undefined },
  ];
  const cursors: (string | undefined)[] = [];
  const rows = await allPages(async (cursor: string | undefined) => {
    cursors.push(cursor);
    return pages[cursors.length - 1] ?? { items: [9], next: undefined };
  });
  expect(rows).toEqual([1, 2, 3]);
  expect(cursors).toEqual([undefined, "b", "c"]);
});
