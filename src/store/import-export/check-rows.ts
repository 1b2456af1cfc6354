import { quoted } from "../../lib/text.ts";
import type { CategoryAccess } from "./category-names.ts";
import { changesIn, type Decision, type ImportedPet, type PresentPet } from "./changes.ts";
import type { KeyField } from "./columns.ts";
import type { PresentPets } from "./present-queries.ts";
import type { FileFormat } from "./read-format.ts";
import { type Row, UnreadableRow } from "./row.ts";
import type { Source } from "./source.ts";
import { MissingCategory, rejectMissing, type ValidationResult } from "./validate-row.ts";
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
    { validate, isFromRejectedFile }: FileFormat,
    { isBroken, encoding }: Source,
    { hasCategory, names }: CategoryAccess,
  ) =>
  (row: Row, present?: PresentPet): ValidationResult => {
    const pet = validate(row, present);
    if (typeof pet === "string" || pet instanceof MissingCategory) return pet;
    const broken = isBroken() || isFromRejectedFile(row) ? brokenField(pet) : undefined;
    if (broken !== undefined && isBroken())
      return `${broken}: is not ${encoding}: save the file as UTF-8 (spreadsheets call it CSV UTF-8)`;
    if (broken !== undefined)
      return `${broken}: U+FFFD stands for bytes that were not text: replace it with the right letters`;
    const { categoryId } = pet;
    const exists = !hasCategory || names.nameOf(categoryId) !== undefined || hasCategory(categoryId);
    return exists ? pet : `categoryId: there is no category ${categoryId}`;
  };

/** Creates the categories that rows lack, and returns the names of those that it created. */
const createMissing = async (
  results: readonly unknown[],
  { names, problemOf, create }: CategoryAccess,
  debug: (line: string) => void,
): Promise<string[]> => {
  const created: string[] = [];
  for (const result of results) {
    if (!create || !(result instanceof MissingCategory)) continue;
    const { name } = result;
    if (names.idOf(name) !== undefined || problemOf(name) !== undefined) continue;
    debug(`creates the category ${quoted(name)}: a row names it, and no category has the name`);
    await create(name);
    created.push(name);
  }
  return created;
};

const reject = (reason: string): Decision => ({ kind: "rejected", reason });

/** The animals that the rows of a file name, and those that it has named. */
const rowTargets = (
  { keyOf }: FileFormat,
  key: KeyField | undefined,
  present: PresentPets | undefined,
  isOwn: (petId: number) => boolean,
) => {
  const field = key ?? "reference";
  /** The line of each key. */
  const lines = new Map<string, number>();
  const seenIds = new Set<number>();
  let unnamed = 0;

  const find = (keys: readonly (string | undefined)[]): Map<string, PresentPet> => {
    const wanted = keys.filter((one) => one !== undefined);
    const found = present?.find(field, wanted) ?? [];
    return new Map(found.map((pet) => [String(field === "id" ? pet.id : pet.profile["reference"]), pet]));
  };

  const refusal = (
    text: string | undefined,
    line: number,
    pet: PresentPet | undefined,
  ): Decision | undefined => {
    if (text === undefined) {
      unnamed++;
      return key && reject(`${key}: is empty; an update finds the animal of each row by it`);
    }
    const earlier = lines.get(text);
    if (earlier !== undefined)
      return { kind: "repeated", reason: `is another row of the animal ${quoted(text)} on line ${earlier}` };
    lines.set(text, line);
    if (pet && !key)
      return isOwn(pet.id)
        ? { kind: "repeated", reason: `is another row of animal ${pet.id}` }
        : reject(`reference: animal ${pet.id} has it; change that animal with --update --key reference`);
    if (!pet && key === "id") {
      unnamed++;
      return reject(`id: there is no animal ${quoted(text)}; import new animals without --update`);
    }
    return undefined;
  };

  return {
    seenIds: seenIds as ReadonlySet<number>,
    /** How many rows name no animal: the file may have an animal that seems absent. */
    unnamed: () => unnamed,
    /** For each row the animal that it may change, or a decision without a look at its other values. */
    of(rows: readonly Row[]): { present?: PresentPet | undefined; decision?: Decision | undefined }[] {
      const keys = rows.map((row) => keyOf(row, field));
      const found = find(keys);
      return rows.map(({ line, content }, index) => {
        const pet = found.get(keys[index] ?? "");
        if (pet) seenIds.add(pet.id);
        const decision = refusal(keys[index], line, pet);
        // It is rejected for a better reason.
        if (content instanceof UnreadableRow) return {};
        return { present: key && pet, decision };
      });
    },
  };
};

