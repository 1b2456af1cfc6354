import { Database as Client } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Statement } from "./commit.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import type { Database } from "./open.ts";
import { StorageUnavailable, isStorageFailure } from "../lib/storage-errors.ts";

/** How many animals a transaction indexes: about 3 ms of work. */
const SLICE_ANIMALS = 500;
/** How many pages of the index of words a transaction merges in the background: about 3 ms of work. */
const SLICE_PAGES = 16;
/** An import makes a page of the index from so many animals, and each page is merged several times. */
const ANIMALS_PER_MERGED_PAGE = 40;
/** How long a search waits for another process's lock. An import holds it for 40 ms at a time. */
const LOCK_WAIT_MS = 60;

const statementsOf = (client: Client) => {
  const tail = client.query<{ newest: number; indexedTo: number }, []>(
    "SELECT coalesce((SELECT max(id) FROM pets), 0) AS newest, indexed_to AS indexedTo FROM pets_indexed",
  );
  const index = client.query<never, [number]>(
    `UPDATE pets_indexed SET indexed_to = coalesce(
       (SELECT id FROM pets WHERE id > indexed_to ORDER BY id LIMIT 1 OFFSET ? - 1), (SELECT max(id) FROM pets))
     WHERE indexed_to < (SELECT max(id) FROM pets)`,
  );
  const merge = client.query<never, [number]>(
    "INSERT INTO pets_words (pets_words, rank) VALUES ('merge', ?)",
  );
  const changes = client.query<{ rows: number }, []>("SELECT total_changes() AS rows");
  return {
    tail: () => tail.get() ?? { newest: 0, indexedTo: 0 },
    index: (animals: number): Statement => ({ query: { all: () => index.run(animals) }, values: {} }),
    /** Its rows are true if there may be more to merge: https://sqlite.org/fts5.html#the_merge_command. */
    merge: (pages: number): Statement<boolean> => {
      const all = () => {
        const before = changes.get()?.rows ?? 0;
        merge.run(pages);
        return (changes.get()?.rows ?? 0) - before >= 2;
      };
      return { query: { all }, values: {} };
    },
  };
};

/** For the transaction of an import: indexes its animals, and merges about as much as they add. */
export const importIndexing = ({ client }: Pick<Database, "client">) => {
  const { index, merge } = statementsOf(client);
  return (animals: number): readonly Statement[] => [
    index(Number.MAX_SAFE_INTEGER),
    merge(Math.ceil(animals / ANIMALS_PER_MERGED_PAGE)),
  ];
};

/** Copies the animals that are not indexed to a database in memory, which indexes them. */
const copyUnindexed = (client: Client) => {
  const copy = new Client(":memory:", { strict: true });
  migrate(copy, migrations);
  const insertStatement = copy.query<never, string[]>(
    "INSERT INTO pets (id, name, category_id, status, created_at) VALUES (?, ?, ?, ?, 0)",
  );
  // As text: a plain read rounds above 2^53.
  const rows = client.query<never, []>(
    `SELECT CAST(id AS TEXT), name, CAST(category_id AS TEXT), status FROM pets
     WHERE id > (SELECT indexed_to FROM pets_indexed)`,
  );
  copy.transaction(() => {
    for (const row of rows.values()) insertStatement.run(...(row as string[]));
    copy.run("UPDATE pets_indexed SET indexed_to = (SELECT coalesce(max(id), 0) FROM pets)");
  })();
  // A search may still read it when it is replaced: the garbage collector closes it.
  return drizzle(copy);
};

/** The animals that the index lacks. */
export interface Unindexed extends Pick<Database, "orm"> {
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
export const petIndex = (
  { client, commit, version }: Pick<Database, "client" | "commit" | "version">,
  requestIndex?: RequestIndex,
) => {
  const statements = statementsOf(client);
  let indexing: Promise<unknown> | undefined;
  let mergedState: string | undefined;
  let copy: { version: number; unindexed: Unindexed } | undefined;

  const write = <Rows>(statement: Statement<Rows>) =>
    commit([statement], undefined, { lockWait: LOCK_WAIT_MS, isDerived: true });

  const requestSlice = async () => {
    if (!(await requestIndex?.())) throw new StorageUnavailable("the index is behind");
  };

  const indexSlice = () =>
    (indexing ??= (requestIndex ? requestSlice() : write(statements.index(SLICE_ANIMALS))).finally(() => {
      indexing = undefined;
    }));

  /** Changes with every write to the index that is not a merge. */
  const state = () => `${version()} ${statements.tail().indexedTo}`;

  const catchUp = async (): Promise<void> => {
    const { newest } = statements.tail();
    while (statements.tail().indexedTo < newest) await indexSlice();
  };

  const unindexed = (): Unindexed => {
    if (copy?.version === version() && copy.unindexed.isCurrent()) return copy.unindexed;
    const { indexedTo } = statements.tail();
    const isCurrent = () => statements.tail().indexedTo === indexedTo;
    copy = { version: version(), unindexed: { orm: copyUnindexed(client), isCurrent } };
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
        const merging = write(statements.merge(SLICE_PAGES));
        if (!(await isAccepted(merging))) return;
        const [hasMore] = await merging;
        if (!hasMore) mergedState = state();
      }
    },
  };
};
