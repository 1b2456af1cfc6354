import { expect, test } from "bun:test";
import "../../src/app/repositories.ts";
import { openDatabase } from "../../src/db/open.ts";
import { statements } from "../../src/db/statement.ts";
import { atEnd } from "../support/store.ts";

test("every statement of the program fits the schema", () => {
  const database = openDatabase(":memory:");
  atEnd(() => database.close());
  expect(statements.length).toBeGreaterThan(150);
  for (const { text } of statements)
    expect(() => database.client.prepare(text).finalize(), text).not.toThrow();
});
