import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { addPet, openStore, temporaryDirectory } from "../support/store.ts";
import { inProcess } from "./program.ts";

// Each test opens a database as commands do, and the machine may be busy.
setDefaultTimeout(60_000);

const open = async () => {
  const directory = temporaryDirectory();
  const store = await openStore({ path: join(directory, "adoption-store.db") });
  await addPet(store, { status: "available" });
  await store.call("PATCH", "/v1/pets/1", { json: { name: "Luna", status: null } });
  const run = (...argv: string[]) => inProcess(["audit", ...argv], { env: { DATA_DIR: directory } });
  return { store, run };
};

test("what was recorded is listed, newest first", async () => {
  const { run } = await open();
  const lines = (await run()).out.trimEnd().split("\n");
  expect(lines[0]?.split(/ {2,}/)).toEqual(["WHEN", "WHO", "ACTION", "WHAT", "CHANGES"]);
  expect(lines.slice(1).map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ["key 1 all", "pet.changed", "pet 1 Luna", "name: Bella -> Luna, status: available -> none"],
    ["key 1 all", "pet.added", "pet 1 Bella", "-"],
    ["operator", "key.created", "key 1 all", "scopes: *"],
  ]);
});

test("a person reads that an animal was adopted, and a program reads `sold`", async () => {
  const { store, run } = await open();
  await store.call("PATCH", "/v1/pets/1", { json: { status: "sold" } });
  const [, newest] = (await run("--limit", "1")).out.trimEnd().split("\n");
  expect(newest?.split(/ {2,}/).at(-1)).toBe("status: adopted");
  const [entry] = JSON.parse((await run("--limit", "1", "--json")).out);
  expect(entry.changes).toEqual([{ field: "status", to: "sold" }]);
});

test.each([
  [["--actor", "operator"], ["key.created"]],
  [["--actor", "key:1", "--limit", "1"], ["pet.changed"]],
  [["--action", "pet.added"], ["pet.added"]],
  [
    ["--resource", "pet:1"],
    ["pet.changed", "pet.added"],
  ],
  [["--since", "2026-11-21T00:00:00Z"], []],
  [
    ["--until", "2026-11-21T00:00:00Z", "--resource", "pet"],
    ["pet.changed", "pet.added"],
  ],
])("%j filters", async (flags, expected) => {
  const { run } = await open();
  const entries = JSON.parse((await run(...flags, "--json")).out) as { action: string }[];
  expect(entries.map(({ action }) => action)).toEqual(expected);
});

test.each([
  [["--actor", "somebody"], "--actor"],
  [["--resource", "cat"], "--resource"],
  [["--since", "yesterday"], "--since"],
  [["--limit", "0"], "--limit"],
  [["--action", "pet.eaten"], "--action"],
])("%j is a wrong call", async (flags, named) => {
  const { run } = await open();
  const { code, error } = await run(...flags);
  expect([code, error.includes(named)]).toEqual([2, true]);
});

test("a page of the API is not the limit", async () => {
  const { store, run } = await open();
  for (let at = 0; at < 120; at++) await addPet(store, {});
  expect((JSON.parse((await run("--limit", "110", "--json")).out) as unknown[]).length).toBe(110);
});