const decide = (pet: ImportedPet, present: PresentPet | undefined): Decision => {
  if (!present) return { kind: "added", pet };
  const update = { before: present, after: { ...pet, profile: pet.profile ?? present.profile } };
  const changes = changesIn(update);
  if (changes.length === 0) return { kind: "unchanged" };
  if (present.openOrder !== null && changes.some(({ member }) => member === "status"))
    return reject(
      `status: order ${present.openOrder} holds animal ${present.id}: complete or cancel the order first`,
    );
  return { kind: "updated", update, changes };
};

/** The reference that a decision gives to an animal that had another one. */
const newReferenceOf = (decision: Decision): string | undefined =>
  decision.kind === "updated" && decision.changes.some(({ member }) => member === "reference")
    ? (decision.update.after.profile["reference"] as string)
    : undefined;

interface CheckOptions {
  categories: CategoryAccess;
  unknown: UnknownValues;
  key: KeyField | undefined;
  /** Undefined: the store does not exist yet. */
  present: PresentPets | undefined;
  /** True for an animal that this import has added. */
  isOwn(petId: number): boolean;
  debug(line: string): void;
}

/** Decides what the import does with each row, and creates the categories that rows lack. */
export const rowChecker = (format: FileFormat, source: Source, options: CheckOptions) => {
  const { categories, unknown, key, present: store, debug } = options;
  const validate = rowValidator(format, source, categories);
  const targets = rowTargets(format, key, store, options.isOwn);
  /** The references that no further row of an update by id can give. */
  const taken = new Set<unknown>();

  const rejectWithout = (missing: MissingCategory): string => {
    const problem = categories.create && categories.problemOf(missing.name);
    return problem === undefined
      ? rejectMissing(missing, unknown)
      : `category: ${quoted(missing.name)} cannot be created: ${problem}`;
  };

  /** An update by id can give an animal the reference of another. */
  const refuseTaken = (decisions: Decision[]): Decision[] => {
    if (key !== "id") return decisions;
    const wanted = decisions.map(newReferenceOf);
    const found =
      store?.find(
        "reference",
        wanted.filter((reference) => reference !== undefined),
      ) ?? [];
    for (const { profile } of found) taken.add(profile["reference"]);
    return decisions.map((decision, index) => {
      const { [index]: reference } = wanted;
      if (reference !== undefined && taken.has(reference))
        return reject(`reference: another animal has ${quoted(reference)}`);
      taken.add(reference);
      return decision;
    });
  };

  return {
    targets,
    async check(rows: readonly Row[]): Promise<{ decisions: Decision[]; created: string[] }> {
      const found = targets.of(rows);
      const validated = rows.map(
        (row, index) => found[index]?.decision ?? validate(row, found[index]?.present),
      );
      const created = validated.some((result) => result instanceof MissingCategory)
        ? await createMissing(validated, categories, debug)
        : [];
      const decisions = validated.map((result, index): Decision => {
        const again =
          result instanceof MissingCategory ? validate(rows[index] as Row, found[index]?.present) : result;
        const pet = again instanceof MissingCategory ? rejectWithout(again) : again;
        if (typeof pet === "string") return reject(pet);
        return "kind" in pet ? pet : decide(pet, found[index]?.present);
      });
      return { decisions: refuseTaken(decisions), created };
    },
  };
};
