import type { CustomField } from "../animals/profile.ts";

type Kind = CustomField["kind"];

export const KINDS = [
  ["text", "Text"],
  ["number", "Number"],
  ["boolean", "Yes or no"],
  ["date", "Date"],
  ["choice", "Choice"],
] as const satisfies readonly (readonly [Kind, string])[];

export interface FieldDraft {
  label: string;
  /** "": made from the label. */
  name: string;
  kind: Kind;
  /** Each on a line. */
  choices: string;
  isPublic: boolean;
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

export const fieldDraftOf = ({
  label,
  name,
  kind,
  choices = [],
  public: isPublic,
}: CustomField): FieldDraft => ({
  label,
  name,
  kind,
  choices: choices.join("\n"),
  isPublic,
});

/** The members of a field that a form has. */
export const fieldOf = ({ label, name, kind, choices, isPublic }: FieldDraft) => ({
  label,
  name: name || nameOf(label),
  public: isPublic,
  ...(kind === "choice" && {
    choices: choices
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean),
  }),
});
