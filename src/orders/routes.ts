import { Elysia } from "elysia";
import { nextPage } from "../http/headers.ts";
import { NoQuery, parseId } from "../http/schemas.ts";
import type { Caller } from "../http/authorization.ts";
import type { Once } from "../http/idempotency.ts";
import type { Macros } from "../http/macros.ts";
import { holds } from "../lib/scopes.ts";
import {
  NewOrder,
  Order,
  OrderCountQuery,
  OrderParams,
  OrderQuery,
  OrderStatistics,
  Orders,
  fromCounts,
  fromOrder,
  toCountOrders,
  toListOrders,
  withoutAdopter,
} from "./model.ts";
import {
  approveOrder,
  cancelOrder,
  completeOrder,
  countOrders,
  getOrder,
  listOrders,
  placeOrder,
} from "./openapi.ts";
import type { Order as StoredOrder, OrderStep } from "./order.ts";
import type { OrderService } from "./service.ts";

interface OrderRouteOptions {
  orders: OrderService;
  /** Learns of each response with adopters. */
  adopterReads: { record(reader: Caller, rows: number): void };
  macros: Macros;
}

/** The steps of an adoption. */
const orderStepRoutes = ({ orders, adopterReads, macros }: OrderRouteOptions) => {
  const takeStep = (orderId: string, step: OrderStep, caller: Caller, once: Once) =>
    once(
      {
        status: 200,
        body(order: StoredOrder) {
          if (!holds(caller, "orders:read")) return fromOrder(withoutAdopter(order));
          adopterReads.record(caller, order.adopter === undefined ? 0 : 1);
          return fromOrder(order);
        },
      },
      (keep) => orders.step(parseId(orderId), step, caller, keep),
    );
  const stepOptions = {
    stability: "beta",
    scope: "orders:write",
    idempotent: true,
    query: NoQuery,
    params: OrderParams,
    response: { 200: Order },
  } as const;

  return new Elysia({ name: "order-steps", normalize: false })
    .use(macros)
    .post(
      "/v1/store/orders/:orderId/approve",
      ({ params, caller, once }) => takeStep(params.orderId, "approve", caller, once),
      {
        ...stepOptions,
        detail: approveOrder,
      },
    )
    .post(
      "/v1/store/orders/:orderId/complete",
      ({ params, caller, once }) => takeStep(params.orderId, "complete", caller, once),
      {
        ...stepOptions,
        detail: completeOrder,
      },
    )
    .post(
      "/v1/store/orders/:orderId/cancel",
      ({ params, caller, once }) => takeStep(params.orderId, "cancel", caller, once),
      {
        ...stepOptions,
        detail: cancelOrder,
      },
    );
};

/** Adoptions, under `/v1/store`. */
export const orderRoutes = ({ orders, adopterReads, macros }: OrderRouteOptions) => {
  const recordRead = (caller: Caller, { method }: Request, read: readonly StoredOrder[]): void => {
    // A response to HEAD has no body.
    if (method === "GET")
      adopterReads.record(caller, read.filter(({ adopter }) => adopter !== undefined).length);
  };
  return new Elysia({ name: "orders", normalize: false })
    .use(macros)
    .get(
      "/v1/store/orders",
      async ({ query, set, request, caller }) => {
        const { cursor, sort, ...filters } = toListOrders(query);
        const { items, next } = await orders.list({ ...filters, sort, cursor });
        const parameters = { ...filters, sort: sort === "id" ? undefined : sort };
        Object.assign(set.headers, nextPage("/v1/store/orders", parameters, next));
        recordRead(caller, request, items);
        return items.map(fromOrder);
      },
      {
        stability: "beta",
        scope: "orders:read",
        query: OrderQuery,
        response: { 200: Orders },
        detail: listOrders,
      },
    )
    .get("/v1/store/statistics", async ({ query }) => fromCounts(await orders.count(toCountOrders(query))), {
      stability: "beta",
      scope: "orders:read",
      query: OrderCountQuery,
      response: { 200: OrderStatistics },
      detail: countOrders,
    })
    .post(
      "/v1/store/orders",
      ({ body, caller, once }) =>
        once(
          {
            status: 201,
            body: fromOrder,
            headers: ({ id }) => ({ location: `/v1/store/orders/${id}` }),
          },
          (keep) => orders.place(body, caller, keep),
        ),
      {
        stability: "beta",
        scope: "orders:write",
        reads: "json",
        idempotent: true,
        query: NoQuery,
        body: NewOrder,
        response: { 201: Order },
        detail: placeOrder,
      },
    )
    .get(
      "/v1/store/orders/:orderId",
      async ({ params, request, caller }) => {
        const order = await orders.get(parseId(params.orderId));
        recordRead(caller, request, [order]);
        return fromOrder(order);
      },
      {
        stability: "beta",
        scope: "orders:read",
        query: NoQuery,
        params: OrderParams,
        response: { 200: Order },
        detail: getOrder,
      },
    )
    .use(orderStepRoutes({ orders, adopterReads, macros }));
};
