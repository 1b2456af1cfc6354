import type { components } from "../../../../client/types/store.d.ts";
import type { Animal } from "../animals/animal.ts";
import { type Tone, isolated } from "../parts/wording.ts";
import { addressOf, idOf, isOneOf, onPage } from "../parts/address.ts";

export type Order = components["schemas"]["Order"];
export type NewOrder = components["schemas"]["NewOrder"];
export type OrderReturn = components["schemas"]["OrderReturn"];
export type Status = components["schemas"]["OrderStatus"];

/** An order with its animal: null if it was deleted, undefined if the key may not read it. */
export type Adoption = Order & { animal?: Animal | null };

/** In the order in which an adoption passes through them. */
export const STATUSES = [
  "placed",
  "approved",
  "completed",
  "cancelled",
  "returned",
] as const satisfies readonly Status[];

export const TONES: Record<Status, Tone> = {
  placed: "waiting",
  approved: "good",
  completed: "quiet",
  cancelled: "quiet",
  returned: "quiet",
};

export const STEPS = ["approve", "complete", "cancel", "return"] as const;
export type Step = (typeof STEPS)[number];

export const STEPS_FROM: Record<Status, readonly Step[]> = {
  placed: ["approve", "cancel"],
  approved: ["complete", "cancel"],
  completed: ["return"],
  cancelled: [],
  returned: [],
};

export const STATUS_AFTER: Record<Step, Status> = {
  approve: "approved",
  complete: "completed",
  cancel: "cancelled",
  return: "returned",
};

/** The steps that can't be undone. The page asks before it takes them. */
export type FinalStep = Exclude<Step, "approve">;

export const isFinalStep = (text: string | undefined): text is FinalStep =>
  text === "complete" || text === "cancel" || text === "return";

/** Adds the animals to orders. @param animals those that still exist; undefined if they could not be read */
export const withAnimals = (orders: readonly Order[], animals: readonly Animal[] | undefined): Adoption[] => {
  if (!animals) return [...orders];
  const byId = new Map(animals.map((animal) => [animal.id, animal]));
  return orders.map((order) => Object.assign({ animal: byId.get(order.petId) ?? null }, order));
};

/** The adoption with its current order and the animal that has already been loaded. */
export const withOrder = ({ animal }: Adoption, now: Order): Adoption => ({
  ...(animal !== undefined && { animal }),
  ...now,
});

export const animalLabel = ({ animal, petId }: Pick<Adoption, "animal" | "petId">): string =>
  animal ? animal.name : `animal ${petId}`;

/** The message about an adoption that has reached a status: "Adoption of Bella approved (no. 1)". */
export const doneWords = (adoption: Adoption, done: string = adoption.status): string =>
  `Adoption of ${isolated(animalLabel(adoption))} ${done} (no. ${adoption.id})`;

export type Counts = Record<Status, number>;

/** True if no adoption has started or changed its status in between: each step moves one adoption forward. */
export const areSame = (counts: Counts, later: Counts): boolean =>
  STATUSES.every((status) => counts[status] === later[status]);

/** How many adoptions have the status; undefined: any. */
export const countOf = (counts: Counts, status: Status | undefined): number =>
  status ? counts[status] : STATUSES.reduce((sum, each) => sum + counts[each], 0);

/** The counts after one adoption has got another status. @param from undefined: it is new */
export const recounted = (counts: Counts, from: Status | undefined, to: Status): Counts => {
  const after = { ...counts };
  if (from) after[from]--;
  after[to]++;
  return after;
};

/** The adoptions to show: those that match every field. */
export interface Filter {
  status: Status | undefined;
  /** The id of an animal; undefined: any animal. */
  animal: number | undefined;
  /** Each word begins a word of the adopter's name or address or of the animal's name, or is the adoption's id. */
  q: string | undefined;
}

export type Sort = "-id" | "id";

export interface View extends Filter {
  sort: Sort;
}

/** The status that is shown by default: those to work on next; all of one animal, and all that a search finds. */
const defaultStatus = ({ animal, q }: Partial<Filter>): Status | undefined =>
  animal === undefined && q === undefined ? "placed" : undefined;

const ALL = "all";

export const viewOf = (query: Record<string, string | undefined>): View => {
  const { status } = query;
  const q = query["q"]?.trim() ? query["q"] : undefined;
  const narrow = { animal: idOf(query["animal"]), q };
  const sort = query["sort"] === "id" ? "id" : "-id";
  if (status === ALL) return { status: undefined, ...narrow, sort };
  return { status: isOneOf(STATUSES, status) ? status : defaultStatus(narrow), ...narrow, sort };
};

const queryOf = (view: Partial<View>) => {
  const { animal, sort } = view;
  const q = view.q?.trim() ? view.q : undefined;
  const usual = defaultStatus({ animal, q });
  const status = "status" in view ? view.status : usual;
  return {
    status: status === usual ? undefined : (status ?? ALL),
    animal,
    q,
    sort: sort === "id" ? sort : undefined,
  };
};

/** The address of the list, or of an action that is shown above it. Absent fields have their default. */
export const adoptionsPath = (view: Partial<View> = {}, ...parts: (string | number)[]): string =>
  addressOf(["/console/adoptions", ...parts].join("/"), queryOf(view));

/** The list after another text was typed. A search from the default list finds adoptions of every status. */
export const searchPath = (view: View, text: string): string => {
  const q = text.trim() ? text : undefined;
  const { status, ...rest } = { ...view, q };
  return status === defaultStatus(view) ? adoptionsPath(rest) : adoptionsPath({ ...rest, status });
};

/** The address of an adoption's own page, or of an action that is shown above it. */
export const adoptionPath = (id: number, ...parts: string[]): string =>
  addressOf(["/console/adoptions", id, ...parts].join("/"), onPage(parts));
