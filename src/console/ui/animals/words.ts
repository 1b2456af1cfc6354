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
  edit: "Edit",
  delete: "Delete",
  adopt: "Adopt",
  adoption: "Adoption",
  save: "Save",
  addButton: "Add",
  reloadOne: "Reload",
  viewAnimal: "View animal",

  columns: { id: "No.", name: "Name", category: "Category", status: "Status", actions: "Actions" },
  adoptOne: (name: string) => `Adopt ${name}`,
  adoptionOf: (name: string) => `Adoption of ${name}`,
  editOne: (name: string) => `Edit ${name}`,
  deleteOne: (name: string) => `Delete ${name}`,
  isNew: "new",

  tabs: "Animals by status",
  all: "all",
  search: "Search by name or number",
  searchPlaceholder: "Name or no.",
  category: "Category",
  /** A category whose name is not known. */
  categoryNo: (id: number | bigint | string) => `Category ${id}`,
  allCategories: "All categories",
  loadingOne: "Loading the animal",
  empty: (filter: Filter) => {
    if (isNarrow(filter)) return "No animals found";
    return filter.status ? `No ${STATUS_NAMES[filter.status]} animals` : "No animals yet";
  },
  showAll: "Show all animals",
  addFirst: "Add an animal",
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
  arrivals: (count: number) => `${formatCount(count)} more ${count === 1 ? "animal" : "animals"}`,
  manyArrivals: "Many more animals",
  show: "Show",
  notCounted: (message: string) => `The animals could not be counted. ${message}`,

  chart: "Added in the last 30 days",
  chartLabel: "Animals added on each day",
  chartTable: "Show as table",
  counting: "Counting…",
  day: "Day (UTC)",
  added: "Added",
  today: "today",

  name: "Name",
  status: "Status",
  noStatus: "No status",
  statuses: { available: "Available", pending: "Pending", sold: "Adopted" } satisfies Record<Status, string>,
  categories: "Categories",
  categoryHint: "Type a name to find a category or create one.",
  /** Before the name. */
  createCategory: "Create category",
  creatingCategory: "Creating the category…",
  /** Screen readers announce how many categories match, and that a new one can be created. */
  categoriesFound: (options: readonly CategoryOption[]) => {
    const known = options.filter(({ kind }) => kind !== "create").length;
    const found = `${pluralize(known, "category", "categories")} found`;
    return known < options.length ? `${found}. You can create a new one.` : found;
  },
  loadingCategories: "Loading…",

  editTitle: (name: string | undefined) => (name === undefined ? "Edit animal" : `Edit ${quoted(name)}`),
  theirName: (name: string) => `Somebody else changed it to ${quoted(name)}.`,
  theirChoice: (choice: string) => `Somebody else chose ${choice}.`,
  outdated: "Somebody else has changed this animal, so nothing was saved.",
  reload: "Reload and keep my changes",
  reloaded: "Reloaded. Your changes are still here: save or cancel.",

  deleteTitle: "Delete animal",
  deletedPermanently: "will be deleted permanently.",
  noUndo: "This can't be undone. Its adoptions stay.",
  held: HELD,
  showAdoptions: "Show its adoptions",

  addedMessage: ({ name, id }: Animal) => `${quoted(name)} added (no. ${id})`,
  editedMessage,
  deletedMessage: ({ name }: Animal) => `${quoted(name)} deleted`,

  notFound: "There is no animal with this number.",
  wasDeleted: "This animal was deleted.",
  back: "Back to animals",
  adoptions: "Adoptions",
  noAdoptions: "No adoptions yet",
  loadingAdoptions: "Loading adoptions",
  showInAdoptions: "Show in adoptions",
  adopter: "Adopter",
  started: "Started",
  one: (id: number) => `Animal ${id}`,

  selected: (count: number) => `${pluralize(count, "animal")} selected`,
  selection: "Selected animals",
  clear: "Clear",
  change: "Change",
  setStatus: "status",
  setCategory: "category",
  export: "Export",
  setStatusTitle: (count: number) => `Change the status of ${pluralize(count, "animal")}`,
  setCategoryTitle: (count: number) => `Change the category of ${pluralize(count, "animal")}`,
  changeMany: (count: number) => `Change ${pluralize(count, "animal")}`,
  andMore: (count: number) => `and ${formatCount(count)} more`,
  progress: (done: number, all: number) => `${formatCount(done)} of ${formatCount(all)}`,
  manyChanged: (count: number, what: string) =>
    `${pluralize(count, "animal")} ${count === 1 ? "is" : "are"} now ${what}`,
  inCategory: (name: string) => `in ${quoted(name)}`,
  withoutStatus: "without a status",
  notChanged: (count: number, all: number) =>
    `${formatCount(count)} of ${pluralize(all, "animal")} ${count === 1 ? "was" : "were"} not changed:`,
  notUndone: (count: number, all: number) =>
    `${formatCount(count)} of ${formatCount(all)} could not be undone: others have changed these animals since.`,
  isHeld: "it has an open adoption",
  wasChanged: "somebody else changed it",
  isDeleted: "it was deleted",
  close: "Close",
  fileName: "animals.csv",
} as const;
