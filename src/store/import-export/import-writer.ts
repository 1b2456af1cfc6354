import { resolve } from "node:path";
import { quantity } from "../../lib/quantity.ts";
import { quoted } from "../../lib/text.ts";
import type { NewPet } from "../pets/pet.ts";
import type { CategoryAccess } from "./category-names.ts";
import { FileRefused } from "./columns.ts";
import type { Dependencies, ImportOptions, Preview } from "./import-options.ts";
import type { FileFormat } from "./read-format.ts";
import { type RejectedFile, NO_REJECTED, assertNoFile, openRejectedFile } from "./rejected-file.ts";
import type { Import, ImportRepository } from "./repository.ts";
import type { ResumePoint } from "./resume-point.ts";
import type { Batch, Row } from "./row.ts";
import { type Source, sha256 } from "./source.ts";
import { type ValidationResult, MissingCategory, rejectMissing } from "./validate-row.ts";
import type { UnknownValues } from "./value-mapping.ts";

/** How long a transaction may hold the lock, and how long other writers have it before the next transaction. */
const HOLD_MS = 40;
/** Longer than the server's wait before it tries the lock again (RETRY_MS in db/commit.ts). */
const PAUSE_MS = 12;
const MIN_ROWS = 100;
const MAX_ROWS = 10_000;

/** Paces the transactions of an import, so that other processes can write in between. */
const writePacing = () => {
  let rows = 500;
  /** How long the lock was held since the last sufficient pause. */
  let heldMs = 0;
  let releasedAt = performance.now();
  return {
    /** How many rows the next transaction should write. */
    batchSize: () => rows,
    /** Waits until other writers have had their turn, then calls `writeRows`. */
    async write(count: number, writeRows: () => Promise<void>): Promise<void> {
      const left = releasedAt + PAUSE_MS - performance.now();
      if (left <= 0) heldMs = 0;
      else if (heldMs >= HOLD_MS) {
        await Bun.sleep(left);
        heldMs = 0;
      }
      const start = performance.now();
      await writeRows();
      releasedAt = performance.now();
      const elapsed = releasedAt - start;
      heldMs += elapsed;
      const ideal = (count * HOLD_MS) / Math.max(1, elapsed);
      // Only halfway: one write that waited for the lock predicts little about the next.
      rows = Math.round(Math.min(MAX_ROWS, Math.max(MIN_ROWS, (rows + ideal) / 2)));
    },
  };
};

/** An import that no other process can write to until it is disposed of. */
interface ImportSession extends Disposable {
  state: Import;
  rejectedFile: RejectedFile | undefined;
}

/** Invalid bytes decode to U+FFFD, and the file of rejected rows contains U+FFFD, too. */
const REPLACEMENT = "\uFFFD";

/** Validates a row, its text encoding and its category. */
const rowValidator =
  (
    { validate, isFromRejectedFile }: FileFormat,
    { isBroken, encoding }: Source,
    { hasCategory, names }: CategoryAccess,
  ) =>
  (row: Row): ValidationResult => {
    const pet = validate(row);
    if (typeof pet === "string" || pet instanceof MissingCategory) return pet;
    if (pet.name.includes(REPLACEMENT) && isBroken())
      return `name: is not ${encoding}: save the file as UTF-8 (spreadsheets call it CSV UTF-8)`;
    if (pet.name.includes(REPLACEMENT) && isFromRejectedFile(row))
      return "name: U+FFFD stands for bytes that were not text: replace it with the right letters";
    const { categoryId } = pet;
    const exists = !hasCategory || names.nameOf(categoryId) !== undefined || hasCategory(categoryId);
    return exists ? pet : `categoryId: there is no category ${categoryId}`;
  };

/** Creates the categories that rows lack, and returns the names of those that it created. */
const createMissing = async (
  results: readonly ValidationResult[],
  { names, problemOf, create }: CategoryAccess,
): Promise<string[]> => {
  const created: string[] = [];
  for (const result of results) {
    if (!create || !(result instanceof MissingCategory)) continue;
    const { name } = result;
    if (names.idOf(name) !== undefined || problemOf(name) !== undefined) continue;
    await create(name);
    created.push(name);
  }
  return created;
};

