import type { CustomField } from "../animals/profile.ts";

export const KINDS = [
  ["text", "Text"],
  ["number", "Number"],
  ["boolean", "Yes or no"],
  ["date", "Date"],
  ["choice", "Choice"],
] as const satisfies readonly (readonly [CustomField["kind"], string])[];

/** A field in a form. Its name is "" if it is made from the label, and each choice has a line. */
export interface FieldDraft extends Pick<CustomField, "label" | "name" | "kind" | "public"> {
  choices: string;
}

/** A name in the API for a label: "Last visit" is `lastVisit`. "" if the label has no Latin letters. */
export const nameOf = (label: string): string => {
  const plain = label.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const camel = plain.replaceAll(/[^a-z0-9]+([a-z0-9]?)/g, (_, next: string) => next.toUpperCase());
  return camel
    .replace(/^[^a-zA-Z]+/, "")
    .replace(/^./, (first) => first.toLowerCase())
    .slice(0, 40);
};

const NEW = { label: "", name: "", kind: "text", public: false } as const;

export const fieldDraftOf = (field?: CustomField): FieldDraft => {
  const { label, name, kind, public: isPublic } = field ?? NEW;
  return { label, name, kind, public: isPublic, choices: field?.choices?.join("\n") ?? "" };
};

/** The members of a field that a form has. */
export const fieldOf = ({ label, name, kind, public: isPublic, choices }: FieldDraft) => ({
  label,
  name: name || nameOf(label),
  public: isPublic,
  ...(kind === "choice" && {
    choices: choices
      .trim()
      .split(/\s*\n\s*/)
      .filter(Boolean),
  }),
});
