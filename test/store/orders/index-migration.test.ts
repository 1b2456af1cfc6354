import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";

const BEFORE = migrations.findIndex(({ tag }) => tag.endsWith("_order_words"));

test("the upgrade makes existing orders findable", () => {
  using client = new Client(":memory:");
  migrate(client, migrations.slice(0, BEFORE));
  client.run("INSERT INTO pets (id, name, category_id, created_at) VALUES (1, 'Milo', 1, 1)");
  const insert = client.query(
    "INSERT INTO orders (id, pet_id, adopter_name, adopter_email, status, created_at, updated_at) VALUES (?, ?, ?, ?, 'completed', 1, 1)",
  );
  insert.run(1, 1, "Grace Hopper", "grace@example.org");
  insert.run(2, 99, "Ada Byron", "ada@example.org");
  insert.run(3, 1, null, null);
  migrate(client, migrations);
  const found = (match: string) =>
    client.query("SELECT rowid FROM orders_words WHERE orders_words MATCH ?").values(match).flat();
  expect(found('"hop"*')).toEqual([1]);
  expect(found('"example"*')).toEqual([1, 2]);
  expect(found('"milo"*')).toEqual([1, 3]);
});
