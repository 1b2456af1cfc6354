import { expect, setDefaultTimeout, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { join } from "node:path";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { addPet, openStore, temporaryDirectory } from "../support/store.ts";
import { inProcess } from "./program.ts";

// Each test opens databases as commands do, and the machine may be busy.
setDefaultTimeout(60_000);

const open = async ({ hasOrder = false } = {}) => {
  const directory = temporaryDirectory();
  const store = await openStore({ path: databasePath(directory) });
  await addPet(store, { status: "available" });
  const order = { petId: 1, adopter: { name: "Ada Byron", email: "ada@example.org" } };
  if (hasOrder) await store.call("POST", "/v1/store/orders", { json: order });
  const run = (...argv: string[]) => inProcess(argv, { env: { DATA_DIR: directory } });
  const recorded = async (action: string) =>
    JSON.parse((await run("audit", "--action", action, "--json")).out) as object[];
  return { store, directory, run, recorded };
};

test("a backup is recorded with the name of its file, and the schedule's with the service", async () => {
  const { run, recorded } = await open();
  const target = join(temporaryDirectory(), "friday.db");
  expect((await run("backup", target)).code).toBe(0);
  expect((await run("backup", target, "--force", "--scheduled")).code).toBe(0);
  expect(await recorded("backup.taken")).toMatchObject([
    { actor: { kind: "service" }, resource: { kind: "backup", id: "friday.db" } },
    { actor: { kind: "operator" }, resource: { kind: "backup", id: "friday.db" } },
  ]);
});

test("the check of a backup is not recorded", async () => {
  const { run, recorded } = await open();
  const target = join(temporaryDirectory(), "friday.db");
  await run("backup", target);
  await run("backup", "--check", target);
  expect(await recorded("backup.taken")).toHaveLength(1);
});

test("a backup that cannot be recorded is kept, and the command names the reason", async () => {
  const { directory, run, recorded } = await open();
  using other = new Client(databasePath(directory));
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
  const { run } = await open();
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
  const { run, recorded } = await open();
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
  const { store, run, recorded } = await open({ hasOrder: true });
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
