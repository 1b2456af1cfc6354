import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { assertSound } from "../../../src/data/db/integrity.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { markReplica, replicaMark, unmarkReplica } from "../../../src/data/db/replica-mark.ts";
import { atEnd } from "../../support/ends.ts";

const newDatabase = (): Client => {
  const client = new Client(":memory:", { strict: true });
  atEnd(() => client.close());
  migrate(client, migrations);
  return client;
};

const MARK = { log: "a", position: 7, id: "7a", checksum: "c" };

test("the mark of a replica is absent from an embedded database", () => {
  expect(replicaMark(newDatabase())).toBeUndefined();
});

test("the mark of a replica is replaced by another one", () => {
  const client = newDatabase();
  markReplica(client, MARK);
  expect(replicaMark(client)).toEqual(MARK);
  markReplica(client, { ...MARK, log: "b" });
  expect(replicaMark(client)).toEqual({ ...MARK, log: "b" });
});

test("the mark of a replica belongs to a sound database", () => {
  const client = newDatabase();
  markReplica(client, MARK);
  expect(() => assertSound(client)).not.toThrow();
  client.run("ALTER TABLE replica ADD COLUMN more TEXT");
  expect(() => assertSound(client)).toThrow('table "replica" differs');
});

test("the mark of a replica leaves nothing behind when the replica is embedded again", () => {
  const client = newDatabase();
  const objects = () => client.query("SELECT name, sql FROM sqlite_schema ORDER BY name").values();
  const before = objects();
  markReplica(client, MARK);
  unmarkReplica(client);
  expect(objects()).toEqual(before);
});
