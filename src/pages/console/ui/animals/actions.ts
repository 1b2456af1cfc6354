import { type QueryClient, useQueryClient } from "@tanstack/preact-query";
import { dataOf, store } from "../api/client.ts";
import { type Change, type Outcome, type Wanted, failureOf, outcomeOf, wantedAnimal } from "./bulk.ts";
import { type Animal, type AnimalVersion, type NewAnimal, changeOf } from "./animal.ts";
import { applyChanges, notFound, readVersions, slicesOf } from "./queries.ts";
import { formatCount } from "../parts/wording.ts";

/** Saves the fields that differ, if the animal still is this version. @throws ApiError precondition_failed */
const patch = async ({ animal, tag }: AnimalVersion, wanted: NewAnimal): Promise<AnimalVersion> => {
  const { id } = animal;
  const { data, response } = await store.PATCH("/pets/{petId}", {
    params: { path: { petId: id }, header: { "If-Match": tag } },
    body: changeOf(animal, wanted),
  });
  return { animal: data, tag: response.headers.get("etag") ?? "*" };
};

/** Makes up to 100 changes in one request. */
const changeSlice = async (changes: readonly Change[]): Promise<Outcome> => {
  const body = {
    changes: changes.map(({ from: { animal, tag }, to }) => ({
      id: animal.id,
      ifMatch: tag,
      change: changeOf(animal, to),
    })),
  };
  try {
    return outcomeOf(changes, await dataOf(store.POST("/pets/changes", { body })));
  } catch (error) {
    return failureOf(changes, error as Error);
  }
};

const saveAll = async (
  queries: QueryClient,
  changes: readonly Change[],
  onProgress: (done: number) => void = () => {},
): Promise<Outcome> => {
  const outcome: Outcome = { changed: [], failed: [] };
  for (const some of slicesOf(changes)) {
    const { changed, failed } = await changeSlice(some);
    outcome.changed.push(...changed);
    outcome.failed.push(...failed);
    applyChanges(queries, new Map(changed.map(({ now: { animal } }) => [animal.id, animal])));
    onProgress(outcome.changed.length + outcome.failed.length);
  }
  return outcome;
};

/** The changes of animals, which all views show immediately. */
export const useAnimalActions = () => {
  const queries = useQueryClient();
  return {
    async add(body: NewAnimal, header: { "Idempotency-Key": string }): Promise<Animal> {
      const animal = await dataOf(store.POST("/pets", { params: { header }, body }));
      applyChanges(queries, new Map([[animal.id, animal]]));
      return animal;
    },
    async save(version: AnimalVersion, wanted: NewAnimal): Promise<AnimalVersion> {
      const saved = await patch(version, wanted);
      applyChanges(queries, new Map([[saved.animal.id, saved.animal]]));
      return saved;
    },
    async remove({ animal: { id }, tag }: AnimalVersion): Promise<void> {
      await store.DELETE("/pets/{petId}", { params: { path: { petId: id }, header: { "If-Match": tag } } });
      applyChanges(queries, new Map([[id, undefined]]));
    },
    /** Changes many animals, each unless another user changes it at the same time. */
    async changeMany(
      animals: readonly Animal[],
      wanted: Wanted,
      onProgress: (done: number) => void,
    ): Promise<Outcome> {
      const versions = await readVersions(animals.map(({ id }) => id));
      const changes = versions.map((from) => ({ from, to: wantedAnimal(from.animal, wanted) }));
      const outcome = await saveAll(queries, changes, onProgress);
      const found = new Set(versions.map(({ animal: { id } }) => id));
      const deleted = animals.filter(({ id }) => !found.has(id));
      const error = notFound();
      outcome.failed.push(...deleted.map((animal) => ({ animal, error })));
      return outcome;
    },
    /** Undoes it, but not where others have made a change since. @throws Error */
    async changeBack(changed: Outcome["changed"]): Promise<void> {
      const changes = changed.map(({ before, now }) => ({ from: now, to: before }));
      const { failed } = await saveAll(queries, changes);
      if (failed.length > 0)
        throw new Error(
          `${formatCount(failed.length)} of ${formatCount(changed.length)} could not be undone: others have changed these animals since.`,
        );
    },
  };
};
