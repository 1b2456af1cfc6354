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
  description:
    "In ascending order of id. While more pages follow, the `Link` header gives the address of the next one.",
  tags: TAGS,
  responses: { 200: { description: "The adoptions.", headers: ["Link", "Next-Cursor"], example: [PLACED] } },
});

export const placeOrder = operation({
  operationId: "placeOrder",
  summary: "Start an adoption",
  description:
    "The animal must be `available` and becomes `pending` in the same atomic step: of concurrent orders for one animal, one succeeds. Both are on disk before the response is sent.",
  tags: TAGS,
  bodyExample: { petId: PLACED.petId, adopter: PLACED.adopter, note: PLACED.note },
  responses: { 201: { description: "The new adoption.", headers: ["Location"], example: PLACED } },
  faults: ["not_found", "pet_not_available"],
});

export const getOrder = operation({
  operationId: "getOrder",
  summary: "Fetch one adoption",
  description: "With its adopter, unless the adopter's data has been erased.",
  tags: TAGS,
  responses: { 200: { description: "The requested adoption.", example: PLACED } },
});

const step = (operationId: string, summary: string, description: string, status: string) =>
  operation({
    operationId,
    summary,
    description: `${description} The response contains adopter and note if the key has the scope \`orders:read\`.`,
    tags: TAGS,
    responses: { 200: { description: "The adoption after this step.", example: { ...UNNAMED, status } } },
    faults: ["order_status_conflict"],
  });

export const approveOrder = step(
  "approveOrder",
  "Approve an adoption",
  "The adoption must be `placed`. The animal stays `pending`.",
  "approved",
);

export const completeOrder = step(
  "completeOrder",
  "Complete an adoption",
  "The adoption must be `approved`. The animal becomes `sold` in the same atomic step.",
  "completed",
);

export const cancelOrder = step(
  "cancelOrder",
  "Cancel an adoption",
  "The adoption must be `placed` or `approved`. An animal that is `pending` becomes `available` in the same atomic step.",
  "cancelled",
);
