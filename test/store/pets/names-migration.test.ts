import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";

const BEFORE = migrations.findIndex(({ tag }) => tag.endsWith("_pet_names_and_counts"));

test("the upgrade folds, sorts and counts the animals that exist, and the words of their orders", () => {
  using client = new Client(":memory:");
  migrate(client, migrations.slice(0, BEFORE));
  const insert = client.query(
    "INSERT INTO pets (id, name, category_id, status, created_at) VALUES (?, ?, ?, ?, ?)",
  );
  insert.run(1, "Łucja", 3, "available", 0);
  insert.run(2, "Bella", -3, null, 86_400_000);
  insert.run(7, "Émile", 3, "sold", 86_400_001);
  client.run(
    "INSERT INTO orders (id, pet_id, adopter_name, adopter_email, status, created_at, updated_at) VALUES (1, 1, 'Søren Ås', 'Soren@example.org', 'completed', 1, 1)",
  );
  migrate(client, migrations);
  const rows = (sql: string) => client.query(sql).values();
  expect(rows("SELECT id, folded FROM pet_names ORDER BY folded, at")).toEqual([
    [2, "bella"],
    [7, "emile"],
    [1, "lucja"],
  ]);
  expect(rows("SELECT rowid FROM pets_words WHERE pets_words MATCH '\"luc\"*'")).toEqual([[1]]);
  for (const word of ["soren", "as", "lucja", "example"])
    expect(rows(`SELECT rowid FROM orders_words WHERE orders_words MATCH '"${word}"'`)).toEqual([[1]]);
  expect(rows("SELECT * FROM pet_counts_by_category ORDER BY 1")).toEqual([
    [-3, 0, 0, 0, 1],
    [3, 1, 0, 1, 0],
  ]);
  expect(rows("SELECT * FROM pet_counts_by_day ORDER BY 1")).toEqual([
    [0, 1, 0, 0, 0],
    [1, 0, 0, 1, 1],
  ]);
});
