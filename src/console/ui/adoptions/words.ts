import { isolated } from "../parts/wording.ts";
import type { FormWords } from "../parts/field-words.ts";
import { type Adoption, type FinalStep, STATUS_AFTER, type Status, type Step } from "./order.ts";

/** The name of the animal, or its number if the name is not known. */
export const animalLabel = ({ animal, petId }: Pick<Adoption, "animal" | "petId">): string =>
  animal ? animal.name : `animal ${petId}`;

const animalOf = (adoption: Adoption): string => isolated(animalLabel(adoption));

/** Every string of this area that people read. */
export const words = {
  title: "Adoptions",
  start: "Start adoption",

  columns: {
    id: "No.",
    adopter: "Adopter",
    animal: "Animal",
    note: "Note",
    status: "Status",
    started: "Started",
    actions: "Actions",
  },
  empty: (status: Status | undefined, isSearch: boolean) => {
    if (isSearch) return status ? `No ${status} adoptions found` : "No adoptions found";
    return status ? `No ${status} adoptions` : "No adoptions yet";
  },
  forgotten: "data erased",

  steps: { approve: "Approve", complete: "Complete", cancel: "Cancel" } satisfies Record<Step, string>,
  stepLabel: (step: Step, adoption: Adoption) =>
    `${words.steps[step]} the adoption of ${animalLabel(adoption)}${
      adoption.adopter ? ` by ${adoption.adopter.name}` : ""
    }`,
  stepped: (adoption: Adoption) =>
    `Adoption of ${animalOf(adoption)} ${adoption.status} (no. ${adoption.id})`,
  view: "View adoption",
  tooLate: ({ status }: Adoption, step: Step) =>
    status === STATUS_AFTER[step]
      ? `This adoption is already ${status}.`
      : `This adoption is ${status} now, so it can't be ${STATUS_AFTER[step]}.`,

  ask: {
    complete: {
      title: "Complete adoption",
      label: "Complete adoption",
      back: "Not yet",
      consequence: (animal: string) => `${isolated(animal)} will be marked as adopted. This can't be undone.`,
    },
    cancel: {
      title: "Cancel adoption",
      label: "Cancel adoption",
      back: "Keep adoption",
      consequence: (animal: string) =>
        `${isolated(animal)} will be available again. This can't be undone, but you can start a new adoption.`,
    },
  } satisfies Record<FinalStep, object>,
  stepOne: { approve: "Approve adoption", complete: "Complete adoption" },
  loadingOne: "Loading the adoption",
  next: {
    placed: "Approve the adoption if the adopter can have the animal.",
    approved: "Complete the adoption when the adopter takes the animal home. This can't be undone.",
    completed: "The animal has a new home.",
    cancelled: "This adoption was cancelled.",
  } satisfies Record<Status, string>,
  animalDetails: (id: number, category: string | undefined) =>
    category === undefined ? `no. ${id}` : `no. ${id}, ${category}`,
  started: (adoption: Adoption) => `Adoption of ${animalOf(adoption)} started (no. ${adoption.id})`,
} as const;

/** The form's texts about its fields. */
export const FIELDS: FormWords = {
  petId: {
    missing: "Choose an animal from the list.",
    otherwise: "Choose an animal from the list.",
    rules: {
      not_found: "This animal was deleted. Choose another.",
      conflict: "This animal is not available for adoption. Choose another.",
    },
  },
  "adopter.name": {
    missing: "Enter the adopter's name.",
    otherwise: "Enter a name without line breaks or tabs.",
  },
  "adopter.email": { missing: "Enter an e-mail address.", otherwise: "Enter a valid e-mail address." },
  note: { missing: "Enter a note, or leave it empty.", otherwise: "Remove the invisible characters." },
};
