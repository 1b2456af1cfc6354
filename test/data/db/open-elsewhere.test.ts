import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOpenElsewhere } from "../../../src/data/db/other-processes.ts";
import { temporaryDirectory } from "../../support/store.ts";

test("a database is open elsewhere while any connection has it open, even a read-only one", () => {
  const path = join(temporaryDirectory(), "store.db");
  expect(isOpenElsewhere(path)).toBe(false);
  const writer = new Client(path);
  writer.run("PRAGMA journal_mode=WAL");
  writer.run("CREATE TABLE pets (id)");
  expect(isOpenElsewhere(path)).toBe(true);
  const reader = new Client(path, { readonly: true });
  reader.run("SELECT id FROM pets");
  writer.close(true);
  expect(isOpenElsewhere(path)).toBe(true);
  reader.close(true);
  expect(isOpenElsewhere(path)).toBe(false);
});

test("a damaged file does not count as open elsewhere", () => {
  const path = join(temporaryDirectory(), "store.db");
  writeFileSync(path, "x".repeat(8192));
  expect(isOpenElsewhere(path)).toBe(false);
});
