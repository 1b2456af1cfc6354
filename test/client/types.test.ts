import { expect, test } from "bun:test";
import { DOCUMENTS } from "../../src/openapi/sections.ts";
import { PLANS } from "../../src/projects/plan.ts";
import { PLANS_FILE, typesFile, typesOf } from "../support/client-types.ts";

/** Apart from how it is laid out. */
const bare = (text: string): string => text.replaceAll(/[\s;|]/g, "");

test.each(DOCUMENTS)("the client's types of the %s are those of its document", async (name) => {
  const written = await Bun.file(typesFile(name)).text();
  // If not: bun run client:types
  expect(bare(written)).toBe(bare(await typesOf(name)));
});

test("the console's plans are those of src/projects/plan.ts", async () => {
  // If not: bun run client:types
  const { PLANS: written } = (await import(PLANS_FILE)) as { PLANS: unknown };
  expect(written).toEqual(PLANS);
});
