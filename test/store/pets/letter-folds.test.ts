import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { LETTER_FOLDS, foldLetters } from "../../../src/lib/letter-folds.ts";
import { character } from "../../support/characters.ts";
import { foldSql } from "../../../src/data/db/fold-sql.ts";

const client = new Client(":memory:");
migrate(client, migrations);

const foldStatement = client.query<{ folded: string }, [string]>(`SELECT ${foldSql("?1")} AS folded`);
const foldInSql = (text: string) => foldStatement.get(text)?.folded;

/** Texts with letters that are folded, letters that are not, and other characters. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...LETTER_FOLDS.keys()),
    fc.constantFrom(..."azAZ09 '\"%_~`कक犬🐶"),
    character.filter((one) => one !== "\0"),
  ),
  maxLength: 60,
});

test.each([
  ["Łucja", "lucja"],
  ["Søren", "soren"],
  ["Straße STRAẞE", "strasse strasse"],
  ["Đorđe", "dorde"],
  ["Æsir Œuvre", "aesir oeuvre"],
  ["Þór Ðór", "thor dor"],
  ["İstanbul ısı", "istanbul isi"],
  ["Ħal Ŧea", "hal tea"],
  ["Zoe\u0301 Zoé", "zoe zoe"],
  ["Nguyễn", "nguyen"],
  ["Алёна Юлий", "алена юлии"],
  ["Ἀχιλλεύς", "αχιλλευσ"],
  ["Ｂｅｌｌａ ﬁdo", "bella fido"],
  ["बेला 犬 🐶", "बेला 犬 🐶"],
])("the folded letters of %s are %s in a query and in the database", (text, folded) => {
  expect([foldLetters(text), foldInSql(text)]).toEqual([folded, folded]);
});

test("folded letters are the same in a query and in the database, for any text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(text.isWellFormed());
      expect(foldInSql(text)).toBe(foldLetters(text));
    }),
    { numRuns: 2000 },
  );
});

test("folded letters do not change when they are folded again", () => {
  for (const folded of LETTER_FOLDS.values()) expect(foldLetters(folded)).toBe(folded);
});

test("folded letters are one character each, the same for a capital letter as for its small one", () => {
  for (const [letter, folded] of LETTER_FOLDS) {
    expect([...letter]).toHaveLength(1);
    expect([letter, foldLetters(letter.toLowerCase())]).toEqual([letter, folded]);
  }
});

test("a letter of the Latin, Greek or Cyrillic alphabet is folded to its base in Unicode", () => {
  const other: string[] = [];
  for (let code = 0x80; code < 0x2100; code++) {
    const letter = String.fromCodePoint(code);
    const base = letter.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
    if (/^[a-zα-ωа-я]$/.test(base) && foldLetters(letter) !== foldLetters(base)) other.push(letter);
  }
  expect(other).toEqual([]);
});

test("each folded letter has a row in the database, so that another table needs a migration", () => {
  const rows = client.query<{ letter: string; folded: string }, []>("SELECT * FROM letter_folds").all();
  expect(new Map(rows.map(({ letter, folded }) => [letter, folded]))).toEqual(new Map(LETTER_FOLDS));
});

test("every trigger that folds letters contains the expression of `foldSql`", () => {
  const triggers = client
    .query<{ sql: string }, []>(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%letter_folds%'",
    )
    .all();
  expect(triggers.length).toBeGreaterThan(1);
  for (const { sql } of triggers) {
    const texts = [...sql.matchAll(/iif\((.+?) NOT GLOB/g)].map(([, text = ""]) => text);
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(sql).toContain(foldSql(text));
  }
});
