/** Clients that contend for a few animals at a time, each at any node. */
import type { Random } from "../../support/random.ts";
import type { Animal, Answer, Call, Recorder, Silence } from "./recorder.ts";

/** How many animals are in use at a time: few, so that clients contend for each. */
const SLOTS = 12;
/** After so many operations another animal takes the place: the checker's work grows faster than an animal's history. */
const USES = 150;
/** An animal is deleted late, so that most operations find it. */
const LAST_USES = 20;
const STATUSES = ["available", "available", "available", "sold", "none"];
const LIST_LENGTH = 4;

/** What clients do, and how often. */
const MIX = {
  get: 40,
  list: 6,
  rename: 20,
  setStatus: 10,
  order: 12,
  cancel: 10,
  delete: 6,
} as const;
type Act = keyof typeof MIX;
const ACTS = Object.entries(MIX).flatMap(([act, weight]) => Array<Act>(weight).fill(act as Act));

/** A place for an animal that clients know. */
interface Slot {
  /** Undefined until the first one is added. */
  id: number | undefined;
  left: number;
  /** Ids of orders for this animal. */
  orders: number[];
  isChanging: boolean;
}

interface Body {
  id: number;
  name: string;
  status?: string;
}

const animalOf = ({ name, status = "none" }: Body): Animal => ({ name, status });

const isAnswer = (answer: Answer | Silence): answer is Answer => "code" in answer;

/** What a response shows of the animal. */
const seenIn = (answer: Answer | Silence): { seen?: Animal } =>
  isAnswer(answer) && answer.code < 300 && answer.body ? { seen: animalOf(answer.body as Body) } : {};

interface Contention {
  clients: number;
  /** Clients start no further operation then. */
  isEnded: () => boolean;
  nodes: number;
  random: Random;
}

/** Does operations, and records each. Every client does one after the other, each at a node that it chooses. */
export const contend = async (
  { ask, record, count }: Recorder,
  { clients, isEnded, nodes, random }: Contention,
): Promise<void> => {
  const slots = Array.from({ length: SLOTS }, (): Slot => ({
    id: undefined,
    left: 0,
    orders: [],
    isChanging: false,
  }));
  const anyOf = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  const status = () => anyOf(STATUSES);
  const orNull = (status: string) => (status === "none" ? null : status);
  const idempotency = () => (random(2) === 0 ? { idempotencyKey: crypto.randomUUID() } : {});

  const replace = async (client: number, slot: Slot): Promise<void> => {
    slot.isChanging = true;
    const animal = { name: `new ${count()}`, status: status() };
    const json = {
      name: animal.name,
      categoryId: 1,
      ...(animal.status !== "none" && { status: animal.status }),
    };
    const request = { method: "POST", path: "/v1/pets", json, idempotencyKey: crypto.randomUUID() } as const;
    const answer = await ask(random(nodes), request);
    slot.isChanging = false;
    // The id of an animal without a response is unknown, so that no other operation uses it.
    if (!isAnswer(answer)) return;
    const { id } = answer.body as Body;
    record({ kind: "add", client, animal: id, ...animal }, answer, seenIn(answer));
    Object.assign(slot, { id, left: USES, orders: [] });
  };

  const list = async (client: number): Promise<void> => {
    const known = slots.flatMap(({ id }) => id ?? []);
    const ids = [...new Set(Array.from({ length: LIST_LENGTH }, () => anyOf(known)))];
    const answer = await ask(random(nodes), { method: "GET", path: `/v1/pets?ids=${ids.join(",")}` });
    if (!isAnswer(answer)) return;
    const found = new Map((answer.body as Body[]).map((pet) => [pet.id, animalOf(pet)]));
    for (const animal of ids) {
      const seen = found.get(animal);
      record({ kind: "get", client, animal }, answer, seen ? { seen } : { code: 404 });
    }
  };

  const simple = async (call: Call, method: "GET" | "PATCH" | "DELETE", json?: unknown): Promise<void> => {
    const answer = await ask(random(nodes), { method, path: `/v1/pets/${call.animal}`, json });
    record(call, answer, seenIn(answer));
  };

  const order = async (client: number, animal: number, slot: Slot): Promise<void> => {
    const adopter = { name: `client ${client}`, email: "client@example.org" };
    const json = { petId: animal, adopter };
    const answer = await ask(random(nodes), {
      method: "POST",
      path: "/v1/store/orders",
      json,
      ...idempotency(),
    });
    const placed = isAnswer(answer) && answer.code === 201 ? (answer.body as Body).id : undefined;
    record({ kind: "order", client, animal }, answer, placed === undefined ? {} : { placed });
    if (placed !== undefined && slot.id === animal) slot.orders.push(placed);
  };

  const cancel = async (client: number, animal: number, order: number): Promise<void> => {
    const path = `/v1/store/orders/${order}/cancel`;
    const answer = await ask(random(nodes), { method: "POST", path, ...idempotency() });
    record({ kind: "cancel", client, animal, order }, answer);
  };

  const act = async (client: number, slot: Slot, animal: number): Promise<void> => {
    slot.left--;
    const number = count();
    const base = { client, animal };
    const [last] = slot.orders.slice(-1);
    switch (anyOf(ACTS)) {
      case "list":
        return list(client);
      case "rename": {
        const name = `renamed ${number}`;
        return simple({ ...base, kind: "patch", name }, "PATCH", { name });
      }
      case "setStatus": {
        const next = status();
        return simple({ ...base, kind: "patch", status: next }, "PATCH", { status: orNull(next) });
      }
      case "order":
        return order(client, animal, slot);
      case "cancel":
        return last === undefined ? order(client, animal, slot) : cancel(client, animal, last);
      case "delete":
        if (slot.left > LAST_USES) return list(client);
        return simple({ ...base, kind: "delete" }, "DELETE");
      case "get":
        return simple({ ...base, kind: "get" }, "GET");
    }
  };

  const client = async (number: number): Promise<void> => {
    while (!isEnded()) {
      const slot = anyOf(slots);
      if (slot.isChanging) await Bun.sleep(1);
      else if (slot.id === undefined || slot.left <= 0) await replace(number, slot);
      else await act(number, slot, slot.id);
    }
  };

  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
};
