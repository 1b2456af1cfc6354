import { assertConditions, isConditional, isKnown, tagOf, unchanged } from "../http/tags.ts";
import { fromPet } from "./model.ts";
import type { Pet } from "./repository.ts";

type Given = Readonly<Record<string, string | undefined>>;

/** An animal's tag: of its wire form. */
export const tagOfPet = (pet: Pet): string => tagOf(JSON.stringify(fromPet(pet)));

/** The wire form of an animal, whose tag goes into the answer's headers. */
export const tagged = (pet: Pet, answer: Record<string, string | number>): ReturnType<typeof fromPet> => {
  const wire = fromPet(pet);
  answer["etag"] = tagOf(JSON.stringify(wire));
  return wire;
};

/** The answer with an animal and its tag, or 304 if that is what the request knows already. */
export const answerWith = (pet: Pet, given: Given): Response => {
  const json = JSON.stringify(fromPet(pet));
  const headers = { etag: tagOf(json) };
  if (isKnown(given, headers.etag)) return unchanged(headers);
  return new Response(json, { headers: { ...headers, "content-type": "application/json" } });
};

/**
 * The animal that a request with conditions is about, as it is now: the change is made only if it is still so then.
 * @throws Fault not_found, precondition_failed, invalid_request
 */
export const expectedBy = async (given: Given, find: () => Promise<Pet>): Promise<Pet | undefined> => {
  if (!isConditional(given)) return undefined;
  const pet = await find();
  assertConditions(given, tagOfPet(pet));
  return pet;
};
