import { problemOfName } from "../store/categories/model.ts";
import type { Category } from "../store/categories/repository.ts";
import type { CategoryService } from "../store/categories/service.ts";
import { OPERATOR } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import { foldName, quoted } from "../lib/text.ts";
import { assertConfirmed, UsageError } from "./input.ts";
import { allPages, print, printJson } from "./print/output.ts";
import { action, list, resource } from "./resource.ts";

const allCategories = (categories: CategoryService): Promise<Category[]> => allPages(categories.list);

/** Checks a name by the rules of the API. @throws UsageError */
const nameOf = (name: string): string => {
  const problem = problemOfName(name);
  if (problem === undefined) return name;
  throw new UsageError(`${problem}, not ${quoted(name)}`);
};

const addName = (text: string, before: readonly string[] = []): string[] => [...before, nameOf(text)];

/** Finds a category by its name, or else by its id. @throws Fault not_found */
const findCategory = async (categories: CategoryService, text: string): Promise<Category> => {
  const all = await allCategories(categories);
  const folded = foldName(text);
  const found =
    all.find(({ name }) => foldName(name) === folded) ?? all.find(({ id }) => String(id) === text.trim());
  if (found) return found;
  throw new Fault("not_found", `there is no category ${quoted(text)}; see adoption-store categories list`);
};

const naming = async <Result>(name: string, act: Promise<Result>): Promise<Result> =>
  act.catch((error: unknown) => {
    throw error instanceof Fault ? new Fault(error.code, `${quoted(name)}: ${error.message}`) : error;
  });

const listCategories = list({
  name: "list",
  description: "list all categories",
  examples: { "Show all categories and their ids": "" },
  rows: (_, { categories }) => allCategories(categories),
  columns: { ID: ({ id }) => String(id), NAME: ({ name }) => name },
  empty: "No categories. Add one: adoption-store categories add NAME",
});

const addCategories = action({
  name: "add",
  description: "add categories",
  takes: { "<names...>": { text: "their names, such as Dogs", parse: addName }, "--json": "print JSON" },
  examples: { "Add two categories": "Dogs Cats" },
  async run({ names, json }, { categories }) {
    const added: Category[] = [];
    for (const name of names) {
      const category = await naming(name, categories.add(name, OPERATOR));
      added.push(category);
      // Print immediately: if the next name is refused, this category stays.
      if (!json) print(`Added category ${category.id} ${quoted(name)}`);
    }
    if (json) printJson(added);
  },
});

const renameCategory = action({
  name: "rename",
  description: "rename a category; its animals stay in it",
  takes: { "<category>": "its name or id", "<name>": { text: "its new name", parse: nameOf } },
  examples: { "Give a category another name": "Dogs Canines" },
  async run({ category, name }, { categories }) {
    const before = await findCategory(categories, category);
    const after = await naming(name, categories.change(before.id, { name }, OPERATOR, before));
    const text = `Category ${after.id} ${quoted(before.name)} is now ${quoted(after.name)}`;
    return { json: after, text };
  },
});

const deleteCategory = action({
  name: "delete",
  description: "delete a category that no animal belongs to",
  takes: { "<category>": "its name or id", "--yes": "do not ask" },
  examples: { "Delete a category by its name": "Canines" },
  async run({ category, yes }, { categories }) {
    const found = await findCategory(categories, category);
    const named = `category ${found.id} ${quoted(found.name)}`;
    await assertConfirmed(yes, `Delete ${named}?`, "Nothing was deleted.");
    await naming(found.name, categories.remove(found.id, OPERATOR, found));
    return { json: found, text: `Deleted ${named}` };
  },
});

export const categoriesCommand = resource({
  name: "categories",
  description: "list, add, rename and delete categories; the server may be running",
  actions: [listCategories, addCategories, renameCategory, deleteCategory],
});
