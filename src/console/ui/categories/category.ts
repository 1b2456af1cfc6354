import type { components } from "../api/store.d.ts";

export type Category = components["schemas"]["Category"];

const words = new Intl.Collator("en");

/** As people look for them: by name. */
export const byName = (categories: readonly Category[]): Category[] =>
  categories.toSorted((one, other) => words.compare(one.name, other.name));

/** The category of an id, which may be one that no double holds; undefined if it has no record. */
export const categoryOf = (
  categories: readonly Category[],
  id: number | bigint | string,
): Category | undefined => {
  const text = String(id).trim();
  const exact = Number(text);
  return String(exact) === text ? categories.find((one) => one.id === exact) : undefined;
};
