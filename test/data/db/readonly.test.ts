import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openForReading } from "../../../src/data/db/readonly.ts";
import { temporaryDirectory } from "../../support/store.ts";

test("reading a database keeps the empty log that a starting server has just created", () => {
  const path = join(temporaryDirectory(), "store.db");
  const server = new Client(path);
  server.run("PRAGMA journal_mode=WAL");
  server.run("CREATE TABLE pets AS SELECT 'Bella' AS name");
  server.close();
  writeFileSync(`${path}-wal`, "");
  {
    using client = openForReading(path);
    expect(client.query("SELECT name FROM pets").get()).toEqual({ name: "Bella" });
  }
  expect(readdirSync(dirname(path)).sort()).toEqual(["store.db", "store.db-wal"]);
});