/** Validates rows, and creates the categories that they lack. */
const rowChecker = (
  format: FileFormat,
  source: Source,
  categories: CategoryAccess,
  unknown: UnknownValues,
) => {
  const validate = rowValidator(format, source, categories);
  const reject = (missing: MissingCategory): string => {
    const problem = categories.create && categories.problemOf(missing.name);
    return problem === undefined
      ? rejectMissing(missing, unknown)
      : `category: ${quoted(missing.name)} cannot be created: ${problem}`;
  };
  /** @returns for each row its animal, or why it is rejected; and the names of new categories */
  return async (rows: readonly Row[]): Promise<{ results: (NewPet | string)[]; created: string[] }> => {
    const first = rows.map(validate);
    const hasMissing = first.some((result) => result instanceof MissingCategory);
    if (!hasMissing) return { results: first as (NewPet | string)[], created: [] };
    const created = await createMissing(first, categories);
    const results = first.map((result, index) => {
      if (!(result instanceof MissingCategory)) return result;
      const again = validate(rows[index] as Row);
      return again instanceof MissingCategory ? reject(again) : again;
    });
    return { results, created };
  };
};

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

/**
 * Writes the rows of a file after its resume point. The first rows open the session, with its lock and the file of rejected
 * rows.
 */
export const importWriter = ({ options, dependencies, format, point, newestId, unknown }: WriterOptions) => {
  const { imports, reporter, now, categories } = dependencies;
  const { position, source, previous, fingerprint } = point;
  const check = rowChecker(format, source, categories, unknown);
  const preview = previewOf(categories);
  const pacing = writePacing();
  const created: string[] = [];
  /** How many bytes of the file `fingerprint` covers. */
  let seen = position.bytes;
  let session: ImportSession | undefined;
  let state: Import | undefined;

  /** The record of a new import at its resume point. */
  const record = {
    ...NO_REJECTED,
    hash: fingerprint.digest(),
    bytes: position.bytes,
    read: 0,
    added: 0,
    rejected: 0,
    file: options.path ?? "standard input",
    head: sha256(source.head),
    columns: JSON.stringify(format.columns),
    startedAt: now(),
  };

  /**
   * Starts an import or continues one. The file of rejected rows is opened only after the import is locked.
   * @throws FileRefused, ConcurrentImport
   */
  const openSession = async (imports: ImportRepository): Promise<ImportSession> => {
    using resources = new DisposableStack();
    const { reimport, rejected } = options;
    const path = rejected === undefined ? null : resolve(rejected);
    if (previous) resources.use(imports.hold(previous.id));
    // The user may have corrected the rows that a finished import rejected: only an interrupted one keeps its file.
    const isSameFile = previous?.finishedAt === null && previous.rejectedFile === path;
    if (rejected !== undefined && !isSameFile) assertNoFile(rejected);
    const rejectedFile =
      rejected === undefined
        ? undefined
        : openRejectedFile(rejected, format.rejected.heading, isSameFile ? previous : undefined);
    if (rejectedFile) resources.defer(() => rejectedFile.close());
    const progress = rejectedFile?.written ?? NO_REJECTED;
    const { head, columns } = record;
    const started = { ...record, ...previous, ...progress, head, columns, rejectedFile: path };
    const id = previous?.id ?? (await imports.start(started, reimport, newestId));
    const state = { ...started, id, finishedAt: null };
    if (previous) await imports.resume(state);
    else resources.use(imports.hold(id));
    const owned = resources.move();
    return { state, rejectedFile, [Symbol.dispose]: () => owned.dispose() };
  };

  /** Opens the session, unless this is a dry run. */
  const begin = async (): Promise<Import> => {
    session = imports && (await openSession(imports));
    if (previous) reporter.onNote(resumeNote(previous, session?.state));
    return session?.state ?? { ...record, id: 0, rejectedFile: null, finishedAt: null };
  };

  const see = ({ bytes, start }: Batch, end: number) => {
    fingerprint.add(bytes.subarray(seen - start, end - start));
    seen = end;
  };

  /** Validates rows, and creates the categories that they lack. @returns the animals of valid rows, and the lines of rejected ones */
  const sort = async (rows: readonly Row[]) => {
    const checked = await check(rows);
    created.push(...checked.created);
    if (!imports) preview.add(rows, checked.results);
    const pets: NewPet[] = [];
    let rejectedLines = "";
    for (const [index, row] of rows.entries()) {
      const pet = checked.results[index] as NewPet | string;
      if (typeof pet !== "string") pets.push(pet);
      else {
        reporter.onRejected(row.line, pet);
        if (session?.rejectedFile) rejectedLines += format.rejected.formatLine(row, pet);
      }
    }
    return { pets, rejectedLines };
  };

  return {
    batchSize: pacing.batchSize,
    see,
    state: () => state,
    created,
    preview: preview.rows,
    /** Adds the valid rows and stores the progress up to `end`, in one transaction. */
    async write(rows: readonly Row[], batch: Batch, end: number): Promise<void> {
      state ??= await begin();
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
