import { quoted } from "../../lib/text.ts";
import type { CategoryAccess } from "./category-names.ts";
import { changesIn, type Decision, type ImportedPet, type MemberChange, type PresentPet } from "./changes.ts";
import type { KeyField } from "./columns.ts";
import type { PresentPets } from "./present-queries.ts";
import type { FileFormat } from "./read-format.ts";
import type { Row } from "./row.ts";
import type { Source } from "./source.ts";
import { type FieldValues, MissingCategory, rejectMissing, type ValidationResult } from "./validate-row.ts";
import type { UnknownValues } from "./value-mapping.ts";

/** Invalid bytes decode to U+FFFD, and the file of rejected rows contains U+FFFD, too. */
const REPLACEMENT = "\uFFFD";

/** The field of an animal with a character that stands for invalid bytes. */
const brokenField = ({ name, profile = {} }: ImportedPet): string | undefined =>
  name.includes(REPLACEMENT)
    ? "name"
    : Object.keys(profile).find((member) => JSON.stringify(profile[member]).includes(REPLACEMENT));

/** Validates a row, its text encoding and its category. */
const rowValidator =
  (
    { validate, isRejectedFile }: FileFormat,
    { isBroken, encoding }: Source,
    { hasCategory, names }: CategoryAccess,
  ) =>
  (values: FieldValues, present?: PresentPet): ValidationResult => {
    const pet = validate(values, present);
    if (typeof pet === "string" || pet instanceof MissingCategory) return pet;
    const broken = isBroken() || isRejectedFile ? brokenField(pet) : undefined;
    if (broken !== undefined && isBroken())
      return `${broken}: is not ${encoding}: save the file as UTF-8 (spreadsheets call it CSV UTF-8)`;
    if (broken !== undefined)
      return `${broken}: U+FFFD stands for bytes that were not text: replace it with the right letters`;
    const { categoryId } = pet;
    const exists = !hasCategory || names.nameOf(categoryId) !== undefined || hasCategory(categoryId);
    return exists ? pet : `categoryId: there is no category ${categoryId}`;
  };

const reject = (reason: string): Decision => ({ kind: "rejected", reason });

interface CheckOptions {
  categories: CategoryAccess;
  unknown: UnknownValues;
  key: KeyField | undefined;
  present: PresentPets;
  /** True for an animal that this import has added. */
  isOwn(petId: number): boolean;
  debug(line: string): void;
}

