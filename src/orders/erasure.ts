import { type SQL, and, asc, eq, inArray, notExists, sql } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { auditing } from "../db/audit.ts";
import type { Database } from "../db/open.ts";
import { keptResponses } from "../db/schema/kept-responses.ts";
import { isOpen, orders } from "../db/schema/orders.ts";
import { pets } from "../db/schema/pets.ts";
import type { Act } from "../lib/actor.ts";
import { foldEmail } from "../lib/email.ts";
import type { OrderStatus } from "./order.ts";

export interface OrderSummary {
  id: number;
  status: OrderStatus;
}

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

/** The index of a search (migration 0016): a row in the column that FTS5 names after the table is a command. */
const words = sqliteTable("orders_words", { command: text("orders_words") });

const value = sql.placeholder;
const storedEmail = sql<string>`lower(${orders.adopterEmail})`;
const isOfAdopter = sql`${storedEmail} in (select value from json_each(${value("spellings")}))`;
const isOpenOrder = isOpen(orders.status);

/** The orders of an adopter. */
const ordersWhere = (orm: Database["orm"], ...conditions: SQL[]) =>
  orm
    .select({ id: orders.id, status: orders.status })
    .from(orders)
    .where(and(isOfAdopter, ...conditions))
    .orderBy(asc(orders.id));

/** The fields of an order in the audit log. */
const RECORDED = {
  id: orders.id,
  petId: orders.petId,
  petName: sql<string | null>`(select name from pets where id = pet_id)`,
};

type Recorded = { id: number; petId: number; petName: string | null };

/** The statements that erase an adopter, in the order in which they run. */
const erasureStatements = ({ orm }: Pick<Database, "orm">) => {
  const releaseStatement = orm
    .update(pets)
    .set({ status: "available" })
    .where(
      and(
        eq(pets.status, "pending"),
        inArray(pets.id, orm.select({ id: orders.petId }).from(orders).where(and(isOfAdopter, isOpenOrder))),
      ),
    )
    .returning({ id: pets.id })
    .prepare();
  const cancelStatement = orm
    .update(orders)
    .set({ status: "cancelled", updatedAt: sql`${value("now")}` })
    .where(and(isOfAdopter, isOpenOrder))
    .returning(RECORDED)
    .prepare();
  const eraseStatement = orm
    .update(orders)
    .set({ adopterName: null, adopterEmail: null, note: null })
    .where(and(isOfAdopter, notExists(ordersWhere(orm, isOpenOrder))))
    .returning(RECORDED)
    .prepare();
  // A response belongs to the adopter it names: this address is not searched inside another adopter's.
  const adopter = sql`iif(json_valid(${keptResponses.body}), lower(${keptResponses.body} ->> '$.adopter.email'), null)`;
  const otherAdopter = sql`iif(instr(${adopter}, value ->> 'address') > 0, ${adopter}, '')`;
  const key = sql`'  ' || replace(lower(${keptResponses.idempotencyKey}), ${otherAdopter}, ' ') || '  '`;
  const containsAddress = sql`(${adopter} in (select value from json_each(${value("spellings")})) or exists (select 1 from json_each(${value("words")}) where instr(lower(${keptResponses.idempotencyKey}), value ->> 'address') > 0 and ${key} glob value ->> 'pattern'))`;
  // An order that still has the address shows that nothing was erased.
  const deleteResponsesStatement = orm
    .delete(keptResponses)
    .where(and(containsAddress, notExists(ordersWhere(orm))))
    .returning({ id: keptResponses.id })
    .prepare();
  // The index only marks the words of a row as deleted. They leave its pages when all of it is merged.
  const mergeWordsStatement = orm.insert(words).values({ command: "optimize" }).prepare();
  return {
    releaseStatement,
    cancelStatement,
    eraseStatement,
    deleteResponsesStatement,
    mergeWordsStatement,
  };
};

export const adopterRepository = (database: Database) => {
  const { orm, commit } = database;
  const findStatement = ordersWhere(orm).prepare();
  const findOpenStatement = ordersWhere(orm, isOpenOrder).prepare();
  const nonAsciiStatement = orm
    .selectDistinct({ spelling: storedEmail })
    .from(orders)
    .where(sql`${storedEmail} glob '*[^ -~]*'`)
    .prepare();
  const { releaseStatement, cancelStatement, eraseStatement, deleteResponsesStatement, mergeWordsStatement } =
    erasureStatements(database);

  const record = auditing(database);
  const recordAll = (act: Act, action: "order.cancelled" | "order.erased", rows: readonly Recorded[]) =>
    rows.flatMap(({ id, petId, petName: label }) => record(act, { action, id, parent: petId, label }));

  /** The spellings of the address in the database. SQLite's `lower` knows ASCII only: other addresses are compared here. */
  const spellingsOf = (email: string): string[] => {
    const lowerAscii = email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    const same = nonAsciiStatement.all().filter(({ spelling }) => foldEmail(spelling) === foldEmail(email));
    return [...new Set([lowerAscii, foldEmail(email), ...same.map(({ spelling }) => spelling)])];
  };

  return {
    /** All orders with this address, whatever the case of its letters. */
    async find(email: string): Promise<OrderSummary[]> {
      return findStatement.all({ spellings: JSON.stringify(spellingsOf(email)) });
    },
    /**
     * Erases adopter and note of all orders with this address, their words in the index, and the stored responses that
     * contain the address, in one atomic step.
     * While an order is open it erases nothing, unless `cancelOpen` cancels that order in the same step.
     */
    async forget(email: string, cancelOpen: boolean, act: Act): Promise<ErasureResult> {
      const all = spellingsOf(email);
      const spellings = JSON.stringify(all);
      const words = JSON.stringify(all.flatMap(addressPatterns));
      const read = { query: findOpenStatement, values: { spellings } };
      const erase = { query: eraseStatement, values: { spellings } };
      const deleteResponses = { query: deleteResponsesStatement, values: { spellings, words } };
      const mergeWords = { query: mergeWordsStatement, values: {} };
      if (!cancelOpen) {
        const [open, erased, deleted] = await commit([read, erase, deleteResponses, mergeWords], ([, rows]) =>
          recordAll(act, "order.erased", rows),
        );
        return { open, orders: erased.length, responses: deleted.length };
      }
      const release = { query: releaseStatement, values: { spellings } };
      const cancel = { query: cancelStatement, values: { spellings, now: act.now } };
      const [open, , , erased, deleted] = await commit(
        [read, release, cancel, erase, deleteResponses, mergeWords],
        ([, , cancelled, rows]) => [
          ...recordAll(act, "order.cancelled", cancelled),
          ...recordAll(act, "order.erased", rows),
        ],
      );
      return { open, orders: erased.length, responses: deleted.length };
    },
  };
};

export type AdopterRepository = ReturnType<typeof adopterRepository>;
