import type { Caller } from "../../http/authorization.ts";
import { type Endpoints, endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath } from "../../http/schemas.ts";
import { holds } from "../../http/scopes.ts";
import {
  NewOrder,
  Order,
  OrderCountQuery,
  OrderQuery,
  OrderReturn,
  OrderStatistics,
  Orders,
  fromCounts,
  fromOrder,
  withoutAdopter,
} from "./model.ts";
import type { OrderStatus, OrderStep, Order as StoredOrder } from "./order.ts";
import type { OrderService } from "./service.ts";

interface OrderRooms {
  orders: OrderService;
  /** Records each response with adopters. */
  adopterReads: { record(reader: Caller, rows: number): void };
}

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

const orderId = IdInPath("Id of the order.");

/** The steps of an adoption, each an operation, with the status of the order after it. */
const STEPS: readonly {
  step: OrderStep;
  summary: string;
  description: string;
  status: OrderStatus;
  body?: typeof OrderReturn;
  bodyExample?: object;
}[] = [
  {
    step: "approve",
    summary: "Approve an adoption",
    description: "Approves an adoption that is `placed`. The animal stays `pending`.",
    status: "approved",
  },
  {
    step: "complete",
    summary: "Complete an adoption",
    description:
      "Completes an adoption that is `approved`. The animal becomes `sold` in the same atomic step.",
    status: "completed",
  },
  {
    step: "cancel",
    summary: "Cancel an adoption",
    description:
      "Cancels an adoption that is `placed` or `approved`. A `pending` animal becomes `available` in the same atomic step.",
    status: "cancelled",
  },
  {
    step: "return",
    summary: "Return an animal",
    description:
      "Ends an adoption that is `completed`, because the animal came back. A `sold` animal becomes `available` or `pending` in the same atomic step, unless a later adoption of it was completed. After the adopter's data was erased, the reason is not stored.",
    status: "returned",
    body: OrderReturn,
    bodyExample: { reason: "The new flat allows no pets.", animal: "available" },
  },
];

const orderSteps = ({ add }: Endpoints, { orders, adopterReads }: OrderRooms) => {
  for (const { step, summary, description, status, ...body } of STEPS)
    add(`POST /v1/store/orders/:orderId/${step}`, {
      id: `${step}Order`,
      scope: "orders:write",
      summary,
      description: `${description} The response contains \`adopter\`, \`note\` and \`returnReason\` only if the key has the scope \`orders:read\`.`,
      idempotent: true,
      params: { orderId },
      ...body,
      returns: [Order, "The adoption after this step.", { ...UNNAMED, status }],
      faults: ["order_status_conflict"],
      run: ({ params, body, caller, once }) =>
        once(
          {
            status: 200,
            body(order: StoredOrder) {
              if (!holds(caller, "orders:read")) return fromOrder(withoutAdopter(order));
              adopterReads.record(caller, order.adopter === undefined ? 0 : 1);
              return fromOrder(order);
            },
          },
          (keep) => orders.step(params.orderId, { step, ...body }, caller, keep),
        ),
    });
};

/** Adoptions, under `/v1/store`. */
export const orderEndpoints = ({ macros, ...rooms }: OrderRooms & { macros: Macros }) => {
  const { orders, adopterReads } = rooms;
  const recordRead = (caller: Caller, { method }: Request, read: readonly StoredOrder[]): void => {
    // A response to HEAD has no body.
    if (method === "GET")
      adopterReads.record(caller, read.filter(({ adopter }) => adopter !== undefined).length);
  };
  const room = endpoints({ macros, tag: "store", scope: "orders:read" });
  const { add, list } = room;
  list("GET /v1/store/orders", {
    id: "listOrders",
    summary: "List adoptions",
    description:
      "Returns a page of adoptions: the oldest first, or with `sort=-id` the newest first. If more follow, the `Link` header has the address of the next page. Use that address unchanged.",
    query: OrderQuery,
    returns: [Orders, "The adoptions.", [PLACED]],
    run: async ({ query, request, caller }) => {
      const { items, next } = await orders.list(query);
      recordRead(caller, request, items);
      return { items: items.map(fromOrder), next };
    },
  });
  add("GET /v1/store/statistics", {
    id: "getOrderStatistics",
    summary: "Count the adoptions",
    description:
      "Counts adoptions by status: all of them, or those that match `q` and `petId`. The counts include every write that was acknowledged before the request.",
    query: OrderCountQuery,
    returns: [
      OrderStatistics,
      "The counts.",
      { total: 450, byStatus: { placed: 12, approved: 5, completed: 400, cancelled: 30, returned: 3 } },
    ],
    run: async ({ query }) => fromCounts(await orders.count(query)),
  });
  add("POST /v1/store/orders", {
    id: "placeOrder",
    scope: "orders:write",
    summary: "Start an adoption",
    description:
      "Places an order for an animal. The animal must be `available`, and becomes `pending` in the same atomic step. If several clients order one animal at the same time, one succeeds. Both changes are on disk before the response is sent.",
    idempotent: true,
    body: NewOrder,
    bodyExample: { petId: PLACED.petId, adopter: PLACED.adopter, note: PLACED.note },
    status: 201,
    returns: [Order, "The new adoption.", PLACED],
    response: { headers: ["Location"] },
    faults: ["not_found", "pet_not_available"],
    run: ({ body, caller, once }) =>
      once(
        { status: 201, body: fromOrder, headers: ({ id }) => ({ location: `/v1/store/orders/${id}` }) },
        (keep) => orders.place(body, caller, keep),
      ),
  });
  add("GET /v1/store/orders/:orderId", {
    id: "getOrder",
    summary: "Fetch one adoption",
    description: "Returns one adoption with its adopter, unless the adopter's data was erased.",
    params: { orderId },
    returns: [Order, "The requested adoption.", PLACED],
    run: async ({ params, request, caller }) => {
      const order = await orders.get(params.orderId);
      recordRead(caller, request, [order]);
      return fromOrder(order);
    },
  });
  orderSteps(room, rooms);
  return room.app;
};
