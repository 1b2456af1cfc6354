import { Database as Client } from "bun:sqlite";
import { expect } from "bun:test";
import { foldLetters } from "../../../src/lib/letter-folds.ts";
import { addedWords } from "../../../src/lib/words.ts";

const COUNTS = `sum(status IS 'available') AS available, sum(status IS 'pending') AS pending,
  sum(status IS 'sold') AS sold, sum(status IS NULL) AS none`;

/** An index of words like that of `pets`, made in one step. */
const indexOf = (pets: readonly { id: number; name: string }[]): Client => {
  const client = new Client(":memory:");
  client.run(
    "CREATE VIRTUAL TABLE pets_words USING fts5(name, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2 categories ''L* Mn Mc N* Co'' separators ''\ufe0e\ufe0f''', prefix='1 2 3')",
  );
  const insert = client.prepare("INSERT INTO pets_words (rowid, name) VALUES (?, ?)");
  for (const { id, name } of pets) insert.run(id, `${foldLetters(name)} ${addedWords(name)}`);
  return client;
};

const matches = (client: Client, prefix: string) =>
  client.query("SELECT rowid FROM pets_words WHERE pets_words MATCH ? ORDER BY rowid").values(`"${prefix}"*`);

/** Compares the tables that derive from `pets` with the same tables made in one step from its rows. Everything is indexed. */
export const expectDerived = (client: Client): void => {
  const all = (sql: string) => client.query(sql).all();
  const pets = client.query<{ id: number; name: string }, []>("SELECT id, name FROM pets ORDER BY id").all();
  expect(all("SELECT id, folded FROM pet_names ORDER BY id")).toEqual(
    pets.map(({ id, name }) => ({ id, folded: foldLetters(name) })),
  );
  for (const [table, key, of] of [
    ["pet_counts_by_category", "category_id", "category_id"],
    ["pet_counts_by_day", "day", "created_at / 86400000"],
  ] as const)
    expect(
      all(
        `SELECT ${key} AS k, available, pending, sold, none FROM ${table} WHERE available + pending + sold + none > 0 ORDER BY 1`,
      ),
    ).toEqual(all(`SELECT ${of} AS k, ${COUNTS} FROM pets GROUP BY 1 ORDER BY 1`));
  using reference = indexOf(pets);
  const words = new Set(pets.flatMap(({ name }) => foldLetters(name).match(/[a-z0-9]+/g) ?? []));
  for (const prefix of new Set([...words].flatMap((word) => [word, word.slice(0, 1), word.slice(0, 3)])))
    expect(matches(client, prefix)).toEqual(matches(reference, prefix));
};

/** The kinds and animals of the events, in order. */
export const eventsOf = (client: Client) =>
  client.query("SELECT kind, pet_id FROM pet_events ORDER BY id").values() as [string, number][];

/** Each animal is added once, then perhaps changed, then perhaps deleted; an animal that is not deleted exists. */
export const expectEvents = (client: Client): void => {
  const living = new Set<number>();
  let newest = 0;
  for (const [kind, id] of eventsOf(client)) {
    if (kind === "added") {
      expect(id).toBeGreaterThan(newest);
      newest = id;
      living.add(id);
    } else expect(living.has(id)).toBe(true);
    if (kind === "deleted") living.delete(id);
  }
  expect([...living]).toEqual(client.query("SELECT id FROM pets ORDER BY id").values().flat() as number[]);
};
