import type { NewPet } from "../pets/pet.ts";
import { quantity } from "../lib/quantity.ts";
import type { CategoryAccess } from "./category-names.ts";
import { rowChecker, sortRows } from "./check-rows.ts";
import { FileRefused } from "./columns.ts";
import type { Dependencies, ImportOptions, Preview } from "./import-options.ts";
import { type ImportSession, openSession } from "./import-session.ts";
import type { FileFormat } from "./read-format.ts";
import { NO_REJECTED } from "./rejected-file.ts";
import type { Import } from "./repository.ts";
import type { ResumePoint } from "./resume-point.ts";
import type { Batch, Row } from "./row.ts";
import { sha256 } from "./source.ts";
import type { UnknownValues } from "./value-mapping.ts";
import { writePacing } from "./write-pacing.ts";

const formatDate = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/** Names the file with the rows that the previous import rejected, unless this import appends to it. */
const previousRejectedNote = (previous: Import, current: Import | undefined): string => {
  const { rejected, rejectedFile, rejectedBytes } = previous;
  if (!current || rejected === 0) return "";
  if (rejectedFile !== current.rejectedFile)
    return `; the rows that it rejected are in ${rejectedFile ?? "the file that it named"}`;
  return rejectedBytes > current.rejectedBytes
    ? `; the rows that it rejected are no longer in ${rejectedFile}, which is started again`
    : "";
};

const resumeNote = (previous: Import, current: Import | undefined): string =>
  previous.finishedAt === null
    ? `continues after the ${quantity(previous.read, "row")} that an earlier import has read${previousRejectedNote(previous, current)}`
    : `${quantity(previous.read, "row")} of it ${previous.read === 1 ? "was" : "were"} imported on ${formatDate(previous.finishedAt)}: continues after them; --again imports all`;

const importedMessage = (
  file: string,
  { added, rejected, rejectedFile }: Import,
  finishedAt: number,
): string => {
  const remedy =
    rejected === 0
      ? "add --again to import it once more"
      : `correct the rejected rows in ${rejectedFile ?? "the file that it named"} and import that, or add --again to import all rows once more`;
  return `${file} was already imported on ${formatDate(finishedAt)} (${quantity(added, "animal")}): ${remedy}`;
};

const MAX_PREVIEW = 5;

/** Collects the first rows that would be added. */
const previewOf = ({ names }: CategoryAccess) => {
  const rows: Preview[] = [];
  return {
    rows,
    add(batch: readonly Row[], results: readonly (NewPet | string)[]): void {
      for (let at = 0; at < batch.length && rows.length < MAX_PREVIEW; at++) {
        const [row, pet] = [batch[at], results[at]];
        if (row && pet !== undefined && typeof pet !== "string")
          rows.push({ line: row.line, pet, category: names.nameOf(pet.categoryId) });
      }
    },
  };
};

/** The categories with a record that animals belong to: they must still be there when the animals are stored. */
const recordedCategories = (
  pets: readonly NewPet[],
  { columns }: FileFormat,
  { names }: CategoryAccess,
): Set<bigint> =>
  new Set(
    columns.category === undefined
      ? []
      : pets.map(({ categoryId }) => categoryId).filter((id) => names.nameOf(id) !== undefined),
  );

interface WriterOptions {
  options: ImportOptions;
  dependencies: Dependencies;
  format: FileFormat;
  point: ResumePoint;
  newestId: number;
  unknown: UnknownValues;
}

/** The record of a new import at its resume point. */
const newRecord = ({ options, dependencies, format, point }: WriterOptions) => ({
  ...NO_REJECTED,
  hash: point.fingerprint.digest(),
  bytes: point.position.bytes,
  read: 0,
  added: 0,
  rejected: 0,
  file: options.path ?? "standard input",
  head: sha256(point.source.head),
  columns: JSON.stringify(format.columns),
  startedAt: dependencies.now(),
});

/** Opens the session of an import. @returns no session for a dry run */
const begin = async (writerOptions: WriterOptions, record: ReturnType<typeof newRecord>) => {
  const { options, dependencies, format, point, newestId } = writerOptions;
  const { reimport, rejected } = options;
  const { previous } = point;
  const { heading } = format.rejected;
  const session =
    dependencies.imports &&
    (await openSession(dependencies.imports, { previous, record, reimport, newestId, rejected, heading }));
  if (previous) dependencies.reporter.onNote(resumeNote(previous, session?.state));
  return { session, state: session?.state ?? { ...record, id: 0, rejectedFile: null, finishedAt: null } };
};

/**
 * Writes the rows of a file after its resume point. The first rows open the session, with its lock and the file of rejected
 * rows.
 */
export const importWriter = (writerOptions: WriterOptions) => {
  const { options, dependencies, format, point, unknown } = writerOptions;
  const { imports, reporter, now, categories } = dependencies;
  const { position, source, previous, fingerprint } = point;
  const check = rowChecker(format, source, categories, unknown);
  const preview = previewOf(categories);
  const pacing = writePacing();
  const record = newRecord(writerOptions);
  const created: string[] = [];
  /** How many bytes of the file `fingerprint` covers. */
  let seen = position.bytes;
  let session: ImportSession | undefined;
  let state: Import | undefined;

  const see = ({ bytes, start }: Batch, end: number) => {
    fingerprint.add(bytes.subarray(seen - start, end - start));
    seen = end;
  };
  /** Validates rows, and creates the categories that they lack. */
  const sort = async (rows: readonly Row[]) => {
    const checked = await check(rows);
    created.push(...checked.created);
    if (!imports) preview.add(rows, checked.results);
    const formatLine = session?.rejectedFile && format.rejected.formatLine;
    return sortRows(rows, checked.results, { onRejected: reporter.onRejected, formatLine });
  };

  return {
    batchSize: pacing.batchSize,
    see,
    state: () => state,
    created,
    preview: preview.rows,
    /** Adds the valid rows and stores the progress up to `end`, in one transaction. */
    async write(rows: readonly Row[], batch: Batch, end: number): Promise<void> {
      if (!state) ({ session, state } = await begin(writerOptions, record));
      const { pets, rejectedLines } = await sort(rows);
      see(batch, end);
      const next: Import = {
        ...state,
        hash: fingerprint.digest(),
        bytes: end,
        read: state.read + rows.length,
        added: state.added + pets.length,
        rejected: state.rejected + rows.length - pets.length,
      };
      if (rejectedLines !== "" && session?.rejectedFile) {
        session.rejectedFile.add(rejectedLines);
        Object.assign(next, session.rejectedFile.written);
      }
      const { id, bytes: from } = state;
      const needed = recordedCategories(pets, format, categories);
      if (imports) await pacing.write(rows.length, () => imports.addRows(id, from, next, pets, needed));
      state = next;
      reporter.onProgress(next);
    },
    /** @throws FileRefused if the whole file was imported before */
    async finish(): Promise<void> {
      if (!state && previous && previous.finishedAt !== null)
        throw new FileRefused(importedMessage(options.path ?? "the file", previous, previous.finishedAt));
      const id = state?.id ?? previous?.id;
      if (id !== undefined) await imports?.finish(id, now());
    },
    [Symbol.dispose]: () => session?.[Symbol.dispose](),
  };
};

export type ImportWriter = ReturnType<typeof importWriter>;
