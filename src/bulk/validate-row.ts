import { jsonInteger } from "../lib/json.ts";
import { newPetChecker, toNewPet } from "../pets/model.ts";
import type { NewPet as Animal } from "../pets/pet.ts";
import type { Field } from "./columns.ts";

/** What a row says of each field; undefined where it says nothing. */
export type FieldValues = Partial<Record<Field, unknown>>;

/** The animal of a row, or why it is none. */
export type ValidationResult = Animal | string;

const PLAIN_INTEGER = /^[+-]?[0-9]{1,40}$/;

/** The integer that a cell shows. What a spreadsheet has rounded (`9.2E+18`) is none: it stays text, which is refused. */
const parseInteger = (cell: string): unknown => {
  const text = cell.trim();
  if (text.length <= 15 && PLAIN_INTEGER.test(text)) return Number(text);
  return PLAIN_INTEGER.test(text) ? jsonInteger(BigInt(text)) : text === "" ? undefined : text;
};

/** What the cells of a row say: empty ones nothing, a status in any case. */
export const valuesOfCells = (name: string, categoryId: string, status: string): FieldValues => ({
  name,
  categoryId: parseInteger(categoryId),
  status: status.trim().toLowerCase() || undefined,
});

/** Holds a row against the rules of `POST /v1/pets`. */
export const validateFields = ({ name, categoryId, status }: FieldValues): ValidationResult => {
  const body: Record<string, unknown> = {};
  if (name !== undefined) body["name"] = name;
  if (categoryId !== undefined) body["categoryId"] = categoryId;
  if (status !== undefined && status !== null && status !== "") body["status"] = status;
  return newPetChecker.accepts(body) ? toNewPet(body) : newPetChecker.explain(body);
};
