import { sql } from "drizzle-orm";
import type { Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { petSearch, pets } from "../../data/db/schema/pets.ts";
import {
  columnsOf,
  insert,
  insertRow,
  set,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import { addedWords } from "../../lib/words.ts";
import { profileWords, type SearchedProfile } from "./filter-words.ts";

const SET_OF_NAME = statement(sql`
  ${insertRow(petSearch, valuesFor("petId", "ofName"))}
  ON CONFLICT (${sql.identifier("pet_id")}) DO UPDATE ${set(petSearch, { ofName: value("ofName") })}`);

/** Stores the words of a new name that SQL cannot make, in the transaction of its write. Most names have none. */
export const storingNameWords = (petId: number, name: string, previousName = ""): readonly Statement[] => {
  const ofName = addedWords(name);
  return ofName === addedWords(previousName) ? [] : [SET_OF_NAME.with({ petId, ofName })];
};

/** `words`: the places of animals among the newest, each with its words. */
const ADD_WORDS = statement(sql`
  ${insert(petSearch, {
    petId: sql`(SELECT max(${pets.id}) FROM ${pets}) - ${value("count")} + 1 + (value ->> 0)`,
    ofName: sql`value ->> 1`,
    ofProfile: sql`value ->> 2`,
  })}
  FROM json_each(${value("words")})`);

/** Stores the words of the newest animals: those that the statement before it added. */
export const storingNewestWords = (
  added: readonly { name: string; profile?: SearchedProfile | undefined }[],
): readonly Statement[] => {
  const words = added
    .map(({ name, profile }, at) => [at, addedWords(name), profile ? profileWords(profile) : ""] as const)
    .filter(([, ofName, ofProfile]) => ofName !== "" || ofProfile !== "");
  return words.length === 0 ? [] : [ADD_WORDS.with({ count: added.length, words: JSON.stringify(words) })];
};

const SET_OF_PROFILE = statement(sql`
  ${insertRow(petSearch, { ...valuesFor("petId", "ofProfile"), ofName: "" })}
  ON CONFLICT (${sql.identifier("pet_id")}) DO UPDATE ${set(petSearch, { ofProfile: value("ofProfile") })}`);

/** Stores the words of an animal's profile, in the transaction of its write. */
export const storingProfileWords = (petId: number, profile: SearchedProfile): Statement =>
  SET_OF_PROFILE.with({ petId, ofProfile: profileWords(profile) });

const SLICE_NAMES = 200;

const UNMADE = statement<{ petId: number; name: string }>(sql`
  SELECT ${columnsOf(petSearch, "petId")}, ${columnsOf(pets, "name")}
  FROM ${petSearch}
  JOIN ${pets} ON ${pets.id} = ${petSearch.petId}
  WHERE ${petSearch.ofName} IS NULL
  ORDER BY ${petSearch.petId}
  LIMIT ${SLICE_NAMES}`);

const SET_OF_NAMES = statement(sql`
  ${update(petSearch, { ofName: sql`value ->> 1` })}
  FROM json_each(${value("words")})
  WHERE ${petSearch.petId} = value ->> 0`);

/**
 * Makes the words of names that were stored before the upgrade to this index, a slice at a time.
 * @returns true if more may follow
 */
export const makeNameWords = async ({ client, commit }: Database): Promise<boolean> => {
  // A write without changes would empty the caches.
  if (UNMADE.get(client) === undefined) return false;
  const [names] = await commit([UNMADE.with()], ([found]) => {
    const words = found.map(({ petId, name }) => [petId, addedWords(name)]);
    return [SET_OF_NAMES.with({ words: JSON.stringify(words) })];
  });
  return names.length === SLICE_NAMES;
};
