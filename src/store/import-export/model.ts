import { basename } from "node:path";
import { type Static, type TSchema, t } from "elysia";
import {
  AnyText,
  Count,
  Id,
  OneOf,
  OptionalText,
  parsed,
  Repeatable,
  ResponseText,
  ResponseTexts,
  Text,
  Time,
} from "../../http/schemas.ts";
import { formatTime } from "../../lib/time.ts";
import type { Imports as ImportService } from "./service.ts";

/** How often a repeatable parameter may be given. */
export const MAX_REPEATED = 100;

const Flag = (description: string) =>
  t.Optional(parsed(OneOf("ImportFlag", ["true", "false"], { description }), (text) => text === "true"));

const Choice = <const Word extends string>(kind: string, words: readonly Word[], description: string) =>
  t.Optional(OneOf(kind, words, { description }));

const Word = (description: string, example: string) =>
  t.Optional(AnyText("ImportOption", { max: 1000, description, examples: [example] }));

export const ImportQuery = t.Object(
  {
    name: t.Optional(Text("ImportName", { max: 255, description: "The name of the file, for the records." })),
    dryRun: Flag("Checks all rows, shows the first changes, and writes nothing."),
    update: Flag("Changes the animals that the store has, and adds the others."),
    key: Word("The column that identifies each animal of an update, or `id`.", "Animal ID"),
    missing: Choice("MissingAction", ["adopted", "delete"], "What becomes of animals that the file lacks."),
    confirmed: Flag("Lets `missing` act on more than half of all animals."),
    map: t.Optional(Repeatable("Which field a column is, or `ignore`.", "Animal Name=name", MAX_REPEATED)),
    value: t.Optional(Repeatable("Translates a word of the file.", "status:Rehomed=sold", MAX_REPEATED)),
    createCategories: Flag("Creates the categories that rows name and that do not exist."),
    createFields: Flag("Keeps other columns in new custom fields."),
    again: Flag("Imports a file that was imported before once more."),
    raw: Flag("Reads names unchanged. Otherwise a `'` before a formula is removed."),
    dates: Choice("DateOrder", ["dmy", "mdy"], "The order of dates such as 3/4/2026."),
    currency: Word("The currency of fees without one (ISO 4217).", "EUR"),
    encoding: Word("How letters are encoded. Default: UTF-8.", "windows-1252"),
    delimiter: Word("What separates cells. Default: the separator of the first line.", "semicolon"),
  },
  { additionalProperties: false },
);

export type ImportQuery = Omit<Static<typeof ImportQuery>, "map" | "value">;

const Rows = <Fields extends Record<string, TSchema>>($id: string, description: string, fields: Fields) =>
  t.Array(t.Object(fields, { $id }), { description });

const counts = {
  read: Count("Rows that were read.", 3),
  added: Count("Rows that added an animal.", 1),
  updated: Count("Rows that changed an animal.", 1),
  unchanged: Count("Rows whose animal already has these values.", 0),
  rejected: Count("Rows that break a rule.", 1),
  absent: Count("Animals of the store that the file of an update lacks.", 0),
};

const line = Count("The row's first line, from 1.", 2);
const animal = { id: Id("Id of the animal."), name: ResponseText("Its name.", "Bella") };
const Value = (description: string) => t.Optional(t.Any({ description }));

export const ImportReport = t.Object(
  {
    id: t.Optional(Id("Id of the import. Absent if nothing was written.", 4)),
    ...counts,
    repeated: Count("Further rows of an animal that an earlier row names.", 0),
    blank: Count("Blank rows.", 0),
    columns: Rows("ImportColumn", "The columns in their order.", {
      name: ResponseText("The column's name.", "Animal ID"),
      field: t.Union([t.String(), t.Null()], { description: "Its field; null if it is not read." }),
      samples: ResponseTexts("Up to three values.", ["A-1"]),
    }),
    createdCategories: ResponseTexts("Categories that were created, or would be.", ["Dog"]),
    createdFields: ResponseTexts("Custom fields that were created, or would be.", ["coat"]),
    notes: ResponseTexts("Guesses, omissions and remedies.", ['guessed: "Species" as category']),
    preview: Rows("ImportPreview", "In a dry run: the first ten rows that would change something.", {
      line,
      id: t.Optional(Id("Id of the animal. Absent for a new one.")),
      name: animal.name,
      category: OptionalText("The category's name.", "Dog"),
      status: OptionalText("The status.", "available"),
      changes: t.Optional(
        Rows("ImportChange", "The changed values of an update.", {
          member: ResponseText("The member.", "colour"),
          from: Value("The previous value. Absent: none."),
          to: Value("The new value. Absent: none."),
        }),
      ),
    }),
    rejectedRows: Rows("RejectedRow", "The first 100 rejected rows, up to 250,000 characters.", {
      line,
      reason: ResponseText("The rule that it breaks, and the remedy."),
      cells: ResponseTexts("In the order of `columns`; one text if the row can't be read.", ["A-1", "Bella"]),
    }),
    unknownValues: Rows("UnknownValue", "The first 20 of each field. `value` translates them.", {
      field: ResponseText("The field.", "size"),
      value: ResponseText("The value in the file.", "Toy"),
      rows: Count("Rows with the value.", 1),
    }),
    absentAnimals: Rows("AbsentAnimal", "The first 20 animals that the file of an update lacks.", animal),
  },
  { $id: "ImportReport", description: "The changes of an import, or those that it would make." },
);

export const Import = t.Object(
  {
    id: Id("Id of the import.", 4),
    file: ResponseText("The name of the file.", "animals.csv"),
    startedAt: Time("When it began.", "2026-11-20T09:30:00.000Z"),
    finishedAt: t.Optional(Time("Absent while it is not complete.", "2026-11-20T09:30:02.000Z")),
    undoneAt: t.Optional(
      Time("When it was undone, or the undo began that is to be continued.", "2026-11-21T08:00:00.000Z"),
    ),
    ...counts,
    canUndo: t.Boolean({ description: "True if it has changes that can be undone." }),
  },
  { $id: "Import", description: "An import of a file of animals." },
);

export const MAX_IMPORTS = 100;

export const Imports = t.Array(Import, {
  $id: "Imports",
  maxItems: MAX_IMPORTS,
  description: "The last imports, the newest first.",
});

export const Undone = t.Object(
  {
    id: Id("Id of the import.", 4),
    deleted: Count("Animals that the import had added.", 1),
    restored: Count("Animals that have their previous values again.", 1),
    readded: Rows("ReaddedAnimal", "Animals that the import had deleted. Each has a new id.", {
      ...animal,
      before: Id("Its previous id.", 3),
    }),
  },
  { $id: "UndoneImport", description: "The changes of an undo." },
);

export const fromUndone = (undone: Awaited<ReturnType<ImportService["undo"]>>) => {
  const { id, deleted, restored, readded } = undone;
  return { id, deleted, restored, readded };
};

export const fromImport = (stored: ReturnType<ImportService["recent"]>[number]) => {
  const { id, startedAt, finishedAt, undoneAt, read, added, updated, unchanged, rejected } = stored;
  return {
    id,
    // The command line stores paths of the server.
    file: basename(stored.file),
    startedAt: formatTime(startedAt),
    ...(finishedAt !== null && { finishedAt: formatTime(finishedAt) }),
    ...(undoneAt !== null && { undoneAt: formatTime(undoneAt) }),
    read,
    added,
    updated,
    unchanged,
    rejected,
    absent: stored.absent,
    canUndo: stored.canUndo,
  };
};
