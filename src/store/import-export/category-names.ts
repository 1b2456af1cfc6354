import { foldName } from "../../lib/text.ts";

/** A category as a file names it. */
export interface NamedCategory {
  id: bigint;
  name: string;
}

/** How many spellings of names are kept, so that each is folded once. */
const MAX_SPELLINGS = 10_000;

/** Finds categories by their names and ids. Case and spacing of a name make no difference. */
export const categoryNames = (all: () => Iterable<NamedCategory>) => {
  const byName = new Map<string, bigint>();
  const byId = new Map<bigint, string>();
  const spellings = new Map<string, bigint>();
  const add = ({ id, name }: NamedCategory) => {
    byName.set(foldName(name), id);
    byId.set(id, name);
  };
  const reload = () => {
    byName.clear();
    byId.clear();
    spellings.clear();
    for (const category of all()) add(category);
  };
  reload();
  return {
    reload,
    add,
    idOf(name: string): bigint | undefined {
      const known = spellings.get(name);
      if (known !== undefined) return known;
      const id = byName.get(foldName(name));
      if (id !== undefined && spellings.size < MAX_SPELLINGS) spellings.set(name, id);
      return id;
    },
    nameOf: (id: bigint): string | undefined => byId.get(id),
  };
};

export type CategoryNames = ReturnType<typeof categoryNames>;

/** The categories that rows belong to. */
export interface CategoryAccess {
  names: CategoryNames;
  /** Why no category can have this name, in words; undefined if one can. */
  problemOf(name: string): string | undefined;
  /** Adds a category to the store and to `names`. Undefined: missing categories are not created. */
  create: ((name: string) => Promise<void>) | undefined;
  /** True if the category exists; undefined if animals may belong to any. */
  hasCategory: ((categoryId: bigint) => boolean) | undefined;
}
