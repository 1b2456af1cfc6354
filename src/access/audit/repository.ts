import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { type AuditEntry, type Change, record } from "../../data/db/audit.ts";
import type { Database } from "../../data/db/open.ts";
import { auditEntries } from "../../data/db/schema/audit.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import type { ResourceKind } from "../../data/db/actions.ts";
import type { Act, Actor } from "../../lib/actor.ts";
import { type Entry, type EntryFilters, PARENTS } from "./entry.ts";

/** How many entries a filter reads before other work gets its turn. */
const SLICE_ENTRIES = 20_000;
/** How much earlier than an entry with a lower id an entry may be: writes overlap, and clocks are corrected. */
const MAX_DISORDER_MS = 60_000;
/** How many entries one slice of a sweep removes. */
const SWEPT_ENTRIES = 500;

interface Page {
  /** An id: the page has entries with lower ids only. */
  before: number;
  limit: number;
}

type Row = typeof auditEntries.$inferSelect;

const actorOf = ({ actor: kind, actorId, actorName }: Row): Actor =>
  kind === "key" || kind === "person" ? { kind, id: actorId ?? 0, name: actorName ?? "" } : { kind };

const toEntry = (row: Row): Entry => {
  const { id, at, action, resource: kind, resourceId, parentId, label: name, changes } = row;
  const parentKind = PARENTS[kind];
  const parent = parentKind && parentId !== null ? { kind: parentKind, id: parentId } : undefined;
  return {
    id,
    at,
    actor: actorOf(row),
    action,
    resource: { kind, id: resourceId, name, parent },
    changes: changes === null ? [] : (JSON.parse(changes) as Change[]).map(toChange),
  };
};

const toChange = ([field, from, to]: Change) => ({ field, from, to });

const ifGiven = (name: string, condition: SQL) => sql`(${value(name)} IS NULL OR ${condition})`;

const MATCHES_FILTERS = sql`
    ${ifGiven("actor", sql`${auditEntries.actor} = ${value("actor")}`)}
    AND ${ifGiven("actorId", sql`${auditEntries.actorId} = ${value("actorId")}`)}
    AND ${ifGiven("action", sql`${auditEntries.action} = ${value("action")}`)}
    AND ${ifGiven("resource", sql`${auditEntries.resource} = ${value("resource")}`)}
    AND ${ifGiven("resourceId", sql`${auditEntries.resourceId} = ${value("resourceId")}`)}
    AND ${ifGiven("since", sql`${auditEntries.at} >= ${value("since")}`)}
    AND ${ifGiven("until", sql`${auditEntries.at} < ${value("until")}`)}`;

const NEXT = statement<{ at: number }>(sql`
  SELECT ${auditEntries.at} AS at
  FROM ${auditEntries}
  WHERE ${auditEntries.id} >= ${value("id")}
  ORDER BY ${auditEntries.id}
  LIMIT 1`);

/** Newest first. */
const listWhere = (condition: SQL) =>
  statement<Row>(sql`
    SELECT ${columnsOf(auditEntries)}
    FROM ${auditEntries}
    WHERE ${condition} AND ${auditEntries.id} < ${value("before")}
    ORDER BY ${auditEntries.id} DESC
    LIMIT ${value("limit")}`);

const isOf = (column: "resourceId" | "parentId") => sql`
  ${auditEntries.resource} = ${value("resource")} AND ${auditEntries[column]} = ${value("resourceId")}`;

const OF_RESOURCE = listWhere(isOf("resourceId"));
const OF_PARENT = listWhere(isOf("parentId"));
// From the index of resources: one has few entries.
const FILTERED_OF_RESOURCE = listWhere(sql`${isOf("resourceId")} AND ${MATCHES_FILTERS}`);
const FILTERED = listWhere(sql`${auditEntries.id} >= ${value("from")} AND ${MATCHES_FILTERS}`);

const OLDEST = statement<{ id: number | null }>(
  sql`SELECT min(${auditEntries.id}) AS id FROM ${auditEntries}`,
);
const NEWEST = statement<{ id: number | null }>(
  sql`SELECT max(${auditEntries.id}) AS id FROM ${auditEntries}`,
);

