import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../data/db/open.ts";
import { petEvents, pets } from "../../../data/db/schema/pets.ts";
import { petFields, petProfiles } from "../../../data/db/schema/profiles.ts";
import { type Connection, statement, update, value } from "../../../data/db/statement.ts";

/** How many profiles a slice reads before other work gets its turn: most have 1 KB, and the largest 200. */
const SLICE_PROFILES = 200;

// The JSON functions would fail for all animals if the profile of one is damaged.
const DATA = sql`iif(json_valid(${petProfiles.data}), ${petProfiles.data}, '{}')`;

const STORED = sql`${DATA} ->> ${value("path")}`;

const HAS_VALUE = sql`${STORED} IS NOT NULL AND ${STORED} NOT IN (SELECT value FROM json_each(${value("others")}))`;

/** The values without a field. */
const STALE = sql`FROM json_each(${DATA}, '$.custom')
    WHERE key NOT IN (SELECT CAST(${petFields.id} AS TEXT) FROM ${petFields})`;

/** The next profiles that match, and the last one that was read; null after the last of all. */
const nextProfiles = (condition: SQL) =>
  statement(sql`
    SELECT json_group_array(petId) FILTER (WHERE isFound) AS found, max(petId) AS last
    FROM (
      SELECT ${petProfiles.petId} AS petId, ${condition} AS isFound FROM ${petProfiles}
      WHERE ${petProfiles.petId} > ${value("after")} ORDER BY ${petProfiles.petId} LIMIT ${SLICE_PROFILES})`).as(
    (row: { found: string; last: number | null }) => ({ ...row, found: JSON.parse(row.found) as number[] }),
  );

const WITH_VALUE = nextProfiles(HAS_VALUE);
const WITH_STALE_VALUES = nextProfiles(sql`EXISTS (SELECT 1 ${STALE})`);

const COUNT = statement<{ count: number }>(sql`
  SELECT count(*) AS count FROM ${petProfiles}
  WHERE ${petProfiles.petId} IN (SELECT value FROM json_each(${value("petIds")})) AND ${HAS_VALUE}`);

const NEWEST = statement<{ event: number; pet: number }>(sql`
  SELECT coalesce((SELECT max(${petEvents.id}) FROM ${petEvents}), 0) AS event,
    coalesce((SELECT max(${pets.id}) FROM ${pets}), 0) AS pet`);

/** Every write of a profile has an event, except that of a new animal. */
const WRITTEN_SINCE = statement<{ petId: number }>(sql`
  SELECT ${petEvents.petId} AS petId FROM ${petEvents} WHERE ${petEvents.id} > ${value("event")}
  UNION SELECT ${pets.id} FROM ${pets} WHERE ${pets.id} > ${value("pet")}`);

/** No animal was read. */
const UNREAD = { petIds: [] as number[], newest: { event: 0, pet: 0 } };

/** Animals that had a value when they were read, and the newest event and animal before. */
export type ValueHolders = typeof UNREAD;

const valuesOf = (id: number, others: readonly string[]) => ({
  path: `$.custom."${id}"`,
  others: JSON.stringify(others),
});

/** Finds the animals that have a value of the field other than these. Other requests are served meanwhile. */
export const findHolders = async (
  { client }: Database,
  id: number,
  others: readonly string[] = [],
): Promise<ValueHolders> => {
  const newest = NEWEST.get(client) ?? UNREAD.newest;
  const petIds: number[] = [];
  for (let after: number | null = 0; after !== null; await nextTurn()) {
    const slice = WITH_VALUE.get(client, { ...valuesOf(id, others), after });
    petIds.push(...(slice?.found ?? []));
    after = slice?.last ?? null;
  }
  return { petIds, newest };
};

/** The exact number of animals that have such a value: reads the holders again that were written since. */
export const countHolders = (
  connection: Connection,
  id: number,
  others: readonly string[] = [],
  { petIds, newest }: ValueHolders = UNREAD,
): number => {
  const written = new Set(WRITTEN_SINCE.all(connection, newest).map(({ petId }) => petId));
  const found = COUNT.get(connection, { petIds: JSON.stringify([...written]), ...valuesOf(id, others) });
  return petIds.filter((petId) => !written.has(petId)).length + (found?.count ?? 0);
};

const REMOVE_STALE = statement(sql`
  ${update(petProfiles, {
    data: sql`json_patch(${petProfiles.data}, (SELECT json_object('custom', json_group_object(key, NULL)) ${STALE}))`,
  })}
  WHERE ${petProfiles.petId} IN (SELECT value FROM json_each(${value("petIds")})) AND EXISTS (SELECT 1 ${STALE})`);

/**
 * Removes the values of deleted fields, which readers ignore, a slice at a time: once after the start, for values that an
 * earlier run left, and after each change of the list of fields.
 * @returns a function that resolves to true if there may be more
 */
export const staleValues = ({ client, commit }: Database, fieldIds: () => readonly number[]) => {
  let walk: { fields: string; after: number | null } | undefined;
  return async (): Promise<boolean> => {
    const fields = fieldIds().join();
    if (walk?.fields !== fields) walk = { fields, after: 0 };
    if (walk.after === null) return false;
    const { found = [], last = null } = WITH_STALE_VALUES.get(client, { after: walk.after }) ?? {};
    if (found.length === 0) await nextTurn();
    else await commit([REMOVE_STALE.with({ petIds: JSON.stringify(found) })]);
    walk.after = last;
    return last !== null;
  };
};
