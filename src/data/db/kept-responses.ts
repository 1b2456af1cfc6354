import { sql } from "drizzle-orm";
import type { Statement } from "./commit.ts";
import type { Database } from "./open.ts";
import { keptResponses } from "./schema/kept-responses.ts";
import { columnsOf, insert, statement, value, valuesFor } from "./statement.ts";

/** The limit of stored responses per caller. The oldest are removed first. */
export const MAX_PER_CALLER = 100_000;
const SLICE_ROWS = 500;

type Row = typeof keptResponses.$inferSelect;

/** Identifies a request with an Idempotency-Key. */
export type IdempotentRequest = Pick<Row, "caller" | "idempotencyKey" | "fingerprint">;

interface KeptResponse {
  status: number;
  /** Only the headers that are specific to this response, such as its ETag. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Creates the statement that stores the response in the transaction of the write that it reports: see `Commit`. */
export type StoreResponse<Outcome> = (outcome: Outcome) => Statement;

/** The statement of `keep`, for the second argument of `commit`; none for a request without an Idempotency-Key. */
export const storing = <Outcome>(
  keep: StoreResponse<Outcome> | undefined,
  outcome: Outcome,
): readonly Statement[] => (keep ? [keep(outcome)] : []);

const { id, caller, idempotencyKey } = keptResponses;
const OF_CALLER = sql`${caller} = ${value("caller")}`;

const FIND = statement<Row>(sql`
  SELECT ${columnsOf(keptResponses)}
  FROM ${keptResponses}
  WHERE ${OF_CALLER} AND ${idempotencyKey} = ${value("idempotencyKey")}`);

const INSERT = statement(
  insert(keptResponses, {
    ...valuesFor("caller", "idempotencyKey", "fingerprint", "status", "headers", "body"),
    createdAt: value("now"),
  }),
);

const DELETE = statement(sql`DELETE FROM ${keptResponses} WHERE ${id} = ${value("id")}`);

const OLDEST = statement<Pick<Row, "id" | "createdAt">>(sql`
  SELECT ${columnsOf(keptResponses, "id", "createdAt")} FROM ${keptResponses} ORDER BY ${id} LIMIT ${SLICE_ROWS}`);

const DELETE_UP_TO = statement(sql`DELETE FROM ${keptResponses} WHERE ${id} <= ${value("id")}`);

const NEXT_CALLER = statement<{ caller: string | null }>(sql`
  SELECT min(${caller}) AS caller FROM ${keptResponses} WHERE ${caller} > ${value("after")}`);

const NEWEST_SURPLUS = statement<{ id: number }>(sql`
  SELECT ${id} AS id
  FROM ${keptResponses}
  WHERE ${OF_CALLER}
  ORDER BY ${id} DESC
  LIMIT 1 OFFSET ${value("max")}`);

const DELETE_SURPLUS = statement(sql`
  DELETE FROM ${keptResponses}
  WHERE ${id} IN (
    SELECT ${id} FROM ${keptResponses} WHERE ${OF_CALLER} AND ${id} <= ${value("id")} ORDER BY ${id} LIMIT ${SLICE_ROWS})`);

export const keptResponseRepository = ({ client, commit }: Pick<Database, "client" | "commit">) => {
  /** Both remove a slice, and return true if there may be more to remove. */
  const sweepExpired = async (before: number): Promise<boolean> => {
    const rows = OLDEST.all(client);
    const firstKept = rows.findIndex((row) => row.createdAt > before);
    const last = rows.at(firstKept === -1 ? rows.length - 1 : firstKept - 1);
    if (!last || firstKept === 0) return false;
    await commit([DELETE_UP_TO.with(last)]);
    return firstKept === -1 && rows.length === SLICE_ROWS;
  };
  const sweepSurplus = async (max: number): Promise<boolean> => {
    for (let after = ""; ;) {
      const next = NEXT_CALLER.get(client, { after })?.caller ?? undefined;
      if (next === undefined) return false;
      const row = NEWEST_SURPLUS.get(client, { caller: next, max });
      if (row) {
        await commit([DELETE_SURPLUS.with({ caller: next, id: row.id })]);
        return true;
      }
      after = next;
    }
  };
  return {
    /** The response to an earlier request with the same idempotency key, if it was stored after `since`. */
    async find(
      ofCaller: string,
      underKey: string,
      since: number,
    ): Promise<(KeptResponse & Pick<IdempotentRequest, "fingerprint">) | undefined> {
      const row = FIND.get(client, { caller: ofCaller, idempotencyKey: underKey });
      if (!row) return undefined;
      const { fingerprint, status, headers, body } = row;
      if (row.createdAt > since)
        return { fingerprint, status, headers: JSON.parse(headers) as Record<string, string>, body };
      await commit([DELETE.with(row)]);
      return undefined;
    },
    /** The statement that stores a response. It breaks a constraint if the caller's idempotency key already has one. */
    storeStatement: (
      request: IdempotentRequest,
      { status, headers, body }: KeptResponse,
      now: number,
    ): Statement => INSERT.with({ ...request, status, headers: JSON.stringify(headers), body, now }),
    /**
     * Removes a slice of the responses that were stored at `before` or earlier, or are not among the `max` newest of their caller.
     * @returns true if there may be more
     */
    sweep: async (before: number, max = MAX_PER_CALLER): Promise<boolean> =>
      (await sweepExpired(before)) || sweepSurplus(max),
  };
};
