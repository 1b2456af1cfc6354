import { Elysia, status } from "elysia";
import { nextLink } from "../http/headers.ts";
import { NoQuery, parseId } from "../http/schemas.ts";
import type { Shared } from "../http/shared.ts";
import { holds } from "../keys/guard.ts";
import {
  NewOrder,
  Order,
  OrderParams,
  OrderQuery,
  OrderStatus,
  Orders,
  fromOrder,
  withoutAdopter,
} from "./model.ts";
import { approveOrder, cancelOrder, completeOrder, getOrder, listOrders, placeOrder } from "./openapi.ts";
import type { OrderService } from "./service.ts";
import type { OrderStep } from "./stage.ts";

/** Adoptions, under `/v1/store/orders`. */
export const orderRoutes = ({ orders, shared }: { orders: OrderService; shared: Shared }) => {
  type Key = Parameters<typeof holds>[0];
  const take = async (orderId: string, step: OrderStep, key: Key) => {
    const order = await orders.step(parseId(orderId), step);
    return fromOrder(holds(key, "orders:read") ? order : withoutAdopter(order));
  };
  const stepping = {
    stability: "beta",
    scope: "orders:write",
    query: NoQuery,
    params: OrderParams,
    response: { 200: Order },
  } as const;

  return new Elysia({ name: "orders", normalize: false })
    .use(shared)
    .model({ NewOrder, Order, Orders, OrderStatus })
    .get(
      "/v1/store/orders",
      async ({ query: { status, cursor, ...query }, set }) => {
        const limit = Number(query.limit);
        const petId = query.petId === undefined ? undefined : parseId(String(query.petId));
        const { items, next } = await orders.list({ limit, status, petId, cursor });
        if (next) set.headers["link"] = nextLink("/v1/store/orders", { limit, status, petId }, next);
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
    .post(
      "/v1/store/orders",
      async ({ body, set }) => {
        const order = await orders.place(body);
        set.headers["location"] = `/v1/store/orders/${order.id}`;
        return status(201, fromOrder(order));
      },
      {
        stability: "beta",
        scope: "orders:write",
        reads: "json",
        query: NoQuery,
        body: NewOrder,
        response: { 201: Order },
        detail: placeOrder,
      },
    )
    .get(
      "/v1/store/orders/:orderId",
      async ({ params }) => fromOrder(await orders.get(parseId(params.orderId))),
      {
        stability: "beta",
        scope: "orders:read",
        query: NoQuery,
        params: OrderParams,
        response: { 200: Order },
        detail: getOrder,
      },
    )
    .post("/v1/store/orders/:orderId/approve", ({ params, key }) => take(params.orderId, "approve", key), {
      ...stepping,
      detail: approveOrder,
    })
    .post("/v1/store/orders/:orderId/complete", ({ params, key }) => take(params.orderId, "complete", key), {
      ...stepping,
      detail: completeOrder,
    })
    .post("/v1/store/orders/:orderId/cancel", ({ params, key }) => take(params.orderId, "cancel", key), {
      ...stepping,
      detail: cancelOrder,
    });
};
