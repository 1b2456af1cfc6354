import { type ApiError, hasCode } from "../api/client.ts";
import type { Animal, AnimalVersion, NewAnimal } from "./statistics.ts";
import { WORDS } from "./words.ts";

/** What to set of every animal. A status of null clears it. */
export type Wanted = { status: NewAnimal["status"] | null } | { categoryId: Animal["categoryId"] };

/** The animal with what is wanted of it. */
export const wantedAnimal = ({ status, ...animal }: Animal, wanted: Wanted): Animal => {
  const now = "status" in wanted ? wanted.status : status;
  return {
    ...animal,
    ...("categoryId" in wanted && { categoryId: wanted.categoryId }),
    ...(now && { status: now }),
  };
};

/** What became of the animals. */
export interface Outcome {
  /** Those that were changed, before and after. */
  changed: { before: Animal; now: AnimalVersion }[];
  failed: { animal: Animal; error: Error }[];
}

const REASONS: readonly (readonly [ApiError["code"], string])[] = [
  ["pet_in_order", WORDS.isHeld],
  ["precondition_failed", WORDS.wasChanged],
  ["not_found", WORDS.isDeleted],
];

/** Why an animal was not changed, after its name. */
export const reasonOf = (error: Error): string =>
  REASONS.find(([code]) => hasCode(error, code))?.[1] ?? error.message;

/** Calls `act` for each, a few at once, in any order. The results are in the order of the items. */
export const mapAtOnce = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  act: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> => {
  const results: PromiseSettledResult<Result>[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < items.length; at = next++)
      [results[at]] = await Promise.allSettled([act(items[at]!)]);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
};
