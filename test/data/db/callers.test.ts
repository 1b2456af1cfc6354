import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";

const BEFORE = migrations.findIndex(({ tag }) => tag === "0013_callers");

test("the upgrade keeps the responses of keys", () => {
  using client = new Client(":memory:");
  migrate(client, migrations.slice(0, BEFORE));
  client.run(
    "INSERT INTO answers (id, key_id, idempotency_key, fingerprint, status, headers, body, created_at) VALUES (7, 3, 'a', 'f', 201, '{}', '{}', 1)",
  );
  migrate(client, migrations);
  expect(client.query("SELECT id, caller, idempotency_key, status FROM answers").values()).toEqual([
    [7, "key:3", "a", 201],
  ]);
});
