import { and, asc, desc, eq, gt, inArray, lte, min, sql } from "drizzle-orm";
import type { Statement } from "./commit.ts";
import type { Database } from "./open.ts";
import { keptResponses } from "./schema/kept-responses.ts";

/** The limit of stored responses per caller. The oldest are removed first. */
export const MAX_PER_CALLER = 100_000;
/** How many rows one slice of a sweep removes. */
const SLICE_ROWS = 500;

/** Identifies a request with an Idempotency-Key. */
export interface IdempotentRequest {
  /** Identifies the caller: `key:1`. */
  caller: string;
  idempotencyKey: string;
  /** SHA-256 of method, path and body, hexadecimal. */
  fingerprint: string;
}

export interface KeptResponse {
  status: number;
  /** Only the headers that are specific to this response, such as its ETag. */
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
}

/** Creates the statement that stores the response in the transaction of the write that it reports: see `Commit`. */
export type StoreResponse<Outcome> = (outcome: Outcome) => Statement;

/** The statement of `keep`, for the second argument of `commit`; none for a request without an Idempotency-Key. */
export const storing = <Outcome>(
  keep: StoreResponse<Outcome> | undefined,
  outcome: Outcome,
): readonly Statement[] => (keep ? [keep(outcome)] : []);

const value = sql.placeholder;
const { id, caller, idempotencyKey, createdAt } = keptResponses;

const requestStatements = ({ orm }: Pick<Database, "orm">) => ({
  find: orm
    .select()
    .from(keptResponses)
    .where(and(eq(caller, value("caller")), eq(idempotencyKey, value("idempotencyKey"))))
    .limit(1)
    .prepare(),
  insert: orm
    .insert(keptResponses)
    .values({
      caller: value("caller"),
      idempotencyKey: value("idempotencyKey"),
      fingerprint: value("fingerprint"),
      status: value("status"),
      headers: value("headers"),
      body: value("body"),
      createdAt: value("now"),
    })
    .prepare(),
  delete: orm
    .delete(keptResponses)
    .where(eq(id, value("id")))
    .prepare(),
});

const sweepStatements = ({ orm }: Pick<Database, "orm">) => {
  const ofCaller = eq(caller, value("caller"));
  const surplus = orm
    .select({ id })
    .from(keptResponses)
    .where(and(ofCaller, lte(id, value("id"))))
    .orderBy(asc(id))
    .limit(SLICE_ROWS);
  return {
    oldest: orm.select({ id, createdAt }).from(keptResponses).orderBy(asc(id)).limit(SLICE_ROWS).prepare(),
    deleteUpTo: orm
      .delete(keptResponses)
      .where(lte(id, value("id")))
      .prepare(),
    nextCaller: orm
      .select({ caller: min(caller) })
      .from(keptResponses)
      .where(gt(caller, value("after")))
      .prepare(),
    newestSurplus: orm
      .select({ id })
      .from(keptResponses)
      .where(ofCaller)
      .orderBy(desc(id))
      .limit(1)
      .offset(value("max"))
      .prepare(),
    deleteSurplus: orm.delete(keptResponses).where(inArray(id, surplus)).prepare(),
  };
};

/** Removes responses in slices. Each sweep returns true if there may be more to remove. */
const sweeps = ({ orm, commit }: Pick<Database, "orm" | "commit">) => {
  const statements = sweepStatements({ orm });
  return {
    async expired(before: number): Promise<boolean> {
      const rows = statements.oldest.all();
      const firstKept = rows.findIndex((row) => row.createdAt > before);
      const last = rows.at(firstKept === -1 ? rows.length - 1 : firstKept - 1);
      if (!last || firstKept === 0) return false;
      await commit([{ query: statements.deleteUpTo, values: { id: last.id } }]);
      return firstKept === -1 && rows.length === SLICE_ROWS;
    },
    async surplus(max: number): Promise<boolean> {
      for (let after = ""; ;) {
        const next = statements.nextCaller.get({ after })?.caller ?? undefined;
        if (next === undefined) return false;
        const row = statements.newestSurplus.get({ caller: next, max });
        if (row) {
          await commit([{ query: statements.deleteSurplus, values: { caller: next, id: row.id } }]);
          return true;
        }
        after = next;
      }
    },
  };
};

/** The responses to requests with an Idempotency-Key. */
export const keptResponseRepository = (database: Pick<Database, "orm" | "commit">) => {
  const statements = requestStatements(database);
  const sweep = sweeps(database);
  return {
    /** The response to an earlier request with the same idempotency key, if it was stored after `since`. */
    async find(
      ofCaller: string,
      underKey: string,
      since: number,
    ): Promise<(KeptResponse & Pick<IdempotentRequest, "fingerprint">) | undefined> {
      const row = statements.find.get({ caller: ofCaller, idempotencyKey: underKey });
      if (!row) return undefined;
      const { fingerprint, status, headers, body } = row;
      if (row.createdAt > since)
        return { fingerprint, status, headers: JSON.parse(headers) as Record<string, string>, body };
      await database.commit([{ query: statements.delete, values: { id: row.id } }]);
      return undefined;
    },
    /** The statement that stores a response. It breaks a constraint if the caller's idempotency key already has one. */
    storeStatement: (
      request: IdempotentRequest,
      { status, headers, body }: KeptResponse,
      now: number,
    ): Statement => ({
      query: statements.insert,
      values: { ...request, status, headers: JSON.stringify(headers), body, now },
    }),
    /**
     * Removes a slice of the responses that were stored at `before` or earlier, or are not among the `max` newest of their caller.
     * @returns true if there may be more
     */
    sweep: async (before: number, max = MAX_PER_CALLER): Promise<boolean> =>
      (await sweep.expired(before)) || sweep.surplus(max),
  };
};
