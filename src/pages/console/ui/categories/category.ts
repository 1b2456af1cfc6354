import type { components } from "../../../../client/types/store.d.ts";
import { type FormWords, NAME } from "../parts/wording.ts";

export type Category = components["schemas"]["Category"];

export const FIELDS: FormWords = {
  name: { ...NAME, rules: { taken: "Another category already has this name. Choose another." } },
};

export const addedWords = ({ name }: Category): string => `“${name}” added`;

const words = new Intl.Collator("en");

export const byName = (categories: readonly Category[]): Category[] =>
  categories.toSorted((a, b) => words.compare(a.name, b.name));

/** The category with an id, which may be a bigint or text; undefined if it does not exist. */
export const categoryOf = (
  categories: readonly Category[],
  id: number | bigint | string,
): Category | undefined => {
  const text = String(id).trim();
  const exact = Number(text);
  return String(exact) === text ? categories.find((one) => one.id === exact) : undefined;
};

export const categoriesPath = (...parts: (string | number)[]): string =>
  ["/console/categories", ...parts].join("/");
