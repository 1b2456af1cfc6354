import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { migrate } from "../../src/data/db/migrate.ts";
import { withDatabase } from "../../src/cli/database.ts";
import { readConfig } from "../../src/config/config.ts";
import { certificateRepository } from "../../src/platform/certificates/repository.ts";
import { certificateEffects } from "../../src/platform/domains/stage-repository.ts";
import { createStore } from "../support/new-store.ts";
import { openData } from "../../src/data/data-dir/open.ts";
import { temporaryDirectory } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

const configIn = (dataDir: string) =>
  readConfig({ flags: {}, env: { DATA_DIR: dataDir }, isTerminal: false });
const configured = async () => configIn(await createStore());

test("a full file system is named by its directory, with what to do", async () => {
  const config = await configured();
  const names = Array.from({ length: 10_000 }, (_, index) => `name-${index}.example.org`);
  const filled = withDatabase(config, async (database) => {
    database.client.run("PRAGMA max_page_count = 1");
    await certificateRepository(database, certificateEffects).want(names, 0);
  });
  expect(await outcomeOf(filled)).toThrow(
    `DATA_DIR ${config.dataDir}: its file system is full: make room there (df ${config.dataDir} shows how much is free)`,
  );
});

test("other errors stay unchanged", async () => {
  const failing = async () => {
    throw new Error("another reason");
  };
  expect(await outcomeOf(withDatabase(await configured(), failing))).toThrow("another reason");
});

test("a full file system elsewhere is not blamed on DATA_DIR", async () => {
  const config = await configured();
  const failing = async () => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };
  const failed = withDatabase(config, failing);
  expect(await outcomeOf(failed)).toThrow(
    "the file system of a file that it writes is full: make room there",
  );
  expect(await outcomeOf(failed)).not.toThrow("DATA_DIR");
});

describe("a database whose creation was interrupted", () => {
  /** The state after a process was killed before it committed the schema. */
  const cutOff = (how: "an empty file" | "a file without tables" | "the ledger alone") => {
    const config = configIn(temporaryDirectory());
    const path = databasePath(config.dataDir);
    writeFileSync(path, "");
    const client = new Database(path);
    if (how !== "an empty file") client.run("PRAGMA journal_mode=WAL");
    if (how === "the ledger alone") migrate(client, []);
    client.close();
    return config;
  };

  test.each(["an empty file", "a file without tables", "the ledger alone"] as const)(
    "which left %s, is created by the next start",
    async (how) => {
      const database = openData(cutOff(how), { create: true });
      expect(database.client.query("SELECT count(*) FROM pets").values()).toEqual([[0]]);
      await database.close();
    },
  );

  test("is named by the other commands, with what to do", async () => {
    expect(await outcomeOf(withDatabase(cutOff("an empty file"), async () => {}))).toThrow(
      "the database is empty: start the server once, which sets it up",
    );
  });
});
