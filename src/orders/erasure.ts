import { type SQL, and, asc, eq, inArray, notExists, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { answers } from "../db/schema/kept-responses.ts";
import { isOpen, orders } from "../db/schema/orders.ts";
import { pets } from "../db/schema/pets.ts";
import type { OrderStatus } from "./status.ts";

/** What is said of an order of somebody who is to be forgotten. */
export interface OrderSummary {
  id: number;
  status: OrderStatus;
}

export interface ErasureResult {
  /** Orders that were open: cancelled, or the reason why nothing was forgotten. */
  open: OrderSummary[];
  /** How many orders lost their adopter and note. */
  orders: number;
  /** How many answers to repeated requests went, for they held the address. */
  answers: number;
}

export interface Adopters {
  /** All orders of this address, in any case of its letters. */
  find(email: string): Promise<OrderSummary[]>;
  /**
   * Erases adopter and note of all orders of this address, and the answers that hold it, in one atomic step. One order that
   * is open stops all of it, unless `cancelling` cancels it in the same step.
   */
  forget(email: string, cancelling: boolean, now: number): Promise<ErasureResult>;
}

/** An address as it is compared: all cases and composed forms of a letter are one, long s and final sigma too. */
const foldEmail = (email: string): string =>
  email.normalize("NFC").toLowerCase().replaceAll("\u017f", "s").replaceAll("\u03c2", "\u03c3");

/** Signs that mean something to GLOB, as themselves. */
const escapeGlob = (text: string): string => text.replaceAll(/[*?[]/g, "[$&]");

/**
 * Patterns of an idempotency key, in lower case and with spaces around, that holds an address as a word: nothing goes before
 * it or on behind it that addresses are commonly made of. A hyphen parts words: rather one answer goes too many.
 */
const addressPatterns = (address: string) =>
  ["[^a-z0-9.]", ".[^a-z0-9]"].map((end) => ({
    address,
    pattern: `*[^a-z0-9.+]${escapeGlob(address)}${end}*`,
  }));

export const adopterRepository = ({ orm, commit }: Database): Adopters => {
  const value = sql.placeholder;
  const stored = sql<string>`lower(${orders.adopterEmail})`;
  const matches = sql`${stored} in (select value from json_each(${value("spellings")}))`;
  const held = isOpen(orders.status);
  const traced = (...more: SQL[]) =>
    orm
      .select({ id: orders.id, status: orders.status })
      .from(orders)
      .where(and(matches, ...more))
      .orderBy(asc(orders.id));
  const found = traced().prepare();
  const foundOpen = traced(held).prepare();
  const beyondAscii = orm
    .selectDistinct({ spelling: stored })
    .from(orders)
    .where(sql`${stored} glob '*[^ -~]*'`)
    .prepare();
  const released = orm
    .update(pets)
    .set({ status: "available" })
    .where(
      and(
        eq(pets.status, "pending"),
        inArray(pets.id, orm.select({ id: orders.petId }).from(orders).where(and(matches, held))),
      ),
    )
    .returning({ id: pets.id })
    .prepare();
  const cancelled = orm
    .update(orders)
    .set({ status: "cancelled", updatedAt: sql`${value("now")}` })
    .where(and(matches, held))
    .returning({ id: orders.id })
    .prepare();
  const erased = orm
    .update(orders)
    .set({ adopterName: null, adopterEmail: null, note: null })
    .where(and(matches, notExists(traced(held))))
    .returning({ id: orders.id })
    .prepare();
  // An answer is of who is named in it: another's address is not searched for this one.
  const adopter = sql`iif(json_valid(${answers.body}), lower(${answers.body} ->> '$.adopter.email'), null)`;
  const others = sql`iif(instr(${adopter}, value ->> 'address') > 0, ${adopter}, '')`;
  const key = sql`'  ' || replace(lower(${answers.idempotencyKey}), ${others}, ' ') || '  '`;
  const holdsIt = sql`(${adopter} in (select value from json_each(${value("spellings")})) or exists (select 1 from json_each(${value("words")}) where instr(lower(${answers.idempotencyKey}), value ->> 'address') > 0 and ${key} glob value ->> 'pattern'))`;
  // Whoever still has an order was not forgotten.
  const dropped = orm
    .delete(answers)
    .where(and(holdsIt, notExists(traced())))
    .returning({ id: answers.id })
    .prepare();

  /** How the address is written in the database. SQLite's own lower case knows ASCII only: the others are looked through. */
  const spellingsOf = (email: string): string[] => {
    const given = email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    const same = beyondAscii.all().filter(({ spelling }) => foldEmail(spelling) === foldEmail(email));
    return [...new Set([given, foldEmail(email), ...same.map(({ spelling }) => spelling)])];
  };

  return {
    async find(email) {
      return found.all({ spellings: JSON.stringify(spellingsOf(email)) });
    },
    async forget(email, cancelling, now) {
      const all = spellingsOf(email);
      const spellings = JSON.stringify(all);
      const words = JSON.stringify(all.flatMap(addressPatterns));
      const read = { query: foundOpen, values: { spellings } };
      const erase = { query: erased, values: { spellings } };
      const drop = { query: dropped, values: { spellings, words } };
      if (!cancelling) {
        const [open, gone, forgotten] = await commit([read, erase, drop]);
        return { open, orders: gone.length, answers: forgotten.length };
      }
      const release = { query: released, values: { spellings } };
      const cancel = { query: cancelled, values: { spellings, now } };
      const [open, , , gone, forgotten] = await commit([read, release, cancel, erase, drop]);
      return { open, orders: gone.length, answers: forgotten.length };
    },
  };
};
