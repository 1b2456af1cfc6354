import { ACTIONS } from "../../../data/db/actions.ts";
import { SCOPES } from "../../../http/scopes.ts";
import { ORDER_STEPS, type OrderStep, TRANSITIONS } from "../../../store/orders/order.ts";
import { ROLES } from "../../../access/people/person.ts";
import type { PetEvent } from "../../../store/pets/events/repository.ts";
import { capitalised, code, codes, table, meanings } from "./markdown.ts";

export const scopesTable = (): string =>
  table(
    ["scope", "a key with it may"],
    [
      ...Object.entries(SCOPES).map(([scope, meaning]) => [code(scope), capitalised(meaning)]),
      [code("*"), "Everything, including the permissions of scopes in later versions"],
    ],
  );

const GRANT_MEANINGS: Readonly<Record<string, string>> = { ...SCOPES, "*": "everything" };

export const rolesTable = (): string =>
  table(
    ["role", "may", "scopes"],
    Object.entries(ROLES).map(([role, grants]) => [
      code(role),
      grants.map((grant) => GRANT_MEANINGS[grant]).join("; "),
      codes(grants),
    ]),
  );

export const auditActionsTable = (): string => meanings(["action", "meaning"], ACTIONS);

const PET_EVENTS: Readonly<Record<PetEvent["kind"] | "reset", readonly [when: string, data: string]>> = {
  added: ["An animal was added.", "the animal after that"],
  changed: ["An animal was changed.", "the animal after that; `changed` names its profile or photos"],
  deleted: ["An animal was deleted.", "its `id`"],
  reset: ["Events are missing between your last one and the next. List the animals again.", "a `message`"],
};

export const petEventsTable = (): string =>
  table(
    ["event", "when", "data"],
    Object.entries(PET_EVENTS).map(([event, [when, data]]) => [code(event), when, data]),
  );

const orderRow = (step: OrderStep): string[] => {
  const { from, to, pet } = TRANSITIONS[step];
  return [code(step), codes(from), code(to), pet ? codes(pet.to) : "unchanged"];
};

export const orderStepsTable = (): string =>
  table(["step", "in the status", "leads to", "status of the animal"], ORDER_STEPS.map(orderRow));
