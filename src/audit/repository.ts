import { setImmediate as nextTurn } from "node:timers/promises";
import { and, desc, eq, gte, inArray, lt, lte, min, sql } from "drizzle-orm";
import { type AuditEntry, type Change, auditing } from "../db/audit.ts";
import { ifGiven } from "../db/if-given.ts";
import type { Database } from "../db/open.ts";
import { auditEntries } from "../db/schema/audit.ts";
import type { ResourceKind } from "../lib/actions.ts";
import type { Act, Actor } from "../lib/actor.ts";
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

const value = sql.placeholder;

const MATCHES_FILTERS = and(
  ifGiven("actor", eq(auditEntries.actor, value("actor"))),
  ifGiven("actorId", eq(auditEntries.actorId, value("actorId"))),
  ifGiven("action", eq(auditEntries.action, value("action"))),
  ifGiven("resource", eq(auditEntries.resource, value("resource"))),
  ifGiven("resourceId", eq(auditEntries.resourceId, value("resourceId"))),
  ifGiven("since", gte(auditEntries.at, value("since"))),
  ifGiven("until", lt(auditEntries.at, value("until"))),
);

/** Finds the entries of a time by their ids, because both ascend. */
const idSearch = ({ orm }: Pick<Database, "orm">) => {
  const nextStatement = orm
    .select({ at: auditEntries.at })
    .from(auditEntries)
    .where(gte(auditEntries.id, value("id")))
    .orderBy(auditEntries.id)
    .limit(1)
    .prepare();
  /** The lowest id from `low` to `high` whose entry is not before the time; `high` without such an entry. */
  return (time: number, low: number, high: number): number => {
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = nextStatement.get({ id: middle });
      if (next && next.at < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
};

/**
 * The log in slices of ids, newest first. A filter that matches little reads many entries: a slice bounds how long one query
 * takes, without an index that every write would pay for.
 */
const filteredLists = ({ orm }: Pick<Database, "orm">) => {
  const idOf = idSearch({ orm });
  // From the index of resources: one has few entries.
  const resourceStatement = orm
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.resource, value("resource")),
        eq(auditEntries.resourceId, value("resourceId")),
        lt(auditEntries.id, value("before")),
        MATCHES_FILTERS,
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(value("limit"))
    .prepare();
  const sliceStatement = orm
    .select()
    .from(auditEntries)
    .where(and(gte(auditEntries.id, value("from")), lt(auditEntries.id, value("before")), MATCHES_FILTERS))
    .orderBy(desc(auditEntries.id))
    .limit(value("limit"))
    .prepare();
  const oldestStatement = orm
    .select({ id: min(auditEntries.id) })
    .from(auditEntries)
    .prepare();
  const newestStatement = orm
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .orderBy(desc(auditEntries.id))
    .limit(1)
    .prepare();

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
    if (resource?.id !== undefined) return resourceStatement.all({ ...filters, before, limit }).map(toEntry);
    const first = oldestStatement.get()?.id ?? 0;
    const last = Math.min(before, (newestStatement.get()?.id ?? 0) + 1);
    const oldest = since === undefined ? first : idOf(since - MAX_DISORDER_MS, first, last);
    const found: Row[] = [];
    let end = until === undefined ? last : idOf(until + MAX_DISORDER_MS, oldest, last);
    while (end > oldest && found.length < limit) {
      const from = Math.max(oldest, end - SLICE_ENTRIES);
      found.push(...sliceStatement.all({ ...filters, from, before: end, limit: limit - found.length }));
      end = from;
      if (end > oldest && found.length < limit) await nextTurn();
    }
    return found.map(toEntry);
  };
};

/** The entries of one resource and of its parts, from the indexes. */
const resourceLists = ({ orm }: Pick<Database, "orm">) => {
  const listBy = (column: "resourceId" | "parentId") =>
    orm
      .select()
      .from(auditEntries)
      .where(
        and(
          eq(auditEntries.resource, value("kind")),
          eq(auditEntries[column], value("id")),
          lt(auditEntries.id, value("before")),
        ),
      )
      .orderBy(desc(auditEntries.id))
      .limit(value("limit"))
      .prepare();
  const ownStatement = listBy("resourceId");
  const childStatement = listBy("parentId");
  return async (
    { kind, id, children }: { kind: ResourceKind; id: string; children: readonly ResourceKind[] },
    page: Page,
  ) =>
    [
      ...ownStatement.all({ kind, id, ...page }),
      ...children.flatMap((child) => childStatement.all({ kind: child, id, ...page })),
    ]
      .toSorted((one, other) => other.id - one.id)
      .slice(0, page.limit)
      .map(toEntry);
};

/** The audit log: reads, the removal of old entries, and acts that change no other table. Writes record themselves (`db/audit.ts`). */
export const auditRepository = (database: Pick<Database, "client" | "orm" | "commit">) => {
  const { orm, commit } = database;
  const oldestStatement = orm
    .select({ id: auditEntries.id, at: auditEntries.at })
    .from(auditEntries)
    .orderBy(auditEntries.id)
    .limit(SWEPT_ENTRIES)
    .prepare();
  const deleteStatement = orm
    .delete(auditEntries)
    .where(
      inArray(
        auditEntries.id,
        orm
          .select({ id: auditEntries.id })
          .from(auditEntries)
          .where(lte(auditEntries.id, value("id")))
          .orderBy(auditEntries.id)
          .limit(SWEPT_ENTRIES),
      ),
    )
    .prepare();

  const record = auditing(database);

  return {
    /** Records an act that changes no other table. */
    async add(act: Act, entry: AuditEntry): Promise<void> {
      await commit(record(act, entry));
    },
    /** Newest first. */
    list: filteredLists(database),
    /** The entries of a resource, and of its children of these kinds, newest first. */
    history: resourceLists(database),
    /** Removes a slice of the entries from before a time; true if there may be more. */
    async sweep(before: number): Promise<boolean> {
      const rows = oldestStatement.all();
      const firstKept = rows.findIndex(({ at }) => at >= before);
      const last = rows.at(firstKept === -1 ? rows.length - 1 : firstKept - 1);
      if (!last || firstKept === 0) return false;
      await commit([{ query: deleteStatement, values: { id: last.id } }]);
      return firstKept === -1 && rows.length === SWEPT_ENTRIES;
    },
  };
};

export type AuditRepository = ReturnType<typeof auditRepository>;
