import { and, asc, eq, inArray, isNotNull, notExists, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { answers, orders, pets } from "../db/schema.ts";
import type { OrderStatus } from "./stage.ts";

/** What is said of an order of somebody who is to be forgotten. */
export interface Trace {
  id: number;
  status: OrderStatus;
}

export interface Forgotten {
  /** Orders that were open: cancelled, or the reason why nothing was forgotten. */
  open: Trace[];
  /** How many orders lost their adopter and note. */
  orders: number;
  /** How many answers to repeated requests went, for they held the address. */
  answers: number;
}

export interface Adopters {
  /** All orders of this address, in any case of its letters. */
  find(email: string): Promise<Trace[]>;
  /**
   * Erases adopter and note of all orders of this address, and the answers that hold it, in one atomic step. One order that
   * is open stops all of it, unless `cancelling` cancels it in the same step.
   */
  forget(email: string, cancelling: boolean, now: number): Promise<Forgotten>;
}

const OPEN = ["placed", "approved"] as const;

/** An address as it is compared. */
const folded = (email: string): string => email.normalize("NFC").toLowerCase();

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

export const adopterRepository = ({ orm, commit }: Database): Adopters => {
  const value = sql.placeholder;
  const stored = sql<string>`lower(${orders.adopterEmail})`;
  const matches = sql`${stored} in (select value from json_each(${value("spellings")}))`;
  const isOpen = inArray(orders.status, OPEN);
  const traced = (...more: (typeof isOpen)[]) =>
    orm
      .select({ id: orders.id, status: orders.status })
      .from(orders)
      .where(and(matches, ...more))
      .orderBy(asc(orders.id));
  const found = traced().prepare();
  const foundOpen = traced(isOpen).prepare();
  const known = orm
    .selectDistinct({ spelling: stored })
    .from(orders)
    .where(isNotNull(orders.adopterEmail))
    .prepare();
  const released = orm
    .update(pets)
    .set({ status: "available" })
    .where(
      and(
        eq(pets.status, "pending"),
        inArray(pets.id, orm.select({ id: orders.petId }).from(orders).where(and(matches, isOpen))),
      ),
    )
    .returning({ id: pets.id })
    .prepare();
  const cancelled = orm
    .update(orders)
    .set({ status: "cancelled", updatedAt: sql`${value("now")}` })
    .where(and(matches, isOpen))
    .returning({ id: orders.id })
    .prepare();
  const erased = orm
    .update(orders)
    .set({ adopterName: null, adopterEmail: null, note: null })
    .where(and(matches, notExists(traced(isOpen))))
    .returning({ id: orders.id })
    .prepare();
  const holdsIt = sql`exists (select 1 from json_each(${value("needles")}) where instr(lower(${answers.body}), value) > 0 or instr(lower(${answers.idempotencyKey}), value) > 0)`;
  // Whoever still has an order was not forgotten.
  const dropped = orm
    .delete(answers)
    .where(and(holdsIt, notExists(traced())))
    .returning({ id: answers.id })
    .prepare();

  /** How the address is written in the database. SQLite's own lower case knows ASCII only: the others are looked through. */
  const spellingsOf = (email: string): string[] => {
    const given = email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (isAscii(email)) return [given];
    const same = known.all().filter(({ spelling }) => folded(spelling) === folded(email));
    return [...new Set([given, folded(email), ...same.map(({ spelling }) => spelling)])];
  };

  return {
    async find(email) {
      return found.all({ spellings: JSON.stringify(spellingsOf(email)) });
    },
    async forget(email, cancelling, now) {
      const all = spellingsOf(email);
      const spellings = JSON.stringify(all);
      // As they are within a JSON text.
      const needles = JSON.stringify(all.map((one) => JSON.stringify(one).slice(1, -1)));
      const read = { query: foundOpen, values: { spellings } };
      const erase = { query: erased, values: { spellings } };
      const drop = { query: dropped, values: { spellings, needles } };
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
