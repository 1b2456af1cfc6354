import { type Category, categoryOf } from "../categories/category.ts";
import { integerOf } from "../parts/address.ts";

/** A category that an animal can have. Without a name it is only an id: the API accepts any. */
type Choosable = { kind: "category"; id: string; name: string } | { kind: "number"; id: string };

/** A suggestion of the category field. */
export type CategoryOption = Choosable | { kind: "create"; name: string };

const fold = (text: string): string => text.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/gu, " ");

const named = ({ id, name }: Category): Choosable => ({ kind: "category", id: String(id), name });

const numbered = (categories: readonly Category[], text: string): Choosable | undefined => {
  const id = integerOf(text);
  if (typeof id !== "bigint") return undefined;
  const known = categoryOf(categories, id);
  return known ? named(known) : { kind: "number", id: String(id) };
};

const withName = (categories: readonly Category[], text: string): Category | undefined =>
  categories.find(({ name }) => fold(name) === fold(text));

/** The category that a text names: by its whole name, or by its number. */
export const exactOption = (categories: readonly Category[], text: string): Choosable | undefined => {
  const known = withName(categories, text);
  return known ? named(known) : numbered(categories, text);
};

/** Suggestions for a text: categories whose names contain it, the category with this number, and a new category. */
export const optionsFor = (categories: readonly Category[], text: string): readonly CategoryOption[] => {
  const folded = fold(text);
  const matching = categories.filter(({ name }) => fold(name).includes(folded));
  const number = numbered(categories, text);
  const isListed = number && matching.some(({ id }) => String(id) === number.id);
  const isNew = folded !== "" && !withName(categories, text);
  return [
    ...matching.map(named),
    ...(number && !isListed ? [number] : []),
    ...(isNew ? [{ kind: "create", name: text.trim() } as const] : []),
  ];
};
