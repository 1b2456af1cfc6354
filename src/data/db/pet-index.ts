import { Database as Client } from "bun:sqlite";
import { sql } from "drizzle-orm";
import type { Statement } from "./commit.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import type { Database } from "./open.ts";
import { petSearch, pets, petsIndexed } from "./schema/pets.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "./statement.ts";
import { StorageUnavailable, isStorageFailure } from "../../lib/storage-errors.ts";

/** How many animals a transaction indexes: about 3 ms of work. */
const SLICE_ANIMALS = 500;
/** How many pages of the index of words a transaction merges in the background: about 3 ms of work. */
const SLICE_PAGES = 16;
/** An import makes a page of the index from so many animals, and each page is merged several times. */
const ANIMALS_PER_MERGED_PAGE = 40;
/** How long a search waits for another process's lock. An import holds it for 40 ms at a time. */
const LOCK_WAIT_MS = 60;

const TAIL = statement<{ newest: number; indexedTo: number }>(sql`
  SELECT coalesce((SELECT max(${pets.id}) FROM ${pets}), 0) AS newest, ${columnsOf(petsIndexed, "indexedTo")}
  FROM ${petsIndexed}
  WHERE ${petsIndexed.one} = 1`);

const INDEX = statement(sql`
  ${update(petsIndexed, {
    indexedTo: sql`coalesce(
      (SELECT ${pets.id} FROM ${pets} WHERE ${pets.id} > ${petsIndexed.indexedTo}
        ORDER BY ${pets.id} LIMIT 1 OFFSET ${value("animals")} - 1),
      (SELECT max(${pets.id}) FROM ${pets}))`,
  })}
  WHERE ${petsIndexed.indexedTo} < (SELECT max(${pets.id}) FROM ${pets})`);

const MERGE = statement(sql`INSERT INTO pets_words (pets_words, rank) VALUES ('merge', ${value("pages")})`);

const TOTAL_CHANGES = statement<{ rows: number }>(sql`SELECT total_changes() AS rows`);

/** For the transaction of an import: indexes its animals, and merges about as much as they add. */
export const importIndexing = (animals: number): readonly Statement[] => [
  INDEX.with({ animals: Number.MAX_SAFE_INTEGER }),
  MERGE.with({ pages: Math.ceil(animals / ANIMALS_PER_MERGED_PAGE) }),
];

const IS_UNINDEXED = sql`> (SELECT ${petsIndexed.indexedTo} FROM ${petsIndexed})`;

const UNINDEXED = statement<typeof pets.$inferSelect>(sql`
  SELECT ${columnsOf(pets)} FROM ${pets} WHERE ${pets.id} ${IS_UNINDEXED}`);

const ADD_COPY = statement(
  insert(pets, valuesFor("id", "name", "categoryId", "status", "createdAt", "updatedAt")),
);

const THEIR_WORDS = statement<typeof petSearch.$inferSelect>(sql`
  SELECT ${columnsOf(petSearch)} FROM ${petSearch} WHERE ${petSearch.petId} ${IS_UNINDEXED}`);

const ADD_WORDS = statement(insert(petSearch, valuesFor("petId", "ofName", "ofProfile")));

/** Copies the animals that are not indexed to a database in memory, which indexes them. */
const copyUnindexed = (client: Client): Client => {
  const copy = new Client(":memory:", { strict: true });
  migrate(copy, migrations);
  copy.transaction(() => {
    for (const animal of UNINDEXED.all(client)) ADD_COPY.all(copy, animal);
    for (const words of THEIR_WORDS.all(client)) ADD_WORDS.all(copy, words);
    INDEX.all(copy, { animals: Number.MAX_SAFE_INTEGER });
  })();
  // A search may still read it when it is replaced: the garbage collector closes it.
  return copy;
};

/** The animals that the index lacks. */
export interface Unindexed extends Pick<Database, "client"> {
  /** False as soon as the index has some of them. */
  isCurrent(): boolean;
}

/** Asks another process to index every animal. @returns false if the storage refuses it */
export type RequestIndex = () => Promise<boolean>;

/** Called before each read of the index that must see every write. See `petIndex`. */
export type CatchUp = () => Promise<Unindexed | undefined>;

/** False if the storage refuses the write. */
const isAccepted = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    return false;
  }
};

/**
 * The index of animals by words and by name, which follows the writes: a search first catches up with later writes, and the
 * server catches up in the background. `pets_indexed` records the progress.
 * @param requestIndex if this process does not write
 */
export const petIndex = ({ client, commit, version }: Database, requestIndex?: RequestIndex) => {
  const tail = () => TAIL.get(client) ?? { newest: 0, indexedTo: 0 };
  let indexing: Promise<unknown> | undefined;
  let mergedState: string | undefined;
  let copy: { version: number; unindexed: Unindexed } | undefined;

  const DERIVED = { lockWait: LOCK_WAIT_MS, isDerived: true };

  /** Resolves with true if there may be more to merge: https://sqlite.org/fts5.html#the_merge_command. */
  const merge = async (): Promise<boolean> => {
    const merging = [TOTAL_CHANGES.with(), MERGE.with({ pages: SLICE_PAGES }), TOTAL_CHANGES.with()] as const;
    const [[before], , [after]] = await commit(merging, undefined, DERIVED);
    if (!before || !after) throw new Error("SQLite returned no number of changes");
    return after.rows - before.rows >= 2;
  };

  const requestSlice = async () => {
    if (!(await requestIndex?.())) throw new StorageUnavailable("the index is behind");
  };

  const indexSlice = () =>
    (indexing ??= (
      requestIndex ? requestSlice() : commit([INDEX.with({ animals: SLICE_ANIMALS })], undefined, DERIVED)
    ).finally(() => {
      indexing = undefined;
    }));

  /** Changes with every write to the index that is not a merge. */
  const state = () => `${version()} ${tail().indexedTo}`;

  const catchUp = async (): Promise<void> => {
    const { newest } = tail();
    while (tail().indexedTo < newest) await indexSlice();
  };

  const unindexed = (): Unindexed => {
    if (copy?.version === version() && copy.unindexed.isCurrent()) return copy.unindexed;
    const { indexedTo } = tail();
    const isCurrent = () => tail().indexedTo === indexedTo;
    copy = { version: version(), unindexed: { client: copyUnindexed(client), isCurrent } };
    return copy.unindexed;
  };

  return {
    /**
     * Resolves when every animal that was added before the call is indexed.
     * @returns if the storage refuses to write the index: a copy in memory of the animals that it lacks
     */
    async catchUp(): ReturnType<CatchUp> {
      if (!(await isAccepted(catchUp()))) return unindexed();
      copy = undefined;
      return undefined;
    },
    /** Indexes every animal, for `requestIndex` of another process. */
    index: (): Promise<boolean> => isAccepted(catchUp()),
    /** Indexes every animal and merges the index, in slices that let other requests run. The next call continues. */
    async tidy(): Promise<void> {
      if (!(await isAccepted(catchUp()))) return;
      while (state() !== mergedState) {
        const merging = merge();
        if (!(await isAccepted(merging))) return;
        if (!(await merging)) mergedState = state();
      }
    },
  };
};
