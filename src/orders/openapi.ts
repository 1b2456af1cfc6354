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
    "Returns a page of adoptions: the oldest first, or with `sort=-id` the newest first. If more follow, the `Link` header has the address of the next page. Use that address unchanged.",
  tags: TAGS,
  responses: { 200: { description: "The adoptions.", headers: ["Link", "Next-Cursor"], example: [PLACED] } },
});

export const countOrders = operation({
  operationId: "getOrderStatistics",
  summary: "Count the adoptions",
  description:
    "Counts adoptions by status: all of them, or those that match `q` and `petId`. The counts include every write that was acknowledged before the request.",
  tags: TAGS,
  responses: {
    200: {
      description: "The counts.",
      example: { total: 447, byStatus: { placed: 12, approved: 5, completed: 400, cancelled: 30 } },
    },
  },
});

export const placeOrder = operation({
  operationId: "placeOrder",
  summary: "Start an adoption",
  description:
    "Places an order for an animal. The animal must be `available`, and becomes `pending` in the same atomic step. If several clients order one animal at the same time, one succeeds. Both changes are on disk before the response is sent.",
  tags: TAGS,
  bodyExample: { petId: PLACED.petId, adopter: PLACED.adopter, note: PLACED.note },
  responses: { 201: { description: "The new adoption.", headers: ["Location"], example: PLACED } },
  faults: ["not_found", "pet_not_available"],
});

export const getOrder = operation({
  operationId: "getOrder",
  summary: "Fetch one adoption",
  description: "Returns one adoption with its adopter, unless the adopter's data was erased.",
  tags: TAGS,
  responses: { 200: { description: "The requested adoption.", example: PLACED } },
});

const step = (operationId: string, summary: string, description: string, status: string) =>
  operation({
    operationId,
    summary,
    description: `${description} The response contains \`adopter\` and \`note\` only if the key has the scope \`orders:read\`.`,
    tags: TAGS,
    responses: { 200: { description: "The adoption after this step.", example: { ...UNNAMED, status } } },
    faults: ["order_status_conflict"],
  });

export const approveOrder = step(
  "approveOrder",
  "Approve an adoption",
  "Approves an adoption that is `placed`. The animal stays `pending`.",
  "approved",
);

export const completeOrder = step(
  "completeOrder",
  "Complete an adoption",
  "Completes an adoption that is `approved`. The animal becomes `sold` in the same atomic step.",
  "completed",
);

export const cancelOrder = step(
  "cancelOrder",
  "Cancel an adoption",
  "Cancels an adoption that is `placed` or `approved`. A `pending` animal becomes `available` in the same atomic step.",
  "cancelled",
);
