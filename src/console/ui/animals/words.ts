import { formatCount, pluralize } from "../parts/wording.ts";
import type { FormWords } from "../parts/field-words.ts";
import type { CategoryOption } from "./category-options.ts";
import type { Filter } from "./addresses.ts";
import { type Animal, STATUS_NAMES, type Status } from "./animal.ts";
import { isNarrow } from "./addresses.ts";

const quoted = (name: string): string => `“${name}”`;

/** The effect of an edit, or that it had more than one. */
const editedMessage = (before: Animal, now: Animal, categoryName: string): string => {
  const name = quoted(now.name);
  const changes = [
    ...(before.name === now.name ? [] : [`${quoted(before.name)} renamed to ${name}`]),
    ...(before.status === now.status
      ? []
      : [now.status ? `${name} is now ${STATUS_NAMES[now.status]}` : `${name} no longer has a status`]),
    ...(String(before.categoryId) === String(now.categoryId)
      ? []
      : [`${name} moved to ${quoted(categoryName)}`]),
  ];
  const [only = "Nothing changed"] = changes;
  return changes.length > 1 ? `${name} changed` : only;
};

const HELD = "This animal has an open adoption. Complete or cancel the adoption first.";

/** The forms' texts about their fields. */
export const FIELDS: FormWords = {
  name: { missing: "Enter a name.", otherwise: "Enter a name without line breaks or tabs." },
  categoryId: {
    missing: "Choose a category from the list, or create it.",
    otherwise: "Choose a category from the list, or create it.",
    rules: { not_found: "This category no longer exists. Choose another." },
  },
  status: { rules: { conflict: HELD } },
};

/** Every string of this area that people read. */
export const WORDS = {
  title: "Animals",
  add: "Add animal",
  delete: "Delete",

  columns: { id: "No.", category: "Category", status: "Status" },
  category: "Category",
  /** A category whose name is not known. */
  categoryNo: (id: number | bigint | string) => `Category ${id}`,
  loadingOne: "Loading the animal",
  empty: (filter: Filter) => {
    if (isNarrow(filter)) return "No animals found";
    return filter.status ? `No ${STATUS_NAMES[filter.status]} animals` : "No animals yet";
  },
  importFile: "Import a spreadsheet",
  import: {
    steps: [
      "Save the spreadsheet as CSV, and copy the file to the server.",
      "Check the file. This writes nothing and lists the rows with a problem:",
      "Import it. Rows with a problem go to animals.csv.rejected, with the reason:",
    ],
    check: "adoption-store import animals.csv --create-categories --dry-run",
    run: "adoption-store import animals.csv --create-categories",
    copied: "the command",
    guide: "Read the guide",
    done: "Close",
  },
  chartLabel: "Animals added on each day",
  status: "Status",
  noStatus: "No status",
  statuses: { available: "Available", pending: "Pending", sold: "Adopted" } satisfies Record<Status, string>,
  /** Screen readers announce how many categories match, and that a new one can be created. */
  categoriesFound: (options: readonly CategoryOption[]) => {
    const known = options.filter(({ kind }) => kind !== "create").length;
    const found = `${pluralize(known, "category", "categories")} found`;
    return known < options.length ? `${found}. You can create a new one.` : found;
  },

  editTitle: (name: string | undefined) => (name === undefined ? "Edit animal" : `Edit ${quoted(name)}`),
  theirName: (name: string) => `Somebody else changed it to ${quoted(name)}.`,
  theirChoice: (choice: string) => `Somebody else chose ${choice}.`,
  held: HELD,

  addedMessage: ({ name, id }: Animal) => `${quoted(name)} added (no. ${id})`,
  editedMessage,
  deletedMessage: ({ name }: Animal) => `${quoted(name)} deleted`,

  notFound: "There is no animal with this number.",
  adoptions: "Adoptions",
  adopter: "Adopter",
  started: "Started",
  change: "Change",
  setStatusTitle: (count: number) => `Change the status of ${pluralize(count, "animal")}`,
  setCategoryTitle: (count: number) => `Change the category of ${pluralize(count, "animal")}`,
  inCategory: (name: string) => `in ${quoted(name)}`,
  notChanged: (count: number, all: number) =>
    `${formatCount(count)} of ${pluralize(all, "animal")} ${count === 1 ? "was" : "were"} not changed:`,
} as const;
