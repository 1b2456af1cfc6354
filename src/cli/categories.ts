import { Command } from "commander";
import { commandServices } from "../app/command-services.ts";
import { newCategoryChecker } from "../categories/model.ts";
import type { Category } from "../categories/repository.ts";
import type { CategoryService } from "../categories/service.ts";
import type { Config } from "../config/config.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { Fault } from "../lib/errors.ts";
import { foldName, quoted } from "../lib/text.ts";
import { confirm } from "./confirm.ts";
import { withDatabase } from "./database.ts";
import { withExamples } from "./help/texts.ts";
import {
  allPages,
  type Columns,
  print,
  printDeclined,
  printJson,
  printList,
  printResult,
} from "./print/output.ts";
import { configOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const PAGE_SIZE = 100;

interface Options extends Record<string, unknown> {
  json?: boolean;
  yes?: boolean;
}

/** Runs `work` on the categories of DATA_DIR, whether or not a server is running. */
const withCategories = <Result>(
  config: Config,
  work: (categories: CategoryService) => Promise<Result>,
): Promise<Result> => withDatabase(config, (database) => work(commandServices(config, database).categories));

const allCategories = (categories: CategoryService): Promise<Category[]> =>
  allPages((cursor: string | undefined) => categories.list({ limit: PAGE_SIZE, cursor }));

/** Checks a name by the rules of the API. @throws UsageError */
const nameOf = (name: string): string => {
  if (newCategoryChecker.accepts({ name })) return name;
  throw new UsageError(`${newCategoryChecker.explain({ name })}, not ${quoted(name)}`);
};

/** Finds a category by its name, or else by its id. @throws Fault not_found */
const findCategory = async (categories: CategoryService, text: string): Promise<Category> => {
  const all = await allCategories(categories);
  const folded = foldName(text);
  const found =
    all.find(({ name }) => foldName(name) === folded) ?? all.find(({ id }) => String(id) === text.trim());
  if (found) return found;
  throw new Fault("not_found", `there is no category ${quoted(text)}; see adoption-store categories list`);
};

/** Adds the name of the category to a fault. */
const naming = async <Result>(name: string, act: Promise<Result>): Promise<Result> =>
  act.catch((error: unknown) => {
    throw error instanceof Fault ? new Fault(error.code, `${quoted(name)}: ${error.message}`) : error;
  });

const COLUMNS: Columns<Category> = { ID: ({ id }) => String(id), NAME: ({ name }) => name };

const listCommand = () =>
  withExamples(new Command("list"), ["Show all categories and their ids", "adoption-store categories list"])
    .description("list all categories")
    .action(async (options: Options) => {
      printList(await withCategories(configOf(options), allCategories), COLUMNS, {
        json: options.json,
        empty: "No categories. Add one: adoption-store categories add NAME",
      });
    });

const addCommand = () =>
  withExamples(new Command("add"), ["Add two categories", "adoption-store categories add Dogs Cats"])
    .description("add categories")
    .argument("<names...>", "their names, such as Dogs")
    .action(async (names: string[], options: Options) => {
      const checked = names.map(nameOf);
      const added: Category[] = [];
      await withCategories(configOf(options), async (categories) => {
        for (const name of checked) {
          const category = await naming(name, categories.add(name, OPERATOR));
          added.push(category);
          // Print immediately: if the next name is refused, this category stays.
          if (!options.json) print(`Added category ${category.id} ${quoted(name)}`);
        }
      });
      if (options.json) printJson(added);
    });

const renameCommand = () =>
  withExamples(new Command("rename"), [
    "Give a category another name",
    "adoption-store categories rename Dogs Canines",
  ])
    .description("rename a category; its animals stay in it")
    .argument("<category>", "its name or id")
    .argument("<name>", "its new name", nameOf)
    .action(async (text: string, name: string, options: Options) => {
      const { before, after } = await withCategories(configOf(options), async (categories) => {
        const found = await findCategory(categories, text);
        return {
          before: found,
          after: await naming(name, categories.change(found.id, { name }, OPERATOR, found)),
        };
      });
      printResult(
        options.json,
        after,
        `Category ${after.id} ${quoted(before.name)} is now ${quoted(after.name)}`,
      );
    });

const deleteCommand = () =>
  withExamples(new Command("delete"), [
    "Delete a category by its name",
    "adoption-store categories delete Canines",
  ])
    .description("delete a category that no animal belongs to")
    .argument("<category>", "its name or id")
    .option("--yes", "do not ask")
    .action(async (text: string, options: Options) => {
      const deleted = await withCategories(configOf(options), async (categories) => {
        const found = await findCategory(categories, text);
        if (!options.yes && !(await confirm(`Delete category ${found.id} ${quoted(found.name)}?`)))
          return undefined;
        await naming(found.name, categories.remove(found.id, OPERATOR, found));
        return found;
      });
      if (!deleted) return printDeclined(options.json, "Nothing was deleted.");
      printResult(options.json, deleted, `Deleted category ${deleted.id} ${quoted(deleted.name)}`);
    });

export const categoriesCommand = (): Command => {
  const command = new Command("categories").description(
    "list, add, rename and delete categories; the server may be running",
  );
  for (const child of [listCommand(), addCommand(), renameCommand(), deleteCommand()])
    command.addCommand(withSettings(child.option("--json", "print JSON"), []));
  return command;
};
