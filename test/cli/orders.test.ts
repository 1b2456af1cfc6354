import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backupName, temporaryName } from "../../src/operate/backups/file-names.ts";
import { saveSettings } from "../../src/config/shared-settings.ts";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { NOW, backUp, copyDatabase, includes, restoreTo, storeIn } from "../operate/backups/stores.ts";
import { temporaryDirectory } from "../support/store.ts";
import { bundled, inProcess, openShared } from "./program.ts";
import { ADA, addAvailablePet, place, statusOf, take } from "../store/orders/orders.ts";

const program = bundled();
const spawn = (argv: string[], env: Record<string, string>) => program(argv, { env });
const run = (argv: string[], env: Record<string, string>) => inProcess(argv, { env });

test("orders are listed, in words and in JSON, all of them or those of one status", async () => {
  const { store, env } = await openShared();
  expect((await run(["orders", "list"], env)).out).toBe("There are no orders.\n");
  await place(store, await addAvailablePet(store));
  await place(store, await addAvailablePet(store));
  await take(store, "approve", 2);
  const { out, code } = await spawn(["orders", "list"], env);
  expect(code).toBe(0);
  expect(out.split("\n")[1]?.split(/ {2,}/)).toEqual([
    "1",
    "1",
    "placed",
    ADA.name,
    ADA.email,
    expect.stringMatching(/ ago$|^in |^now$/),
  ]);
  const approved = await run(["orders", "list", "--status", "approved", "--json"], env);
  expect(JSON.parse(approved.out)).toMatchObject([{ id: 2, adopter: ADA, status: "approved" }]);
});

const ANEW =
  "adoption-store: rewriting the database: its files may hold the adopter until this has ended; if it is interrupted, run it again\n";

test("forget refuses open orders by name, cancels them with --cancel, and reports the number of erased orders", async () => {
  const { store, env } = await openShared();
  await place(store, await addAvailablePet(store));
  const refused = await spawn(["orders", "forget", ADA.email, "--yes"], env);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.error).toBe(
    "adoption-store: nothing was erased, because open orders need their adopter (order 1 is placed): complete or cancel them first, or add --cancel\n",
  );
  const done = await spawn(["orders", "forget", "ADA@example.org", "--yes", "--cancel"], env);
  expect(done).toEqual({
    out: "Erased the adopter from 1 order (1 cancelled by this command) and deleted 0 stored responses.\n",
    error: ANEW,
    code: 0,
  });
  expect(await statusOf(store, 1)).toBe("available");
  const again = await spawn(["orders", "forget", ADA.email, "--yes", "--json"], env);
  expect(JSON.parse(again.out)).toEqual({ orders: 0, responses: 0, cancelled: [], copies: [] });
});

test("forget names every file that may still hold the address: databases set aside, and backups of all kinds", async () => {
  const before = temporaryDirectory();
  const dataDir = temporaryDirectory();
  const shelf = temporaryDirectory();
  mkdirSync(join(dataDir, "backups"));
  const store = await storeIn(before);
  const { file } = await backUp(before);
  await place(store, await addAvailablePet(store));
  await take(store, "cancel");
  await backUp(before, { file: join(dataDir, "backups", backupName(NOW)) });
  await backUp(before, { file: join(dataDir, "own.db") });
  await backUp(before, { file: join(shelf, "nightly") });
  copyDatabase(before, dataDir);
  const { aside = "" } = await restoreTo(dataDir, file);
  expect(includes(aside, ADA.email)).toBe(true);
  writeFileSync(`${databasePath(dataDir)}.restoring`, "half of a backup");
  writeFileSync(join(shelf, temporaryName(7)), "half of a backup");
  writeFileSync(join(shelf, "notes.txt"), "of the keeper");
  await saveSettings({ ...store.config, dataDir, backupDir: shelf }, 3000);
  const copies = [
    `${databasePath(dataDir)}.before-restore-20261120T030000.000Z`,
    `${databasePath(dataDir)}.restoring`,
    join(dataDir, "own.db"),
    join(dataDir, "backups", backupName(NOW)),
    join(shelf, temporaryName(7)),
    join(shelf, "nightly"),
  ];
  const env = { DATA_DIR: dataDir };
  const said = `${ANEW}adoption-store: these files may still hold the adopter: ${copies.join(", ")}; delete them (backups once you have taken a new one), and copies elsewhere too\n`;
  expect(await spawn(["orders", "forget", ADA.email, "--yes"], env)).toEqual({
    out: "Erased the adopter from 0 orders (0 cancelled by this command) and deleted 0 stored responses.\n",
    error: said,
    code: 0,
  });
  const json = await spawn(["orders", "forget", ADA.email, "--yes", "--json"], env);
  expect(JSON.parse(json.out)).toEqual({ orders: 0, responses: 0, cancelled: [], copies });
  expect(json.error).toBe(said);
  const elsewhere = ["--backup-dir", temporaryDirectory()];
  const other = await spawn(["orders", "forget", ADA.email, "--yes", "--json", ...elsewhere], env);
  expect(JSON.parse(other.out)).toMatchObject({ copies: copies.slice(0, 4) });
  for (const copy of copies) rmSync(copy);
  expect((await spawn(["orders", "forget", ADA.email, "--yes"], env)).error).toBe(ANEW);
});

test.each([
  [["orders", "forget", ADA.email], "Standard input is not a terminal. Pass --yes to confirm."],
  [["orders", "forget", "ada", "--yes"], 'email: "ada" is not an email address'],
  [["orders", "forget"], "email"],
  [["orders", "list", "--status", "open"], '--status: "open" is not one of placed'],
])("%j is wrong use: one line, exit code 2", async (argv, named) => {
  const { env } = await openShared();
  const { out, error, code } = await run(argv, env);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain(named);
  expect(error.trimEnd().split("\n")).toHaveLength(1);
});
