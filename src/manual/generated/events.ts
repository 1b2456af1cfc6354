import { EVENTS, type EventName } from "../../domains/domain.ts";
import type { PetEvent } from "../../pets/events/repository.ts";
import { ORDER_STEPS, type OrderStep, TRANSITIONS } from "../../orders/order.ts";
import { code, codes, table } from "./markdown.ts";

const PET_EVENTS: Readonly<Record<PetEvent["kind"] | "reset", readonly [when: string, data: string]>> = {
  added: ["An animal was added.", "the animal"],
  changed: ["An animal was changed.", "the animal"],
  deleted: ["An animal was deleted.", "its `id`"],
  reset: ["Events are missing between your last one and the next. List the animals again.", "a `message`"],
};

/** The events of `GET /v1/pets/events`. */
export const petEventsTable = (): string =>
  table(
    ["event", "when", "data"],
    Object.entries(PET_EVENTS).map(([event, [when, data]]) => [code(event), when, data]),
  );

const DOMAIN_EVENTS: Readonly<Record<EventName, string>> = {
  added: "The domain was added.",
  records_right: "A check found the records right.",
  ownership_proven:
    "A check found that the DNS names this project, although the records still point to the old host.",
  records_wrong: "A check found a conflicting record or a wrong value.",
  records_missing: "A check found no record, or the right one not everywhere yet.",
  lapsed: "A live domain failed its checks for too long. It is no longer served.",
  served_over_http: "Without HTTPS, a verified domain went live over HTTP.",
  order_placed: "The service ordered a certificate.",
  certificate_stored: "The certificate was issued or imported.",
  issue_refused: "The CA refused the certificate.",
  plan_dropped: "The project's plan fell below Pro.",
  plan_restored: "The project's plan allows custom domains again.",
  yielded: "Another project proved that the name is its own, and holds it now.",
  removed: "The domain was removed.",
  unreachable: "The name servers did not respond, which says nothing about the domain.",
  domain_taken: "The records were right, but another project that the DNS also names holds the domain.",
  became_primary: "It became the primary domain of its project.",
  became_served: "It began to show the site.",
  became_redirect: "It began to redirect to the primary domain.",
};

/** The events in the history of a domain. */
export const domainEventsTable = (): string =>
  table(
    ["event", "what happened"],
    EVENTS.map((event) => [code(event), DOMAIN_EVENTS[event]]),
  );

const orderRow = (step: OrderStep): string[] => {
  const { from, to, pet } = TRANSITIONS[step];
  return [code(step), codes(from), code(to), pet ? code(pet.to) : "unchanged"];
};

/** The steps of an order. */
export const orderStepsTable = (): string =>
  table(["step", "in the status", "leads to", "status of the animal"], ORDER_STEPS.map(orderRow));