/** Decides what the import does with each row, and creates the categories that rows lack. */
export const rowChecker = (format: FileFormat, source: Source, options: CheckOptions) => {
  const { categories, unknown, key, present: store, isOwn, debug } = options;
  const validate = rowValidator(format, source, categories);
  const keyField = key ?? "reference";
  /** The first row of each key. Exports of other programs have several rows for an animal, but all of them with its name. */
  const firstRows = new Map<string, { line: number; name: unknown; hash: number }>();
  const seenIds = new Set<number>();
  /** The line of each reference that an update by id gives. */
  const given = new Map<string, number>();
  const created: string[] = [];
  /** The lines of an update's rows that name no animal. */
  const unnamed = new Set<number>();

  const findPresent = (keys: readonly (string | undefined)[]): Map<unknown, PresentPet> => {
    const found = store.find(
      keyField,
      keys.filter((text) => text !== undefined),
    );
    return new Map(found.map((pet) => [key === "id" ? String(pet.id) : pet.profile["reference"], pet]));
  };

  /** Why a row changes nothing, whatever its other values. */
  const refusal = (
    text: string | undefined,
    { line }: Row,
    values: FieldValues,
    pet?: PresentPet,
  ): Decision | undefined => {
    if (text === undefined) {
      if (!key) return undefined;
      unnamed.add(line);
      return reject(`${key}: is empty; an update finds the animal of each row by it`);
    }
    const hash = Bun.hash.crc32(JSON.stringify(values));
    const first = firstRows.get(text) ?? { line, name: values.name, hash };
    if (first.line !== line) {
      const repeats = `repeats the ${keyField} ${quoted(text)} of line ${first.line}`;
      if (first.name !== values.name)
        return reject(`${repeats} with another name: correct or remove one of the rows`);
      const lost = ` with other values, which are not imported: if these are right, correct line ${first.line}`;
      return { kind: "repeated", reason: first.hash === hash ? repeats : repeats + lost };
    }
    firstRows.set(text, first);
    if (pet && !key)
      return isOwn(pet.id)
        ? { kind: "repeated", reason: `is another row of animal ${pet.id}` }
        : reject(`reference: animal ${pet.id} has it; change that animal with --update --key reference`);
    if (!pet && key === "id") {
      unnamed.add(line);
      return reject(`id: there is no animal ${quoted(text)}; import new animals without --update`);
    }
    return undefined;
  };

  /** Creates a category. @returns why it has not */
  const createCategory = async (missing: MissingCategory): Promise<string | undefined> => {
    const { name } = missing;
    if (!categories.create) return rejectMissing(missing, unknown);
    const problem = categories.problemOf(name);
    if (problem !== undefined) return `category: ${quoted(name)} cannot be created: ${problem}`;
    debug(`creates the category ${quoted(name)}: a row names it, and no category has the name`);
    await categories.create(name);
    created.push(name);
    return undefined;
  };

  const refuseUpdate = (
    { id, openOrder }: PresentPet,
    changes: readonly MemberChange[],
    line: number,
  ): string | undefined => {
    if (openOrder !== null && changes.some(({ member }) => member === "status"))
      return `status: order ${openOrder} holds animal ${id}: complete or cancel the order first`;
    const reference = changes.find(({ member }) => member === "reference")?.to as string | undefined;
    if (reference === undefined) return undefined;
    if ((given.get(reference) ?? line) !== line || store.find("reference", [reference]).length > 0)
      return `reference: another animal has ${quoted(reference)}: give that one another reference first; to swap references, import temporary ones for both rows, and then this file again`;
    given.set(reference, line);
    return undefined;
  };

  const decide = (pet: ImportedPet, present: PresentPet | undefined, line: number): Decision => {
    if (!present) return { kind: "added", after: pet };
    const update = { before: present, after: { ...pet, profile: pet.profile ?? present.profile } };
    const changes = changesIn(update);
    if (changes.length === 0) return { kind: "unchanged" };
    const reason = refuseUpdate(present, changes, line);
    return reason === undefined ? { kind: "updated", ...update, changes } : reject(reason);
  };

  const check = async ({ line }: Row, values: FieldValues, present?: PresentPet): Promise<Decision> => {
    let pet = validate(values, present);
    if (pet instanceof MissingCategory) pet = (await createCategory(pet)) ?? validate(values, present);
    if (pet instanceof MissingCategory) pet = rejectMissing(pet, unknown);
    return typeof pet === "string" ? reject(pet) : decide(pet, present, line);
  };

  return {
    created: created as readonly string[],
    /** The ids of the animals that rows name. */
    seenIds: seenIds as ReadonlySet<number>,
    /** How many rows name no animal: the file may have an animal that seems absent. */
    unnamed: () => unnamed.size,
    /** Decides about rows: again, if the store was changed after it did. */
    async check(rows: readonly Row[]): Promise<Decision[]> {
      const values = rows.map(format.read);
      const keys = values.map((read) =>
        typeof read === "string" ? undefined : format.keyOf(read, keyField),
      );
      const present = findPresent(keys);
      const decisions: Decision[] = [];
      for (const [index, row] of rows.entries()) {
        const { [index]: read = "" } = values;
        const pet = present.get(keys[index]);
        if (pet) seenIds.add(pet.id);
        const refused = refusal(keys[index], row, typeof read === "string" ? {} : read, pet);
        decisions.push(
          typeof read === "string" ? reject(read) : (refused ?? (await check(row, read, key && pet))),
        );
      }
      return decisions;
    },
  };
};
