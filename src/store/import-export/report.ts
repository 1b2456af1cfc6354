import type { ImportResult, Preview, Reporter, RowCounts } from "./import.ts";
import { COUNTS } from "./repository.ts";
import { type Row, UnreadableRow } from "./row.ts";

type FileContent = ImportResult["content"];

/** A row of a dry run. */
export const previewRow = ({ line, decision: { before, after, changes }, category }: Preview) => ({
  line,
  ...(before && { id: before.id }),
  name: after.name,
  ...(category !== undefined && { category }),
  ...(after.status && { status: after.status }),
  ...(changes && {
    changes: changes.map(({ member, from, to }) => ({
      member,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    })),
  }),
});

const SWITCHES: Readonly<Record<string, string>> = {
  "create-categories": "createCategories",
  "create-fields": "createFields",
  yes: "confirmed",
  update: "update",
  again: "again",
  raw: "raw",
};

/** A text in quotes, which may be a cell, or a flag, with the space before its value. */
const QUOTED_OR_FLAG =
  /"(?:[^"\\]|\\.)*"|(?<=[ =])'[^']*'|--([a-z]+(?:-[a-z]+)*)( (?!works|names|or\b|flags|imports|needs|to\b)(?=["'\w]))?/g;

/** A text of an import for a client of the API: the flags of the command line become query parameters. */
export const inApiWords = (text: string): string =>
  text
    .replaceAll(QUOTED_OR_FLAG, (found, flag?: string, space?: string) => {
      if (flag === undefined) return found;
      const name = SWITCHES[flag];
      return name === undefined ? flag + (space === undefined ? "" : "=") : `${name}=true${space ?? ""}`;
    })
    .replace(/run the (same )?command again/, "send the $1request again")
    .replace(/: to undo an earlier import, .*$/, "");

const MAX_REJECTED = 100;
/** Characters of all rejected rows in a report. */
const MAX_REJECTED_LENGTH = 250_000;
/** Longer values are free text. */
const MAX_VALUE_LENGTH = 200;
const MAX_SAMPLES = 3;
const MAX_SAMPLE_LENGTH = 100;

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/** The cells of a row in the order of the columns. A row that cannot be read is one cell. */
const cellsOf = ({ content }: Row, header: FileContent["header"]): string[] => {
  if (content instanceof UnreadableRow) return [content.text];
  return Array.isArray(content)
    ? content
    : header.map(({ name }) => (Object.hasOwn(content, name) ? textOf(content[name]) : ""));
};

const columnsOf = ({ header, firstRows }: FileContent) => {
  const rows = firstRows
    .filter(({ content }) => !(content instanceof UnreadableRow))
    .map((row) => cellsOf(row, header));
  return header.map(({ name, field = null }, index) => {
    const values = rows.map((cells) => (cells[index] ?? "").trim()).filter((text) => text !== "");
    const samples = [...new Set(values)].slice(0, MAX_SAMPLES);
    return { name, field, samples: samples.map((text) => text.slice(0, MAX_SAMPLE_LENGTH).toWellFormed()) };
  });
};

/** Collects what an import reports, for one response. */
export const importReport = () => {
  const notes: string[] = [];
  const rejected: { row: Row; reason: string }[] = [];
  let length = 0;
  const reporter: Reporter = {
    debug() {},
    onNote: (text) => void notes.push(inApiWords(text)),
    onProgress() {},
    onRefused(row, { kind, reason }) {
      if (kind !== "rejected" || rejected.length >= MAX_REJECTED) return;
      length +=
        row.content instanceof UnreadableRow ? row.content.text.length : JSON.stringify(row.content).length;
      if (length <= MAX_REJECTED_LENGTH) rejected.push({ row, reason: inApiWords(reason) });
    },
  };
  return {
    reporter,
    of(result: ImportResult) {
      const { id, content, created, createdFields, preview, absentPets, blank } = result;
      const counts = Object.fromEntries(COUNTS.map((name) => [name, result[name]])) as RowCounts;
      return {
        ...(id !== undefined && { id }),
        ...counts,
        blank,
        columns: columnsOf(content),
        createdCategories: [...created],
        createdFields: [...createdFields],
        notes,
        preview: preview.map(previewRow),
        rejectedRows: rejected.map(({ row, reason }) => ({
          line: row.line,
          reason,
          cells: cellsOf(row, content.header),
        })),
        unknownValues: content.unknownValues.filter(({ value }) => value.length <= MAX_VALUE_LENGTH),
        absentAnimals: absentPets.map(({ id: petId, name }) => ({ id: petId, name })),
      };
    },
  };
};
