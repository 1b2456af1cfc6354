import { expect, test } from "bun:test";
import { fieldDraftOf, fieldOf, nameOf } from "../../../src/pages/console/ui/categories/field.ts";

test.each([
  ["Coat", "coat"],
  ["Last visit of the vet", "lastVisitOfTheVet"],
  ["Préféré: jouet", "prefereJouet"],
  ["2nd home", "ndHome"],
  ["Окрас", ""],
  ["a".repeat(50), "a".repeat(40)],
])("the label %j suggests the name %j", (label, name) => {
  expect(nameOf(label)).toBe(name);
});

const COAT = {
  id: 3,
  name: "fur",
  label: "Coat",
  kind: "choice",
  choices: ["long", "short"],
  public: true,
  position: 2,
} as const;

test("a form sends back what it was given", () => {
  expect(fieldOf(fieldDraftOf({ ...COAT, choices: [...COAT.choices] }))).toEqual({
    name: "fur",
    label: "Coat",
    choices: ["long", "short"],
    public: true,
  });
});

test("a form leaves out blank choices, and the choices of another kind", () => {
  const draft = {
    label: "Coat",
    name: "",
    kind: "choice",
    choices: " long \n\nshort\n",
    public: false,
  } as const;
  expect(fieldOf(draft)).toEqual({ name: "coat", label: "Coat", choices: ["long", "short"], public: false });
  expect(fieldOf({ ...draft, kind: "text" })).toEqual({ name: "coat", label: "Coat", public: false });
});
