import type { FormWords } from "../parts/field-words.ts";

/** What the forms say about their fields. */
export const FIELDS: FormWords = {
  name: {
    missing: "Enter a name.",
    otherwise: "Enter a name without line breaks or tabs.",
    rules: { taken: "Another category already has this name. Choose another." },
  },
};
