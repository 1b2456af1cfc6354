import { and, asc, desc, eq, gt, inArray, lte, min, sql } from "drizzle-orm";
import type { Statement } from "./commit.ts";
import type { Database } from "./open.ts";
import { answers } from "./schema/kept-responses.ts";

/** Most answers that are kept for one API key; its oldest go first. */
const MAX_PER_KEY = 100_000;

/** What tells one request from another. */
export interface IdempotentRequest {
  keyId: number;
  idempotencyKey: string;
  /** SHA-256 of what was asked, hexadecimal. */
  fingerprint: string;
}

export interface KeptResponse {
  status: number;
  /** Those of its own. */
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
}

/** The statement that keeps the answer of an act, for the act's own transaction: `commit(statements, (rows) => keep?.(...))`. */
export type Keep<Outcome> = (outcome: Outcome) => Statement;

export interface KeptResponses {
  /** The answer that is kept under an idempotency key, if it was given after `since`. */
  find(
    keyId: number,
    idempotencyKey: string,
    since: number,
  ): Promise<(KeptResponse & Pick<IdempotentRequest, "fingerprint">) | undefined>;
  /** Breaks a constraint if another answer is kept under this key. */
  keeping(asked: IdempotentRequest, answer: KeptResponse, now: number): Statement;
  /** Removes some of what was given at `before` or earlier, or is beyond the newest of a key; true if there may be more. */
  sweep(before: number, most?: number): Promise<boolean>;
}

/** Rows that one slice of a sweep removes at most. */
const SLICE = 500;

export const keptResponseRepository = ({ orm, commit }: Database): KeptResponses => {
  const value = sql.placeholder;
  const found = orm
    .select()
    .from(answers)
    .where(and(eq(answers.keyId, value("keyId")), eq(answers.idempotencyKey, value("idempotencyKey"))))
    .limit(1)
    .prepare();
  const inserted = orm
    .insert(answers)
    .values({
      keyId: value("keyId"),
      idempotencyKey: value("idempotencyKey"),
      fingerprint: value("fingerprint"),
      status: value("status"),
      headers: value("headers"),
      body: value("body"),
      createdAt: value("now"),
    })
    .prepare();
  const removed = orm
    .delete(answers)
    .where(eq(answers.id, value("id")))
    .prepare();
  const oldest = orm
    .select({ id: answers.id, createdAt: answers.createdAt })
    .from(answers)
    .orderBy(asc(answers.id))
    .limit(SLICE)
    .prepare();
  const removedUpTo = orm
    .delete(answers)
    .where(lte(answers.id, value("id")))
    .prepare();
  const nextKey = orm
    .select({ keyId: min(answers.keyId) })
    .from(answers)
    .where(gt(answers.keyId, value("after")))
    .prepare();
  const ofKey = eq(answers.keyId, value("keyId"));
  const beyond = orm
    .select({ id: answers.id })
    .from(answers)
    .where(ofKey)
    .orderBy(desc(answers.id))
    .limit(1)
    .offset(value("most"))
    .prepare();
  const removedOfKey = orm
    .delete(answers)
    .where(
      inArray(
        answers.id,
        orm
          .select({ id: answers.id })
          .from(answers)
          .where(and(ofKey, lte(answers.id, value("id"))))
          .orderBy(asc(answers.id))
          .limit(SLICE),
      ),
    )
    .prepare();

  /** True if there may be more. */
  const sweepLate = async (before: number): Promise<boolean> => {
    const rows = oldest.all();
    const kept = rows.findIndex(({ createdAt }) => createdAt > before);
    const last = rows.at(kept === -1 ? rows.length - 1 : kept - 1);
    if (!last || kept === 0) return false;
    await commit([{ query: removedUpTo, values: { id: last.id } }]);
    return kept === -1 && rows.length === SLICE;
  };

  /** The same. */
  const sweepBeyond = async (most: number): Promise<boolean> => {
    for (let after = -1; ;) {
      const keyId = nextKey.get({ after })?.keyId ?? undefined;
      if (keyId === undefined) return false;
      const row = beyond.get({ keyId, most });
      if (row) {
        await commit([{ query: removedOfKey, values: { keyId, id: row.id } }]);
        return true;
      }
      after = keyId;
    }
  };

  return {
    async find(keyId, idempotencyKey, since) {
      const row = found.get({ keyId, idempotencyKey });
      if (!row) return undefined;
      const { fingerprint, status, headers, body } = row;
      if (row.createdAt > since)
        return { fingerprint, status, headers: JSON.parse(headers) as Record<string, string>, body };
      await commit([{ query: removed, values: { id: row.id } }]);
      return undefined;
    },
    keeping: (asked, { status, headers, body }, now) => ({
      query: inserted,
      values: { ...asked, status, headers: JSON.stringify(headers), body, now },
    }),
    sweep: async (before, most = MAX_PER_KEY) => (await sweepLate(before)) || sweepBeyond(most),
  };
};
