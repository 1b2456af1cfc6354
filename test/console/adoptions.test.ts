import { describe, expect, test } from "bun:test";
import { adoptionsPath, filterOf } from "../../src/console/ui/adoptions/addresses.ts";
import {
  STATUS_AFTER,
  STEPS_FROM,
  type Order,
  STATUSES,
  STEPS,
  animalLabel,
  isFinalStep,
  withOrder,
  stepMessage,
  withAnimals,
} from "../../src/console/ui/adoptions/order.ts";
import { newIdempotencyKey } from "../../src/client/retry.ts";
import { readIdempotencyKey } from "../../src/http/idempotency.ts";
import { ORDER_STATUSES, ORDER_STEPS, nextStatus } from "../../src/orders/status.ts";

describe("the steps of an adoption", () => {
  test("and its statuses are the API's, in its order", () => {
    expect(STATUSES).toEqual(ORDER_STATUSES);
    expect(STEPS).toEqual(ORDER_STEPS);
  });

  test.each(STATUSES.flatMap((status) => STEPS.map((step) => [status, step] as const)))(
    "of one that is %s: %s is offered where the API allows it",
    (status, step) => {
      const next = nextStatus(status, step);
      expect(STEPS_FROM[status].includes(step) ? STATUS_AFTER[step] : undefined).toBe(
        next as (typeof STATUS_AFTER)["cancel"],
      );
    },
  );

  test("ask first if they cannot be undone", () => {
    expect(STEPS.filter(isFinalStep)).toEqual(["complete", "cancel"]);
    expect(isFinalStep(undefined)).toBe(false);
  });
});

describe("the address of adoptions", () => {
  test.each([
    [{}, "/console/adoptions", { status: "placed", animal: undefined }],
    [{ status: "all" }, "/console/adoptions?status=all", { status: undefined, animal: undefined }],
    [{ status: "approved" }, "/console/adoptions?status=approved", { status: "approved", animal: undefined }],
    [{ animal: "7" }, "/console/adoptions?animal=7", { status: undefined, animal: 7 }],
    [
      { animal: "7", status: "placed" },
      "/console/adoptions?status=placed&animal=7",
      { status: "placed", animal: 7 },
    ],
    [{ animal: "x", status: "x" }, "/console/adoptions", { status: "placed", animal: undefined }],
  ] as const)("with %j is %s", (query, path, filter) => {
    expect(filterOf(query)).toEqual(filter);
    expect(adoptionsPath(filter)).toBe(path);
  });

  test("names the action, and keeps the filter", () => {
    expect(adoptionsPath({ status: "approved", animal: 7 }, 12, "complete")).toBe(
      "/console/adoptions/12/complete?status=approved&animal=7",
    );
  });

  test("of one animal shows all of its adoptions", () => {
    expect(filterOf({ animal: "7" }).status).toBeUndefined();
    expect(adoptionsPath({ animal: 7 })).toBe("/console/adoptions?animal=7");
  });
});

const bella = { id: 7, name: "Bella", categoryId: 3, status: "pending" } as const;
const order: Order = { id: 1, petId: 7, status: "placed", createdAt: "", updatedAt: "" };

describe("the animal of an adoption", () => {
  test("is named by its name", () => {
    const [adoption] = withAnimals([order], [bella]);
    expect(adoption).toEqual({ ...order, animal: bella });
    expect(animalLabel(adoption!)).toBe("“Bella”");
  });

  test("that was deleted is named by its id", () => {
    const [adoption] = withAnimals([order], []);
    expect(adoption?.animal).toBeNull();
    expect(animalLabel(adoption!)).toBe("the animal 7");
  });

  test("that may not be read is named by its id", () => {
    const [adoption] = withAnimals([order], undefined);
    expect(adoption).toEqual(order);
    expect(animalLabel(adoption!)).toBe("the animal 7");
  });

  test("stays known after a step", () => {
    const approved = withOrder({ ...order, animal: bella }, { ...order, status: "approved" });
    expect(stepMessage(approved)).toBe("The adoption of “Bella” is now approved.");
  });

  test("stays known when the adopter was forgotten in the meantime", () => {
    const adopter = { name: "Ada", email: "ada@example.org" };
    expect(withOrder({ ...order, adopter, note: "x", animal: bella }, order)).toEqual({
      ...order,
      animal: bella,
    });
  });
});

test("each request has an idempotency key of its own, in the API's form", () => {
  const keys = Array.from({ length: 100 }, newIdempotencyKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) {
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(readIdempotencyKey(key)).toBe(key);
  }
});
