import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createDatabase } from "../../../src/data/db/open.ts";
import { derivedDifferences, describeDifferences, differingNames } from "../../../src/data/db/derived.ts";
import { openCopy } from "../../../src/data/db/snapshot.ts";
import { temporaryDirectory } from "../../support/store.ts";

const NAMES = ["Rex", "Ärger Zoë", "Österreich", "小丸 Мила"];

/** Animals 1 to 60 and orders 1 to 6, after changes of each kind. Animal 7 was renamed, 8 is gone, 9 has another status. */
const filled = (): Client => {
  const path = join(temporaryDirectory(), "a.db");
  createDatabase(path);
  const client = openCopy(path);
  const add = client.prepare("INSERT INTO pets (name, category_id, status, created_at) VALUES (?, ?, ?, ?)");
  for (let id = 1; id <= 60; id++)
    add.run(`${NAMES[id % 4]} ${id}`, id % 5, [null, "sold", "pending"][id % 3] ?? null, id * 40_000_000);
  client.run("UPDATE pets_indexed SET counted_to = 60, indexed_to = 60");
  for (let order = 1; order <= 6; order++)
    client.run(
      `INSERT INTO orders (pet_id, adopter_name, adopter_email, status, created_at, updated_at) VALUES (?, 'Jörg', 'j@a.org', 'completed', 1, 1)`,
      [order * 4],
    );
  client.run("UPDATE pets SET name = 'Bélla' WHERE id = 7");
  client.run("UPDATE pets SET name = 'Łata' WHERE id = 12");
  client.run("DELETE FROM pets WHERE id = 8");
  client.run("UPDATE pets SET status = 'available', category_id = 77 WHERE id = 9");
  client.run(
    "INSERT INTO pet_search (pet_id, of_name, of_profile) VALUES (3, '丸', 'poodle'), (4, '', 'pug')",
  );
  client.run("UPDATE pet_search SET of_name = '', of_profile = 'terrier' WHERE pet_id = 3");
  client.run("DELETE FROM pet_search WHERE pet_id = 4");
  client.run("UPDATE pets SET updated_at = 9000000000 WHERE id = 5");
  client.run("UPDATE orders SET adopter_name = NULL, adopter_email = NULL WHERE id = 4");
  return client;
};

test("derived data agrees with its rows after additions, changes and deletions", () => {
  using client = filled();
  expect(derivedDifferences(client)).toEqual([]);
});

test("animals that are not indexed or counted yet are no difference", () => {
  using client = filled();
  client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Later', 3, 5)");
  expect(derivedDifferences(client)).toEqual([]);
  client.run("UPDATE pets_indexed SET counted_to = 61");
  expect(derivedDifferences(client)).toEqual([]);
});

test.each([
  ["DELETE FROM pet_names WHERE id BETWEEN 20 AND 39", "animals in the list by name: 20"],
  ["UPDATE pet_names SET folded = 'rez 20' WHERE id = 20", "animals in the list by name: 1"],
  ["INSERT INTO pet_names (id, folded) VALUES (8, 'osterreich 8')", "animals in the list by name: 1"],
  ["DELETE FROM pet_times WHERE id BETWEEN 20 AND 29", "animals in the lists by time: 10"],
  ["UPDATE pet_times SET updated_at = updated_at + 1 WHERE id = 20", "animals in the lists by time: 1"],
  ["INSERT INTO pet_times (id, created_at, updated_at) VALUES (8, 1, 1)", "animals in the lists by time: 1"],
  ["UPDATE pet_counts_by_category SET sold = sold + 1 WHERE category_id > 2", "category counts: 3"],
  ["DELETE FROM pet_counts_by_category WHERE category_id = 77", "category counts: 1"],
  ["UPDATE pet_counts_by_day SET none = 9 WHERE day = 3", "days of the statistics: 1"],
  ["DELETE FROM pets_words WHERE rowid IN (20, 21, 22)", "animals in the search: 3"],
  ["UPDATE pets_words SET name = 'rex 21' WHERE rowid = 20", "animals in the search: 1"],
  ["INSERT INTO pets_words (rowid, name) VALUES (8, 'osterreich')", "animals in the search: 1"],
  ["DELETE FROM orders_words WHERE rowid = 5", "orders in the search: 1"],
  ["DELETE FROM pet_events WHERE id IN (4, 9)", "events: 2"],
  ["UPDATE pet_events SET kind = 'changed' WHERE kind = 'deleted'", "events: 1"],
  ["UPDATE sqlite_sequence SET seq = seq + 3 WHERE name = 'pet_events'", "events: 3"],
])("a comparison names the difference after %s", (sql, found) => {
  using client = filled();
  client.run(sql);
  expect(describeDifferences(derivedDifferences(client))).toContain(found);
});

/** A copy whose table has no rows anymore, because the number of cells in its only page is 0. SQL may not change such tables. */
const emptied = (client: Client, table: string): Client => {
  const root = client
    .query<{ rootpage: number }, [string]>("SELECT rootpage FROM sqlite_master WHERE name = ?")
    .get(table)?.rootpage;
  const bytes = client.serialize();
  bytes.fill(0, ((root ?? 0) - 1) * 4096 + 3, ((root ?? 0) - 1) * 4096 + 5);
  return Client.deserialize(bytes);
};

test.each([
  ["orders_words_docsize", "orders in the search: 6"],
  ["pets_words_docsize", "animals in the search: 59"],
])("a comparison names the difference after %s has lost its rows", (table, found) => {
  using client = filled();
  client.run("PRAGMA journal_mode = DELETE");
  using copy = emptied(client, table);
  expect(describeDifferences(derivedDifferences(copy))).toContain(found);
});

test("a mark of the indexing above every animal is a difference, because later animals would be skipped", () => {
  using client = filled();
  client.run("UPDATE pets_indexed SET indexed_to = 4000");
  expect(describeDifferences(derivedDifferences(client))).toContain("marks of the indexing: 1");
});

test("a name that is not that of the list by name is named with both values, and a lacking one is not", () => {
  using client = filled();
  client.run("UPDATE pet_names SET folded = 'rez 20' WHERE id = 20");
  client.run("DELETE FROM pet_names WHERE id = 21");
  expect(differingNames(client)).toEqual([{ id: 20, name: "Rex 20", folded: "rez 20" }]);
});
