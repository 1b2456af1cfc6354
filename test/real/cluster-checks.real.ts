import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { compareNodes, differencesOf } from "./cluster/equality.ts";
import { killEach } from "./cluster/kills.ts";
import { newLedger } from "./cluster/ledger.ts";
import { node } from "./cluster/nodes.ts";
import { hashTables } from "./cluster/tables.ts";
import { NO_VIOLATIONS, rowsOf, violations } from "./cluster/violations.ts";
import { directory, real } from "./support.ts";

const test = real();

const CLIENTS = 24;
const KILLS = 3;

/** What may go wrong in a cluster, done to a copy by hand, and the check that has to notice it. */
const MISTAKES = {
  lost: [
    "DELETE FROM pets WHERE id = (SELECT max(id) FROM pets)",
    "UPDATE pets SET name = 'Rex' WHERE id = (SELECT max(id) FROM pets)",
    "UPDATE orders SET status = 'cancelled' WHERE id = (SELECT max(id) FROM orders WHERE status <> 'cancelled')",
    "UPDATE keys SET revoked_at = NULL",
  ],
  carriedOutTwice: [
    "INSERT INTO pets (name, category_id, created_at) SELECT name, category_id, created_at FROM pets LIMIT 1",
    "INSERT INTO orders (pet_id, status, note, created_at, updated_at) SELECT pet_id, 'cancelled', note, 0, 0 FROM orders LIMIT 1",
    "INSERT INTO audit_entries (at, actor, action, resource, resource_id) VALUES (0, 'service', 'pet.added', 'pet', '999999')",
  ],
  placedTwice: [
    "INSERT INTO orders (pet_id, status, created_at, updated_at) SELECT pet_id, 'completed', 0, 0 FROM orders WHERE status <> 'cancelled' LIMIT 1",
  ],
};

test(`killed ${KILLS} times while ${CLIENTS} clients mix animals, orders and keys, one machine breaks no promise, and a check notices each row that is changed by hand`, async () => {
  const place = directory();
  await using only = node({ place: place, env: {} });
  await only.start();
  const ledger = newLedger();
  const clients = startClients({ urls: [only.url], key: only.adminKey(), ledger }, CLIENTS);
  const victims = [{ kill: only.kill, start: only.start }];
  const kills = Array.from({ length: KILLS }, () => () => Promise.resolve({ what: "node", victims }));
  expect(await killEach(ledger, kills)).toHaveLength(KILLS);
  await clients.end();
  expect([ledger.orders, ledger.refusedPets, ledger.keys].every(({ size }) => size > 0)).toBe(true);

  const { first } = await compareNodes([only]);
  expect(violations(ledger, rowsOf(first))).toEqual(NO_VIOLATIONS);
  const right = hashTables(first);
  for (const [check, mistakes] of Object.entries(MISTAKES))
    for (const mistake of mistakes) {
      const { first: copy } = await compareNodes([only]);
      expect(copy.run(mistake).changes).toBeGreaterThan(0);
      expect(violations(ledger, rowsOf(copy))[check as keyof typeof MISTAKES]).not.toEqual([]);
      expect(differencesOf([right, hashTables(copy)])).not.toEqual([]);
    }
  for (const table of ["pet_names", "pets_words"]) {
    const { first: copy } = await compareNodes([only]);
    copy.run("UPDATE pets_indexed SET indexed_to = (SELECT max(id) FROM pets)");
    copy.run(`DELETE FROM ${table} WHERE rowid = (SELECT max(id) FROM pets)`);
    expect(() => hashTables(copy)).toThrow("the index of animals is not what making it again gives");
  }
  console.log(`    ${ledger.acknowledged} acknowledged, ${ledger.retries} sent again`);
});
