import { expect, test } from "bun:test";
import { openStore } from "../../support/store.ts";
import {
  explainStatus,
  nextStatus,
  ORDER_STATUSES,
  ORDER_STEPS,
  type OrderStatus,
  type OrderStep,
  TRANSITIONS,
} from "../../../src/store/orders/order.ts";

/** The table, written down again: every pair that is not here does not happen. */
const EXPECTED: [OrderStatus, OrderStep, OrderStatus][] = [
  ["placed", "approve", "approved"],
  ["placed", "cancel", "cancelled"],
  ["approved", "complete", "completed"],
  ["approved", "cancel", "cancelled"],
  ["completed", "return", "returned"],
];

const pairs = ORDER_STATUSES.flatMap((status) => ORDER_STEPS.map((step) => [status, step] as const));

test.each(pairs)(
  "the next status of an order that is %s, after the step %s, is that of the table",
  (status, step) => {
    const row = EXPECTED.find(([from, by]) => from === status && by === step);
    expect(nextStatus(status, step)).toBe(row?.[2]);
  },
);

test.each(ORDER_STEPS)("%s leads from and to the statuses that the specification names", (step) => {
  const rows = EXPECTED.filter(([, by]) => by === step);
  const { from, to } = TRANSITIONS[step];
  expect({ from, to: String(to) }).toEqual({
    from: rows.map(([from]) => from),
    to: rows[0]?.[2] as OrderStatus,
  });
  expect(new Set(rows.map(([, , to]) => to)).size).toBe(1);
});

test.each(ORDER_STATUSES)(
  "an animal has several orders that are %s only if none of them holds it",
  async (status) => {
    const { database } = await openStore();
    const add = () =>
      database.client.run("INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (1, ?, 1, 1)", [
        status,
      ]);
    add();
    const isOpen = nextStatus(status, "cancel") !== undefined;
    if (isOpen) expect(add).toThrow("UNIQUE");
    else add();
  },
);

test("the refusal of a step names the steps that are possible", () => {
  expect(ORDER_STATUSES.map(explainStatus)).toEqual([
    "The order is placed: it can be approved or cancelled.",
    "The order is approved: it can be completed or cancelled.",
    "The order is completed: it can be returned.",
    "The order is cancelled: this is final.",
    "The order is returned: this is final.",
  ]);
});

test("each step but approving changes the animal, and only the return has a choice", () => {
  expect(ORDER_STEPS.map((step) => TRANSITIONS[step].pet)).toEqual([
    undefined,
    { to: ["sold"] },
    { from: "pending", to: ["available"] },
    { from: "sold", to: ["available", "pending"] },
  ]);
});
