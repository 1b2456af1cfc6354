import { expect, test } from "bun:test";
import { join } from "node:path";
import { $, Glob } from "bun";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { openDatabase } from "../../../src/data/db/open.ts";
import { DEPLOY, openFakeDns } from "../../platform/domains/projects.ts";
import { type Call, type Store, atEnd, openStore, temporaryDirectory } from "../../support/store.ts";

const SCHEMA = join(import.meta.dir, "../../../src/data/db/schema");

const schema = await Promise.all(
  [...new Glob("*.ts").scanSync(SCHEMA)].map(
    async (file) => (await import(join(SCHEMA, file))) as Record<string, unknown>,
  ),
);
const tables = schema.flatMap((file) => Object.values(file)).filter((value) => is(value, SQLiteTable));

/** Adds a nullable column to every table, in the database and in the program's schema. */
const withNewColumns = (): string => {
  const path = join(temporaryDirectory(), "store.db");
  const { client, close } = openDatabase(path);
  for (const table of tables) {
    const name = getTableName(table);
    client.run(`alter table ${name} add column novel text`);
    const columns = getTableColumns(table) as Record<string, unknown>;
    columns["novel"] = sqliteTable(name, { novel: text() }).novel;
    atEnd(() => delete columns["novel"]);
  }
  atEnd(close);
  return path;
};

/** One call of each write of the API, in an order in which all succeed. */
const WRITES: [method: string, path: string, call?: Call][] = [
  ["POST", "/v1/categories", { json: { name: "Dogs" } }],
  ["PATCH", "/v1/categories/1", { json: { name: "Hounds" } }],
  ["POST", "/v1/pets", { json: { name: "Bella", categoryId: 1, status: "available" } }],
  ["POST", "/v1/pets", { json: { name: "Rex", categoryId: 1 }, headers: { "idempotency-key": '"1"' } }],
  ["PATCH", "/v1/pets/2", { json: { name: "Max" } }],
  ["DELETE", "/v1/pets/2"],
  ["POST", "/v1/store/orders", { json: { petId: 1, adopter: { name: "Ada", email: "ada@example.org" } } }],
  ["POST", "/v1/store/orders/1/approve"],
  ["POST", "/v1/store/orders/1/complete"],
  ["POST", "/platform/keys", { json: { name: "site", scopes: ["pets:read"] } }],
  ["POST", "/platform/keys/2/rotate", { json: { graceSeconds: 60 } }],
  ["DELETE", "/platform/keys/2"],
  ["POST", "/platform/projects", { json: { slug: "docs", name: "Docs", plan: "pro" } }],
  ["PATCH", "/platform/projects/docs", { json: { name: "Documentation" } }],
  [
    "POST",
    "/platform/projects/docs/deploys",
    { body: DEPLOY, headers: { "content-type": "application/gzip" } },
  ],
  ["POST", "/platform/projects/docs/domains", { json: { hostname: "docs.example.org" } }],
  ["POST", "/platform/projects/docs/domains/docs.example.org/verify"],
  ["DELETE", "/platform/projects/docs/domains/docs.example.org"],
  ["DELETE", "/platform/projects/docs"],
];

const write = async (store: Store) => {
  const statuses: string[] = [];
  for (const [method, path, call] of WRITES) {
    const { status } = await store.call(method, path, call);
    statuses.push(`${method} ${path} ${status < 300 ? "succeeds" : status}`);
  }
  return statuses;
};

if (process.env["NEW_COLUMNS"] === "yes")
  test.each(["no", "yes"])("every write succeeds (STRICT_CATEGORIES=%s)", async (strict) => {
    const { fakeDns, inspect } = openFakeDns("records_right");
    const store = await openStore({ path: withNewColumns(), env: { STRICT_CATEGORIES: strict }, inspect });
    expect(await write(store)).toEqual(WRITES.map(([method, path]) => `${method} ${path} succeeds`));
    expect(fakeDns.asked).toEqual(["docs.example.org"]);
  });
else
  // In a separate process: a statement is rendered once, with the columns that its tables have then.
  test("every write of the API succeeds when each table has another nullable column", async () => {
    const { exitCode, stderr } = await $`${process.execPath} test --timeout 60000 ${import.meta.path}`
      .env({ ...process.env, NEW_COLUMNS: "yes" })
      .nothrow()
      .quiet();
    expect(stderr.toString()).toContain(" 2 pass");
    expect(exitCode).toBe(0);
  });
