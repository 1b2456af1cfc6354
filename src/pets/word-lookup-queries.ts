import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import { once } from "../lib/lazy.ts";
import { type Search, ftsQuery } from "../lib/search.ts";
import { wordMatcher } from "../lib/word-matcher.ts";
import type { Pet } from "./pet.ts";
import { COLUMNS, type Filters, MATCHES_FILTERS, filterValues, readPets, value, words } from "./queries.ts";

/**
 * Tells whether an animal matches a search. The index is read only for what the name alone does not tell, and for one word at a
 * time: FTS5 finds the animals with several words from the first id on.
 */
export const wordLookup = ({ orm }: Pick<Database, "orm">) => {
  const statement = once(() =>
    orm
      .select({ id: words.id })
      .from(words)
      .where(and(sql`${words.words} match ${value("word")}`, eq(words.id, value("id"))))
      .limit(1)
      .prepare(),
  );
  return ({ words: sought, typed }: Search) => {
    const matches = wordMatcher(sought);
    const isIndexed = (id: number) =>
      sought.every((word) => statement().get({ word: ftsQuery([word]), id }) !== undefined);
    return ({ id, name }: Pick<Pet, "id" | "name">): boolean =>
      id === typed || (matches(name) ?? isIndexed(id));
  };
};

/** Finds the animal whose id was typed, if it matches the filters: none or one. */
export const typedLookup = ({ orm }: Pick<Database, "orm">) => {
  const statement = orm
    .select(COLUMNS)
    .from(pets)
    .where(and(eq(pets.id, value("typed")), MATCHES_FILTERS))
    .limit(1)
    .prepare();
  return ({ typed }: Search, filters: Filters): Pet[] =>
    typed === null ? [] : readPets(statement, { ...filterValues(filters), typed });
};
