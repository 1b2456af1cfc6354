import { describe, expect, test } from "bun:test";
import { isOnPage } from "../../../src/pages/console/ui/parts/address.ts";
import {
  type Order,
  STATUSES,
  STATUS_AFTER,
  STEPS,
  STEPS_FROM,
  adoptionPath,
  adoptionsPath,
  animalLabel,
  areSame,
  countOf,
  doneWords,
  isFinalStep,
  recounted,
  searchPath,
  viewOf,
  withAnimals,
  withOrder,
} from "../../../src/pages/console/ui/adoptions/order.ts";
import { newIdempotencyKey } from "../../../src/client/retry.ts";
import { readIdempotencyKey } from "../../../src/http/idempotency.ts";
import { ORDER_STATUSES, ORDER_STEPS, nextStatus } from "../../../src/store/orders/order.ts";

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
    expect(STEPS.filter(isFinalStep)).toEqual(["complete", "cancel", "return"]);
    expect(isFinalStep(undefined)).toBe(false);
  });
});

const ANY = { animal: undefined, q: undefined, sort: "-id" } as const;

describe("the address of adoptions", () => {
  test.each([
    [{}, "/console/adoptions", { ...ANY, status: "placed" }],
    [{ status: "all" }, "/console/adoptions?status=all", { ...ANY, status: undefined }],
    [{ status: "approved" }, "/console/adoptions?status=approved", { ...ANY, status: "approved" }],
    [{ sort: "id" }, "/console/adoptions?sort=id", { ...ANY, status: "placed", sort: "id" }],
    [{ animal: "7" }, "/console/adoptions?animal=7", { ...ANY, status: undefined, animal: 7 }],
    [{ q: "kowal" }, "/console/adoptions?q=kowal", { ...ANY, status: undefined, q: "kowal" }],
    [
      { animal: "7", status: "placed", q: "a b" },
      "/console/adoptions?status=placed&animal=7&q=a+b",
      { ...ANY, status: "placed", animal: 7, q: "a b" },
    ],
    [{ animal: "x", status: "x", q: " ", sort: "x" }, "/console/adoptions", { ...ANY, status: "placed" }],
  ] as const)("with %j is %s", (query, path, view) => {
    expect(viewOf(query)).toEqual(view);
    expect(adoptionsPath(view)).toBe(path);
  });

  test("names the action, and keeps the list", () => {
    expect(adoptionsPath({ status: "approved", animal: 7, q: "a" }, 12, "complete")).toBe(
      "/console/adoptions/12/complete?status=approved&animal=7&q=a",
    );
  });

  test("of one animal shows all of its adoptions", () => {
    expect(adoptionsPath({ animal: 7 })).toBe("/console/adoptions?animal=7");
  });

  test("of one adoption is its own, and says which page an action is above", () => {
    expect(adoptionPath(26)).toBe("/console/adoptions/26");
    expect(adoptionPath(26, "cancel")).toBe("/console/adoptions/26/cancel?on=page");
    expect([isOnPage({ on: "page" }), isOnPage({})]).toEqual([true, false]);
  });

  test.each([
    ["the default list finds every status", {}, "ada", "/console/adoptions?q=ada"],
    ["a chosen status keeps it", { status: "approved" }, "ada", "/console/adoptions?status=approved&q=ada"],
    ["clearing it leads back to the default list", { q: "ada" }, " ", "/console/adoptions"],
    [
      "clearing it keeps a chosen status",
      { q: "ada", status: "approved" },
      "",
      "/console/adoptions?status=approved",
    ],
    [
      "typing on keeps the status",
      { q: "ada", status: "placed" },
      "adam",
      "/console/adoptions?status=placed&q=adam",
    ],
    [
      "it keeps the animal and the order",
      { animal: "7", sort: "id" },
      "a",
      "/console/adoptions?animal=7&q=a&sort=id",
    ],
  ])("after a search: %s", (_fact, query, text, path) => {
    expect(searchPath(viewOf(query), text)).toBe(path);
  });
});

describe("counts", () => {
  const COUNTS = { placed: 3, approved: 2, completed: 1, cancelled: 0, returned: 0 };

  test("are of one status, or of all", () => {
    expect([countOf(COUNTS, "approved"), countOf(COUNTS, undefined)]).toEqual([2, 6]);
  });

  test("follow a new adoption and a step", () => {
    expect(recounted(COUNTS, undefined, "placed")).toEqual({ ...COUNTS, placed: 4 });
    expect(recounted(COUNTS, "placed", "approved")).toEqual({ ...COUNTS, placed: 2, approved: 3 });
  });

  test("differ after any number of new adoptions and steps", () => {
    expect(areSame(COUNTS, { ...COUNTS })).toBe(true);
    for (const status of STATUSES) {
      expect(areSame(COUNTS, recounted(COUNTS, undefined, status))).toBe(false);
      for (const step of STEPS_FROM[status])
        expect(areSame(COUNTS, recounted(COUNTS, status, STATUS_AFTER[step]))).toBe(false);
    }
    // A new adoption takes the place of one that was approved.
    expect(areSame(COUNTS, recounted(recounted(COUNTS, "placed", "approved"), undefined, "placed"))).toBe(
      false,
    );
  });
});

const bella = { id: 7, name: "Bella", categoryId: 3, status: "pending" } as const;
const order: Order = { id: 1, petId: 7, status: "placed", createdAt: "", updatedAt: "" };

/** Without the marks around names. */
const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, "");

describe("the animal of an adoption", () => {
  test("is named by its name", () => {
    const [adoption] = withAnimals([order], [bella]);
    expect(adoption).toEqual({ ...order, animal: bella });
    expect(animalLabel(adoption!)).toBe("Bella");
  });

  test("that was deleted is named by its id", () => {
    const [adoption] = withAnimals([order], []);
    expect(adoption?.animal).toBeNull();
    expect(animalLabel(adoption!)).toBe("animal 7");
  });

  test("that may not be read is named by its id", () => {
    const [adoption] = withAnimals([order], undefined);
    expect(adoption).toEqual(order);
    expect(animalLabel(adoption!)).toBe("animal 7");
  });

  test("stays known after a step", () => {
    const approved = withOrder({ ...order, animal: bella }, { ...order, status: "approved" });
    expect(plain(doneWords(approved))).toBe("Adoption of Bella approved (no. 1)");
  });

  test("stays known when the adopter was forgotten in the meantime", () => {
    const adopter = { name: "Ada", email: "ada@example.org" };
    expect(withOrder({ ...order, adopter, note: "x", animal: bella }, order)).toEqual({
      ...order,
      animal: bella,
    });
  });
});

test("each request has a separate idempotency key, in the API's form", () => {
  const keys = Array.from({ length: 100 }, newIdempotencyKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) {
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(readIdempotencyKey(key)).toBe(key);
  }
});
