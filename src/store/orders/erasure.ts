import { sql } from "drizzle-orm";
import { record } from "../../data/db/audit.ts";
import type { Database } from "../../data/db/open.ts";
import { keptResponses } from "../../data/db/schema/kept-responses.ts";
import { isOpen, orders } from "../../data/db/schema/orders.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { columnsOf, statement, update, value } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { foldEmail } from "../../lib/email.ts";

type Order = typeof orders.$inferSelect;
export type OrderSummary = Pick<Order, "id" | "status">;

interface ErasureResult {
  /** The orders that were open. They were cancelled, or they are the reason why nothing was erased. */
  open: OrderSummary[];
  /** How many orders lost their adopter and note. */
  orders: number;
  /** How many stored responses to idempotent requests were deleted because they contained the address. */
  responses: number;
}

const escapeGlob = (text: string): string => text.replaceAll(/[*?[]/g, "[$&]");

/**
 * GLOB patterns for an idempotency key that contains the address as a whole word: no character that is common in addresses
 * adjoins it. The key is in lower case and padded with spaces. A hyphen ends the word: it is better to delete one response
 * too many than one too few.
 */
const addressPatterns = (address: string) =>
  ["[^a-z0-9.]", ".[^a-z0-9]"].map((end) => ({
    address,
    pattern: `*[^a-z0-9.+]${escapeGlob(address)}${end}*`,
  }));

const STORED_EMAIL = sql`lower(${orders.adopterEmail})`;
const OF_ADOPTER = sql`${STORED_EMAIL} IN (SELECT value FROM json_each(${value("spellings")}))`;
const IS_OPEN = isOpen(orders.status);

const FIND = statement<OrderSummary>(sql`
  SELECT ${columnsOf(orders, "id", "status")}
  FROM ${orders}
  WHERE ${OF_ADOPTER}
  ORDER BY ${orders.id}`);

const FIND_OPEN = statement<OrderSummary>(sql`
  SELECT ${columnsOf(orders, "id", "status")}
  FROM ${orders}
  WHERE ${OF_ADOPTER} AND ${IS_OPEN}
  ORDER BY ${orders.id}`);

const NON_ASCII = statement<{ spelling: string }>(sql`
  SELECT DISTINCT ${STORED_EMAIL} AS spelling
  FROM ${orders}
  WHERE ${STORED_EMAIL} GLOB '*[^ -~]*'`);

/** The fields of an order in the audit log. */
type Recorded = Pick<Order, "id" | "petId"> & { petName: string | null };
const RECORDED = sql`
  ${columnsOf(orders, "id", "petId")},
  (SELECT ${pets.name} FROM ${pets} WHERE ${pets.id} = ${orders.petId}) AS petName`;

const RELEASE = statement(sql`
  ${update(pets, { status: "available", updatedAt: value("now") })}
  WHERE ${value("cancels")}
    AND ${pets.status} = 'pending'
    AND ${pets.id} IN (SELECT ${orders.petId} FROM ${orders} WHERE ${OF_ADOPTER} AND ${IS_OPEN})`);

const CANCEL = statement<Recorded>(sql`
  ${update(orders, { status: "cancelled", updatedAt: value("now") })}
  WHERE ${value("cancels")} AND ${OF_ADOPTER} AND ${IS_OPEN}
  RETURNING ${RECORDED}`);

const ERASE = statement<Recorded>(sql`
  ${update(orders, { adopterName: null, adopterEmail: null, note: null, returnReason: null })}
  WHERE ${OF_ADOPTER}
    AND NOT EXISTS (SELECT 1 FROM ${orders} WHERE ${OF_ADOPTER} AND ${IS_OPEN})
  RETURNING ${RECORDED}`);

// A response belongs to the adopter it names: this address is not searched inside another adopter's.
const ADOPTER = sql`iif(json_valid(${keptResponses.body}), lower(${keptResponses.body} ->> '$.adopter.email'), NULL)`;
const OTHER_ADOPTER = sql`iif(instr(${ADOPTER}, value ->> 'address') > 0, ${ADOPTER}, '')`;
const KEY = sql`'  ' || replace(lower(${keptResponses.idempotencyKey}), ${OTHER_ADOPTER}, ' ') || '  '`;

// An order that still has the address shows that nothing was erased.
const DELETE_RESPONSES = statement<{ id: number }>(sql`
  DELETE FROM ${keptResponses}
  WHERE NOT EXISTS (SELECT 1 FROM ${orders} WHERE ${OF_ADOPTER})
    AND (${ADOPTER} IN (SELECT value FROM json_each(${value("spellings")}))
      OR EXISTS (
        SELECT 1
        FROM json_each(${value("words")})
        WHERE instr(lower(${keptResponses.idempotencyKey}), value ->> 'address') > 0
          AND ${KEY} GLOB value ->> 'pattern'))
  RETURNING ${keptResponses.id} AS id`);

// The index of a search only marks the words of a row as deleted. They leave its pages when all of it is merged, by a command
// in the column that FTS5 names after the table.
const MERGE_WORDS = statement(sql`INSERT INTO orders_words (orders_words) VALUES ('optimize')`);

const recordAll = (act: Act, action: "order.cancelled" | "order.erased", rows: readonly Recorded[]) =>
  rows.flatMap(({ id, petId, petName: label }) => record(act, { action, id, parent: petId, label }));

export const adopterRepository = (database: Pick<Database, "client" | "commit">) => {
  const { client, commit } = database;
  /** The spellings of the address in the database. SQLite's `lower` knows ASCII only: other addresses are compared here. */
  const spellingsOf = (email: string): string[] => {
    const lowerAscii = email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    const same = NON_ASCII.all(client).filter(({ spelling }) => foldEmail(spelling) === foldEmail(email));
    return [...new Set([lowerAscii, foldEmail(email), ...same.map(({ spelling }) => spelling)])];
  };

  return {
    /** All orders with this address, whatever the case of its letters. */
    find: async (email: string): Promise<OrderSummary[]> =>
      FIND.all(client, { spellings: JSON.stringify(spellingsOf(email)) }),
    /**
     * Erases adopter and note of all orders with this address, their words in the index, and the stored responses that
     * contain the address, in one atomic step.
     * While an order is open it erases nothing, unless `cancelOpen` cancels that order in the same step.
     */
    async forget(email: string, cancelOpen: boolean, act: Act): Promise<ErasureResult> {
      const all = spellingsOf(email);
      const values = {
        spellings: JSON.stringify(all),
        words: JSON.stringify(all.flatMap(addressPatterns)),
        now: act.now,
        cancels: Number(cancelOpen),
      };
      const [open, , , erased, deleted] = await commit(
        [
          FIND_OPEN.with(values),
          RELEASE.with(values),
          CANCEL.with(values),
          ERASE.with(values),
          DELETE_RESPONSES.with(values),
          MERGE_WORDS.with(values),
        ],
        ([, , cancelled, rows]) => [
          ...recordAll(act, "order.cancelled", cancelled),
          ...recordAll(act, "order.erased", rows),
        ],
      );
      return { open, orders: erased.length, responses: deleted.length };
    },
  };
};
