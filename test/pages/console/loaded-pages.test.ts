import { expect, test } from "bun:test";
import { withLoadedPages } from "../../../src/pages/console/ui/parts/reads.ts";

const merge = withLoadedPages((_, now) => now);
const listOf = (...pages: string[]) => ({ pages, pageParams: pages.map((_, at) => at) });

test("a change that is patched in while the next page loads is kept", () => {
  expect(merge(listOf("Bello"), listOf("Bella", "Milo"))).toEqual(listOf("Bello", "Milo"));
});

test("pages that are read again, or for the first time, are taken as they are", () => {
  expect(merge(listOf("Bello"), listOf("Luna"))).toEqual(listOf("Luna"));
  expect(merge(undefined, listOf("Luna"))).toEqual(listOf("Luna"));
});
