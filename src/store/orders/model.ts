import { type Static, t } from "elysia";
import {
  Count,
  Cursor,
  Email,
  Id,
  IdInBody,
  Limit,
  MultilineText,
  OneOf,
  SearchText,
  Text,
  Time,
  checked,
  parseId,
  parsed,
  storedText,
  withDefault,
} from "../../http/schemas.ts";
import { formatTime } from "../../lib/time.ts";
import { type Order as StoredOrder, ORDER_SORTS, ORDER_STATUSES, RETURNED_TO } from "./order.ts";
import type { OrderCounts } from "./repository.ts";

export const MAX_NOTE_LENGTH = 2000;

const Note = MultilineText("OrderNote", {
  max: MAX_NOTE_LENGTH,
  description: "A note about this adoption.",
  examples: ["Has a garden, and a cat of 12."],
});

const ReturnReason = Text("ReturnReason", {
  max: 1000,
  description: "Why the animal came back.",
  examples: ["The new flat allows no pets."],
});

const adopter = {
  name: Text("AdopterName", { max: 200, description: "The adopter's name.", examples: ["Ada Byron"] }),
  email: Email({ description: "The adopter's email address.", examples: ["ada@example.org"] }),
};

const NewAdopter = t.Object(adopter, {
  $id: "NewAdopter",
  additionalProperties: false,
  description: "The person who wants to adopt the animal.",
});

const Adopter = t.Object(
  { name: storedText(adopter.name), email: storedText(adopter.email) },
  { $id: "Adopter", description: "The person who adopts the animal." },
);

const OrderStatus = OneOf("OrderStatus", ORDER_STATUSES, {
  $id: "OrderStatus",
  description: "The progress of the adoption.",
  examples: ["placed"],
});

export const NewOrder = t.Object(
  { petId: IdInBody("Id of the animal to adopt."), adopter: NewAdopter, note: t.Optional(Note) },
  { $id: "NewOrder", additionalProperties: false, description: "An adoption to start." },
);

export const OrderReturn = t.Object(
  {
    reason: ReturnReason,
    animal: withDefault(
      OneOf("ReturnedTo", RETURNED_TO, {
        description: "The animal's new status: `pending` until it can be adopted again, or `available`.",
        default: "available",
        examples: ["pending"],
      }),
    ),
  },
  { $id: "OrderReturn", additionalProperties: false, description: "The return of an adopted animal." },
);

export const Order = t.Object(
  {
    id: Id("Unique identifier, assigned by the service.", 1),
    petId: Id("Id of the animal. After the order is closed, the animal can be deleted."),
    adopter: t.Optional(Adopter),
    note: t.Optional(storedText(Note)),
    returnReason: t.Optional(storedText(ReturnReason)),
    status: OrderStatus,
    createdAt: Time("When the order was placed.", "2026-11-20T09:30:00.000Z"),
    updatedAt: Time("When the status last changed.", "2026-11-20T09:30:00.000Z"),
  },
  {
    $id: "Order",
    description:
      "An adoption. Only keys with the scope `orders:read` see `adopter`, `note` and `returnReason`. All three are absent after the adopter's data was erased.",
  },
);

export const Orders = t.Array(Order, {
  $id: "Orders",
  maxItems: 100,
  description: "Adoptions, in the order that `sort` asked for.",
});

const PetIdFilter = parsed(
  checked(
    "PetIdFilter",
    {
      type: "integer",
      format: "int64",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Filter by animal.",
      examples: [7],
    },
    "must be the id of an animal, in plain digits",
    (value) => parseId(String(value)) !== 0,
  ),
  parseId,
);

const Search = SearchText({
  description:
    "Search for a person or an animal: up to eight words. Each must be the beginning of a word in the adopter's name, in their email address or in the animal's name. A number also finds the adoption with this id. Case and accents make no difference, and everything but letters and digits is ignored: without any, the search finds all adoptions.",
  examples: ["lovelace"],
});

const Sort = OneOf("OrderSort", ORDER_SORTS, {
  description: "The order of the list: `id` for the oldest first, `-id` for the newest first.",
  default: "id",
  examples: ["-id"],
});

export const OrderQuery = t.Object(
  {
    limit: Limit,
    status: t.Optional({ ...OrderStatus, description: "Filter by status." }),
    petId: t.Optional(PetIdFilter),
    q: t.Optional(Search),
    sort: withDefault(Sort),
    cursor: t.Optional(Cursor),
  },
  { additionalProperties: false },
);

export const OrderCountQuery = t.Object(
  { petId: t.Optional(PetIdFilter), q: t.Optional(Search) },
  { additionalProperties: false },
);

const OrderStatusCounts = t.Object(
  {
    placed: Count("Number of adoptions that wait for approval.", 12),
    approved: Count("Number of adoptions that were approved and not completed.", 5),
    completed: Count("Number of completed adoptions.", 400),
    cancelled: Count("Number of cancelled adoptions.", 30),
    returned: Count("Number of completed adoptions whose animal came back.", 3),
  },
  { $id: "OrderStatusCounts", description: "The number of adoptions by status." },
);

export const OrderStatistics = t.Object(
  { total: Count("Number of adoptions.", 450), byStatus: OrderStatusCounts },
  { $id: "OrderStatistics", description: "The number of adoptions." },
);

/** The JSON form of an order. */
export const fromOrder = ({ createdAt, updatedAt, ...order }: StoredOrder): Static<typeof Order> => ({
  ...order,
  createdAt: formatTime(createdAt),
  updatedAt: formatTime(updatedAt),
});

export const fromCounts = (byStatus: OrderCounts): Static<typeof OrderStatistics> => ({
  total: Object.values(byStatus).reduce((total, count) => total + count, 0),
  byStatus,
});

/** The order for keys that may not read personal data. */
export const withoutAdopter = ({ adopter: _who, note: _note, returnReason: _why, ...order }: StoredOrder) =>
  order;
