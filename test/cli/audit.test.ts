import { expect, setDefaultTimeout, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { join } from "node:path";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { addPet, temporaryDirectory } from "../support/store.ts";
import { inProcess, openShared } from "./program.ts";

// Each test opens a database as commands do, and the machine may be busy.
setDefaultTimeout(60_000);

const open = async () => {
  const { store, run } = await openShared();
  await addPet(store, { status: "available" });
  await store.call("PATCH", "/v1/pets/1", { json: { name: "Luna", status: null } });
  return { store, run: (...argv: string[]) => run("audit", ...argv) };
};

test("the entries of the audit log are listed, newest first", async () => {
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

/** A store with an animal, and the entries of an action in its audit log. */
const openRecorded = async () => {
  const shared = await openShared();
  await addPet(shared.store, { status: "available" });
  const recorded = async (action: string) =>
    JSON.parse((await shared.run("audit", "--action", action, "--json")).out) as object[];
  return { ...shared, recorded };
};

test("a backup is recorded with the name of its file, and the schedule's with the service", async () => {
  const { run, recorded } = await openRecorded();
  const target = join(temporaryDirectory(), "friday.db");
  expect((await run("backup", target)).code).toBe(0);
  expect((await run("backup", target, "--force", "--scheduled")).code).toBe(0);
  expect(await recorded("backup.taken")).toMatchObject([
    { actor: { kind: "service" }, resource: { kind: "backup", id: "friday.db" } },
    { actor: { kind: "operator" }, resource: { kind: "backup", id: "friday.db" } },
  ]);
});

test("the check of a backup is not recorded", async () => {
  const { run, recorded } = await openRecorded();
  const target = join(temporaryDirectory(), "friday.db");
  await run("backup", target);
  await run("backup", "--check", target);
  expect(await recorded("backup.taken")).toHaveLength(1);
});

test("a backup that cannot be recorded is kept, and the command names the reason", async () => {
  const { dataDir, run, recorded } = await openRecorded();
  using other = new Client(databasePath(dataDir));
  other.run("BEGIN IMMEDIATE");
  const target = join(temporaryDirectory(), "friday.db");
  const { code, error } = await run("backup", target);
  other.run("ROLLBACK");
  expect([code, await Bun.file(target).exists()]).toEqual([0, true]);
  expect(error).toMatch(
    /^adoption-store: The command succeeded, but the audit log has no entry: .*locked.*\.\n$/,
  );
  expect(await recorded("backup.taken")).toEqual([]);
});

test("a restore is recorded in the restored database, with the name of the backup", async () => {
  const { run } = await openRecorded();
  const target = join(temporaryDirectory(), "friday.db");
  await run("backup", target);
  const env = { DATA_DIR: join(temporaryDirectory(), "new") };
  expect((await inProcess(["restore", target], { env })).code).toBe(0);
  const { out } = await inProcess(["audit", "--resource", "backup", "--json"], { env });
  expect(JSON.parse(out)).toMatchObject([
    {
      actor: { kind: "operator" },
      action: "backup.restored",
      resource: { kind: "backup", id: "friday.db" },
    },
  ]);
});

test("an export is recorded with its target and its number of rows", async () => {
  const { run, recorded } = await openRecorded();
  await run("export", join(temporaryDirectory(), "animals.csv"));
  expect(await recorded("export.animals")).toMatchObject([
    {
      actor: { kind: "operator" },
      resource: { kind: "export", id: "animals" },
      changes: [
        { field: "rows", to: "1" },
        { field: "to", to: "animals.csv" },
      ],
    },
  ]);
});

test("a list of adoptions is recorded if it has adopters, and without their data", async () => {
  const { store, run, recorded } = await openRecorded();
  const order = { petId: 1, adopter: { name: "Ada Byron", email: "ada@example.org" } };
  await store.call("POST", "/v1/store/orders", { json: order });
  await run("orders", "list", "--status", "approved");
  expect(await recorded("export.adopters")).toEqual([]);
  expect((await run("orders", "list")).out).toContain("ada@example.org");
  expect(await recorded("export.adopters")).toMatchObject([
    {
      actor: { kind: "operator" },
      resource: { kind: "export", id: "orders" },
      changes: [{ field: "rows", to: "1" }],
    },
  ]);
  const entries = JSON.stringify(store.database.client.query("SELECT * FROM audit_entries").all());
  expect(entries).not.toContain("ada@example.org");
});
