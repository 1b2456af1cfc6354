import type { FormWords } from "../parts/field-words.ts";

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
  renameButton: "Rename",
  deleteButton: "Delete",
  add: "Add category",
  usualOffer: `Start with the usual species: ${USUAL_SPECIES.join(", ")}. You can rename and delete them.`,
  number: "No.",
  name: "Name",
  animals: "Animals",
  added: (name: string) => `“${name}” added`,
};
