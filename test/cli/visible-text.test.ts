import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryWithStore } from "../support/new-store.ts";
import { inProcessIn } from "./program.ts";
import { animals } from "./placed.ts";

// Each test opens databases as commands do, and the machine may be busy.
setDefaultTimeout(60_000);

/** Reads as "RexRex" where U+202E reverses the text after it. */
const EVIL = "Rex\u202exeR";
const SHOWN = String.raw`"Rex\u202exeR"`;

describe("a name that reverses its letters is refused, and no output has it:", () => {
  test.each([
    ["keys create --name", ["--scope", "pets:read"], "keys list"],
    ["people add --name", ["--email", "ada@example.org", "--role", "staff"], "people list"],
    ["categories add", [], "categories list"],
    ["categories rename Dogs", [], "categories list"],
  ])("%s", async (command, flags, list) => {
    const cwd = await directoryWithStore();
    expect((await inProcessIn(cwd, ["categories", "add", "Dogs"])).code).toBe(0);
    const before = await inProcessIn(cwd, list.split(" "));
    const { code, out, error } = await inProcessIn(cwd, [...command.split(" "), EVIL, ...flags]);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toMatch(/^adoption-store: (--)?name: .*without control, invisible, private-use/);
    expect(error).toContain(SHOWN);
    expect(error).not.toContain(EVIL);
    expect(await inProcessIn(cwd, list.split(" "))).toEqual(before);
  });

  test("the rows of an import, whose other rows are added", async () => {
    const cwd = await directoryWithStore();
    writeFileSync(join(cwd, "a.csv"), `name,category\n${EVIL},Dogs\nBella,${EVIL}\nLuna,Cats\n`);
    const { code, out, error } = await inProcessIn(cwd, ["import", "a.csv", "--create-categories"]);
    expect([code, out]).toEqual([1, expect.stringContaining("3 rows read: 1 added, 2 rejected")]);
    expect(error).toContain("line 2: name: must be a string");
    expect(error).toContain(`line 3: category: ${SHOWN} cannot be created`);
    expect(out + error).not.toContain(EVIL);
    expect(animals(cwd)).toEqual(["Luna|1|"]);
  });
});