const OLDEST_SLICE = statement<Pick<Row, "id" | "at">>(sql`
  SELECT ${columnsOf(auditEntries, "id", "at")} FROM ${auditEntries} ORDER BY ${auditEntries.id} LIMIT ${SWEPT_ENTRIES}`);

const DELETE = statement(sql`
  DELETE FROM ${auditEntries}
  WHERE ${auditEntries.id} IN (
    SELECT ${auditEntries.id} FROM ${auditEntries} WHERE ${auditEntries.id} <= ${value("id")}
    ORDER BY ${auditEntries.id} LIMIT ${SWEPT_ENTRIES})`);

type Reader = Pick<Database, "client">;

/** Finds the entries of a time by their ids, because both ascend. */
const idSearch =
  ({ client }: Reader) =>
  /** The lowest id from `low` to `high` whose entry is not before the time; `high` without such an entry. */
  (time: number, low: number, high: number): number => {
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = NEXT.get(client, { id: middle });
      if (next && next.at < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };

/**
 * The log in slices of ids, newest first. A filter that matches little reads many entries: a slice bounds how long one query
 * takes, without an index that every write would pay for.
 */
const filteredLists = ({ client }: Reader) => {
  const idOf = idSearch({ client });
  return async ({ actor, action, resource, since, until }: EntryFilters, { before, limit }: Page) => {
    const filters = {
      actor: actor?.kind ?? null,
      actorId: actor?.id ?? null,
      action: action ?? null,
      resource: resource?.kind ?? null,
      resourceId: resource?.id ?? null,
      since: since ?? null,
      until: until ?? null,
    };
    if (resource?.id !== undefined)
      return FILTERED_OF_RESOURCE.all(client, { ...filters, before, limit }).map(toEntry);
    const first = OLDEST.get(client)?.id ?? 0;
    const last = Math.min(before, (NEWEST.get(client)?.id ?? 0) + 1);
    const oldest = since === undefined ? first : idOf(since - MAX_DISORDER_MS, first, last);
    const found: Row[] = [];
    let end = until === undefined ? last : idOf(until + MAX_DISORDER_MS, oldest, last);
    while (end > oldest && found.length < limit) {
      const from = Math.max(oldest, end - SLICE_ENTRIES);
      found.push(...FILTERED.all(client, { ...filters, from, before: end, limit: limit - found.length }));
      end = from;
      if (end > oldest && found.length < limit) await nextTurn();
    }
    return found.map(toEntry);
  };
};

/** The entries of one resource and of its parts, from the indexes. */
const resourceLists =
  ({ client }: Reader) =>
  async (
    { kind, id, children }: { kind: ResourceKind; id: string; children: readonly ResourceKind[] },
    page: Page,
  ) =>
    [
      ...OF_RESOURCE.all(client, { resource: kind, resourceId: id, ...page }),
      ...children.flatMap((child) => OF_PARENT.all(client, { resource: child, resourceId: id, ...page })),
    ]
      .toSorted((a, b) => b.id - a.id)
      .slice(0, page.limit)
      .map(toEntry);

/** The audit log: reads, the removal of old entries, and acts that change no other table. Writes record themselves (`data/db/audit.ts`). */
export const auditRepository = ({ client, commit }: Pick<Database, "client" | "commit">) => {
  return {
    /** Records an act that changes no other table. */
    async add(act: Act, entry: AuditEntry): Promise<void> {
      await commit(record(act, entry));
    },
    /** Newest first. */
    list: filteredLists({ client }),
    /** The entries of a resource, and of its children of these kinds, newest first. */
    history: resourceLists({ client }),
    /** Removes a slice of the entries from before a time; true if there may be more. */
    async sweep(before: number): Promise<boolean> {
      const rows = OLDEST_SLICE.all(client);
      const firstKept = rows.findIndex(({ at }) => at >= before);
      const last = rows.at(firstKept === -1 ? rows.length - 1 : firstKept - 1);
      if (!last || firstKept === 0) return false;
      await commit([DELETE.with(last)]);
      return firstKept === -1 && rows.length === SWEPT_ENTRIES;
    },
  };
};

export type AuditRepository = ReturnType<typeof auditRepository>;
