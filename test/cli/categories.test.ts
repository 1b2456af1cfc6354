import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { addPet, openStore, temporaryDirectory } from "../support/store.ts";
import { directoryWithStore } from "../support/new-store.ts";
import { inProcessIn, expectFailure } from "./program.ts";

setDefaultTimeout(60_000);

const open = async () => {
  const cwd = await directoryWithStore();
  return { cwd, run: (...argv: string[]) => inProcessIn(cwd, ["categories", ...argv]) };
};

describe("categories", () => {
  test("are added, listed, renamed and deleted", async () => {
    const { run } = await open();
    expect((await run("add", "Dogs", "Cats")).out).toBe('Added category 1 "Dogs"\nAdded category 2 "Cats"\n');
    expect((await run("list")).out).toBe("ID  NAME\n1   Dogs\n2   Cats\n");
    expect((await run("rename", "dogs", "Canines")).out).toBe('Category 1 "Dogs" is now "Canines"\n');
    expect((await run("delete", "2", "--yes")).out).toBe('Deleted category 2 "Cats"\n');
    expect((await run("list")).out).toBe("ID  NAME\n1   Canines\n");
  });

  test("are named as they are added, also if a later one is refused", async () => {
    const { code, out, error } = await (await open()).run("add", "Dogs", "dogs", "Cats");
    expect([code, out]).toEqual([1, 'Added category 1 "Dogs"\n']);
    expect(error).toContain('"dogs": Another category already has this name');
  });

  test("are printed as JSON", async () => {
    const { run } = await open();
    expect(JSON.parse((await run("add", "Dogs", "--json")).out)).toEqual([{ id: 1, name: "Dogs" }]);
    expect(JSON.parse((await run("list", "--json")).out)).toEqual([{ id: 1, name: "Dogs" }]);
    expect(JSON.parse((await run("rename", "1", "Cats", "--json")).out)).toEqual({ id: 1, name: "Cats" });
    expect(JSON.parse((await run("delete", "cats", "--yes", "--json")).out)).toEqual({ id: 1, name: "Cats" });
    expect((await run("list")).out).toContain("categories add NAME");
  });

  test("are found by their name before their id", async () => {
    const { run } = await open();
    await run("add", "2", "Dogs");
    expect((await run("rename", "2", "Two")).out).toBe('Category 1 "2" is now "Two"\n');
  });

  test("change in a running server too", async () => {
    const cwd = temporaryDirectory();
    const run = (...argv: string[]) => inProcessIn(cwd, ["categories", ...argv]);
    mkdirSync(join(cwd, "data"));
    const store = await openStore({ path: join(cwd, "data", "adoption-store.db") });
    await run("add", "Dogs");
    expect(await (await store.call("GET", "/v1/categories")).json()).toEqual([{ id: 1, name: "Dogs" }]);
    await addPet(store, { categoryId: 1 });
    expectFailure(await run("delete", "Dogs", "--yes"), 1, /"Dogs": Animals belong to this category/);
  });

  test.each([
    [["add", "dogs"], 1, '"dogs": Another category already has this name'],
    [["add", " "], 2, "name: must be a string of 1 to 100 characters"],
    [["add"], 2, "names"],
    [["rename", "Dogs", ""], 2, "name: must be a string"],
    [["rename", "Mice", "Rats"], 1, 'there is no category "Mice"; see adoption-store categories list'],
    [["delete", "7", "--yes"], 1, 'there is no category "7"'],
    [["delete", "Dogs"], 2, "Pass --yes"],
  ] as const)("%j is refused", async (argv, code, message) => {
    const { run } = await open();
    await run("add", "Dogs");
    const refused = await run(...argv);
    expect([refused.code, refused.error]).toEqual([code, expect.stringContaining(message)]);
    expect(refused.error).not.toContain("\n\n");
  });

  test("of a directory without a store are neither listed nor added, and nothing is created", async () => {
    const cwd = temporaryDirectory();
    for (const argv of [["list"], ["add", "Dogs"]])
      expect((await inProcessIn(cwd, ["categories", ...argv])).code).toBe(1);
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });
});
