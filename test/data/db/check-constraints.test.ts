import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { brokenConstraint, constraintsIn } from "../../../src/data/db/integrity.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { temporaryDirectory } from "../../support/store.ts";

const made = (): string => {
  const path = join(temporaryDirectory(), "store.db");
  const client = new Client(path, { create: true });
  migrate(client, migrations);
  client.close();
  return path;
};

test("the program finds every CHECK constraint of the schema", () => {
  const client = new Client(made(), { readonly: true });
  const tables = client
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")
    .all();
  client.close();
  const written = tables.flatMap(({ sql }) => sql.match(/\bCHECK\b/g) ?? []);
  expect(tables.flatMap(({ sql }) => constraintsIn(sql))).toHaveLength(written.length);
  expect(written.length).toBeGreaterThan(5);
});

test("a row that breaks a CHECK constraint is found on a read-only connection, where SQLite does not look", () => {
  const path = made();
  const writer = new Client(path, { readwrite: true });
  expect(brokenConstraint(writer)).toBeUndefined();
  writer.run("PRAGMA ignore_check_constraints=ON");
  writer.run("INSERT INTO pet_events (kind, pet_id) VALUES ('adbed', 1)");
  writer.close();
  const client = new Client(path, { readonly: true });
  expect(client.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(brokenConstraint(client)).toBe("pet_events_kind");
  client.close();
});
