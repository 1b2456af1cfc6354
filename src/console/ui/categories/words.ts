import { pluralize } from "../parts/wording.ts";
import type { FormWords } from "../parts/field-words.ts";
import { MAX_CATEGORIES } from "./queries.ts";

/** The forms' texts about their fields. */
export const FIELDS: FormWords = {
  name: {
    missing: "Enter a name.",
    otherwise: "Enter a name without line breaks or tabs.",
    rules: { taken: "Another category already has this name. Choose another." },
  },
};

/** The species that most shelters have. */
export const USUAL_SPECIES = ["Dog", "Cat", "Rabbit", "Guinea pig", "Bird", "Reptile"] as const;

export const WORDS = {
  title: "Categories",
  actions: "Actions",
  loadingOne: "Loading the category",
  addButton: "Add",
  renameButton: "Rename",
  renameOne: (name: string) => `Rename ${name}`,
  deleteButton: "Delete",
  deleteOne: (name: string) => `Delete ${name}`,
  add: "Add category",
  rename: "Rename category",
  remove: "Delete category",
  purpose: "Group animals by kind, such as dogs and cats.",
  usualOffer: `Start with the usual species: ${USUAL_SPECIES.join(", ")}. You can rename and delete them.`,
  usualAccept: "Add the usual species",
  usualDecline: "No, thanks",
  usualAdded: "Usual species added",
  number: "No.",
  name: "Name",
  animals: "Animals",
  animalsOf: (name: string) => `Animals in ${name}`,
  unknown: "This category no longer exists.",
  added: (name: string) => `“${name}” added`,
  renamed: (before: string, after: string) => `“${before}” renamed to “${after}”`,
  deleted: (name: string) => `“${name}” deleted`,
  /** Follows the name. */
  consequence: "will be deleted permanently. This can't be undone.",
  /** Follows the name. */
  inUse: (count: number) =>
    `has ${pluralize(count, "animal")}, so it can't be deleted. Move ${count === 1 ? "it" : "them"} to another category first.`,
  showAnimals: "Show its animals",
  shown: (count: number) =>
    `${count < MAX_CATEGORIES ? "" : "The first "}${pluralize(count, "category", "categories")}`,
};
