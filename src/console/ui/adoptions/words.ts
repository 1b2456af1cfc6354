import type { FormWords } from "../parts/field-words.ts";

/** What the forms say about their fields. */
export const FIELDS: FormWords = {
  petId: {
    missing: "Choose an animal.",
    otherwise: "Enter the id of an animal: a whole number.",
    rules: {
      not_found: "There is no animal with this id.",
      conflict: "This animal is not available for adoption.",
    },
  },
  "adopter.name": {
    missing: "Enter the adopter's name.",
    otherwise: "Enter a name without line breaks or tabs.",
  },
  "adopter.email": { missing: "Enter an e-mail address.", otherwise: "Enter a valid e-mail address." },
  note: { missing: "Enter a note, or leave it empty.", otherwise: "Remove the invisible characters." },
};
