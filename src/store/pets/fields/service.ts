import type { Context } from "../../../data/context.ts";
import type { Actor } from "../../../lib/actor.ts";
import { Fault, fieldFault } from "../../../lib/errors.ts";
import { type Field, type FieldChange, MAX_FIELDS, MAX_POSITION, type NewField } from "./field.ts";
import { fieldRepository, type FieldState, type StoreResponse } from "./repository.ts";
import type { ValueHolders } from "./value-queries.ts";

/** Throws unless a request expects this field. */
type Precondition = (before: Field) => void;

/** @throws Fault not_found */
const findIn = (fields: readonly Field[], id: number): Field => {
  const field = fields.find((one) => one.id === id);
  if (!field) throw new Fault("not_found", "There is no custom field with this id.");
  return field;
};

/** @throws Fault field_name_taken, invalid_request */
const assertValid = ({ id, name, kind, choices }: NewField & { id?: number }, fields: readonly Field[]) => {
  if (fields.some((one) => one.name === name && one.id !== id))
    throw fieldFault("field_name_taken", { field: "name", rule: "taken" });
  if ((kind === "choice") !== (choices !== undefined))
    throw fieldFault(
      "invalid_request",
      { field: "choices", rule: choices ? "conflict" : "required" },
      "choices: a field of the kind choice must have them, and no other field can",
    );
};

const losesChoices = (before: Field, { choices = [] }: Field): boolean =>
  before.choices?.some((choice) => !choices.includes(choice)) ?? false;

/** @throws Fault choice_in_use */
const assertNotLost = (
  { before, after }: { before: Field; after: Field },
  { countValues }: FieldState,
  holders: ValueHolders | undefined,
): void => {
  const count = losesChoices(before, after) ? countValues(after.id, after.choices, holders) : 0;
  if (count > 0)
    throw fieldFault(
      "choice_in_use",
      { field: "choices", rule: "conflict" },
      count === 1
        ? "1 animal uses a choice that is missing from the new list: change its value first."
        : `${count} animals use choices that are missing from the new list: change their values first.`,
    );
};

/** @throws Fault confirmation_required */
const assertConfirmed = (id: number, confirmed: number | undefined, count: number): void => {
  if (confirmed === count) return;
  throw fieldFault(
    "confirmation_required",
    { field: "confirm", rule: confirmed === undefined ? "required" : "conflict", min: count, max: count },
    `${count === 1 ? "1 animal has" : `${count} animals have`} a value of this field. To delete it with its values, send DELETE /v1/fields/${id}?confirm=${count}`,
  );
};

const nextPosition = (fields: readonly Field[]): number =>
  Math.min(Math.max(0, ...fields.map(({ position }) => position)) + 1, MAX_POSITION);

/** The custom fields of profiles. */
export const openFields = ({ database, clock }: Context) => {
  const repository = fieldRepository(database);
  const actOf = (actor: Actor) => ({ actor, now: clock.now() });
  return {
    list: repository.list,
    sweepValues: repository.sweepValues,
    /**
     * @param keep stores the response in the same transaction
     * @throws Fault invalid_request, field_name_taken, field_limit_reached
     */
    add: (field: NewField, actor: Actor, keep?: StoreResponse<Field>): Promise<Field> => {
      const make = ({ fields }: FieldState) => {
        assertValid(field, fields);
        if (fields.length >= MAX_FIELDS) throw new Fault("field_limit_reached");
        return { position: nextPosition(fields), isPublic: false, ...field };
      };
      return repository.add(make, actOf(actor), keep);
    },
    /**
     * @param expect called with the field before a valid change
     * @throws Fault not_found, invalid_request, field_name_taken; choice_in_use if it would remove one; those of `expect`
     */
    async change(id: number, change: FieldChange, actor: Actor, expect?: Precondition): Promise<Field> {
      const make = (fields: readonly Field[]) => {
        const before = findIn(fields, id);
        const after = { ...before, ...change };
        assertValid(after, fields);
        expect?.(before);
        return { before, after };
      };
      const { before, after } = make(repository.list());
      const mayLose = losesChoices(before, after);
      const holders = mayLose ? await repository.findHolders(id, after.choices) : undefined;
      return repository.change((state) => {
        const made = make(state.fields);
        assertNotLost(made, state, holders);
        return made;
      }, actOf(actor));
    },
    /**
     * Deletes the field and its values.
     * @param confirmed the number of animals that have a value
     * @throws Fault not_found; confirmation_required for another number; those of `expect`
     */
    async remove(id: number, confirmed: number | undefined, actor: Actor, expect?: Precondition) {
      expect?.(findIn(repository.list(), id));
      const holders = await repository.findHolders(id);
      const choose = ({ fields, countValues }: FieldState) => {
        const field = findIn(fields, id);
        expect?.(field);
        assertConfirmed(id, confirmed, countValues(id, [], holders));
        return field;
      };
      return repository.remove(choose, actOf(actor));
    },
  };
};

export type FieldService = ReturnType<typeof openFields>;
