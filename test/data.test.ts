import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { readConfig } from "../src/config/config.ts";
import { databasePath, openData } from "../src/data.ts";
import { migrate } from "../src/db/migrate.ts";
import { migrations } from "../src/db/migrations.ts";
import { temporaryDirectory } from "./support/store.ts";

const configIn = (dataDir: string) =>
  readConfig({ flags: {}, env: { DATA_DIR: dataDir }, isTerminal: false });

test("a command beside an older server does not bring its database up to date under it; the server does", async () => {
  const config = configIn(temporaryDirectory());
  const older = new Client(databasePath(config.dataDir), { create: true, strict: true });
  migrate(older, migrations.slice(0, 1));
  const applied = () => older.query("SELECT tag FROM migrations").all().length;
  expect(() => openData(config, { create: true })).toThrow("older than this program");
  expect(applied()).toBe(1);
  await openData(config, { create: true, migrate: true }).close();
  expect(applied()).toBe(migrations.length);
  older.close();
});

test("what is missing is made where that is asked for, and nowhere else", async () => {
  const config = configIn(`${temporaryDirectory()}/new`);
  expect(() => openData(config, { create: false })).toThrow("there is no database");
  await openData(config, { create: true }).close();
  await openData(config, { create: false }).close();
});
