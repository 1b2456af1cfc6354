import { ApiError, ERRORS } from "../api/client.ts";
import { type Pages, itemsOf } from "../parts/records.ts";
import {
  type Animal,
  type AnimalChange,
  type AnimalVersion,
  DEFAULT_SORT,
  type View,
  mayMatch,
} from "./animal.ts";
import type { components } from "../../../../client/types/store.d.ts";
import { csvLine, guardFormula } from "../../../../lib/csv-writer.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { formatCount, pluralize } from "../parts/wording.ts";

/** True if the animal would be on a page that is not loaded yet. */
const isBeyond = (list: Pages<Animal>, sort: View["sort"], { id }: Animal): boolean => {
  const last = itemsOf(list).at(-1);
  if (list.pages.at(-1)?.next === undefined || !last) return false;
  if (sort === "id") return id > last.id;
  // Only the API knows the order of names.
  return (sort ?? DEFAULT_SORT) === "-id" ? id < last.id : true;
};

/** True if a reload of the loaded pages might show the animal. Only the API can evaluate a search. */
export const mayEnter = (list: Pages<Animal>, view: View, animal: Animal): boolean =>
  mayMatch(view, animal) &&
  !isBeyond(list, view.sort, animal) &&
  !itemsOf(list).some(({ id }) => id === animal.id);

export interface Outcome {
  changed: { before: Animal; now: AnimalVersion }[];
  failed: { animal: Animal; error: Error }[];
}

const REASONS: Readonly<Record<string, string>> = {
  pet_in_order: "it has an open adoption",
  precondition_failed: "another user changed it",
  not_found: "it was deleted",
};

export const reasonOf = (error: Error): string => {
  const code = error instanceof ApiError ? error.code : "";
  return REASONS[code] ?? ERRORS[code] ?? error.message;
};

/** A change of an animal, if it still is this version. */
export interface RequestedChange {
  from: AnimalVersion;
  change: AnimalChange;
}

type Result = components["schemas"]["PetChangeResult"];

/** What became of some animals. @param results in their order */
export const outcomeOf = (changes: readonly RequestedChange[], results: readonly Result[]): Outcome => {
  const outcome: Outcome = { changed: [], failed: [] };
  for (const [index, { from }] of changes.entries()) {
    const { pet, etag = "*", error } = results[index] ?? {};
    if (pet) outcome.changed.push({ before: from.animal, now: { animal: pet, tag: etag } });
    else {
      const { status = 0, code = "", message = "" } = error ?? {};
      outcome.failed.push({ animal: from.animal, error: new ApiError(status, code, message) });
    }
  }
  return outcome;
};

export const failureWords = (failed: number, all: number): string =>
  `${formatCount(failed)} of ${pluralize(all, "animal")} ${failed === 1 ? "was" : "were"} not changed:`;

/** Spreadsheets read a file without it in the encoding of their country. */
const BYTE_ORDER_MARK = "\ufeff";

/** The same file that `export` writes of these animals. */
export const csvOf = (animals: readonly Animal[], categories: readonly Category[]): string => {
  const rows = animals.map(({ id, name, categoryId, status }) => [
    String(id),
    guardFormula(name),
    String(categoryId),
    guardFormula(categoryOf(categories, categoryId)?.name ?? ""),
    status ?? "",
  ]);
  const lines = [["id", "name", "categoryId", "category", "status"], ...rows];
  return BYTE_ORDER_MARK + lines.map((cells) => csvLine(cells)).join("");
};
