import { operation } from "../http/operation.ts";

const TAGS = ["store"];
const PLACED = {
  id: 1,
  petId: 7,
  adopter: { name: "Ada Byron", email: "ada@example.org" },
  note: "Has a garden, and a cat of 12.",
  status: "placed",
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};
const LATER = { ...PLACED, updatedAt: "2026-11-21T10:00:00.000Z" };
const { adopter: _adopter, note: _note, ...UNNAMED } = LATER;

export const listOrders = operation({
  operationId: "listOrders",
  summary: "List adoptions",
  description: "Ascending by id. While more follow, the `Link` header names the next page.",
  tags: TAGS,
  responses: { 200: { description: "The adoptions.", headers: ["Link", "Next-Cursor"], example: [PLACED] } },
});

export const placeOrder = operation({
  operationId: "placeOrder",
  summary: "Begin an adoption",
  description:
    "The animal must be `available` and becomes `pending` in the same atomic step: of all who ask at once, one gets it. When the answer comes, both are on disk.",
  tags: TAGS,
  bodyExample: { petId: PLACED.petId, adopter: PLACED.adopter, note: PLACED.note },
  responses: { 201: { description: "The adoption has begun.", headers: ["Location"], example: PLACED } },
  faults: ["not_found", "pet_not_available"],
});

export const getOrder = operation({
  operationId: "getOrder",
  summary: "Fetch one adoption",
  description: "With its adopter, unless that was forgotten.",
  tags: TAGS,
  responses: { 200: { description: "The requested adoption.", example: PLACED } },
});

const step = (operationId: string, summary: string, description: string, status: string) =>
  operation({
    operationId,
    summary,
    description: `${description} The answer has adopter and note if the key may read orders.`,
    tags: TAGS,
    responses: { 200: { description: "The adoption as it is now.", example: { ...UNNAMED, status } } },
    faults: ["order_status_conflict"],
  });

export const approveOrder = step(
  "approveOrder",
  "Approve an adoption",
  "One that is `placed`; the animal stays `pending`.",
  "approved",
);

export const completeOrder = step(
  "completeOrder",
  "Complete an adoption",
  "One that is `approved`; the animal becomes `sold` in the same atomic step.",
  "completed",
);

export const cancelOrder = step(
  "cancelOrder",
  "Cancel an adoption",
  "One that is `placed` or `approved`; an animal that is `pending` becomes `available` in the same atomic step.",
  "cancelled",
);
