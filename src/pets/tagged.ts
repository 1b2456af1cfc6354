import { type RequestHeaders, etagOf, jsonWithEtag } from "../http/etag.ts";
import { fromPet } from "./model.ts";
import type { Pet } from "./repository.ts";

/** An animal's tag: of its wire form. */
export const tagOfPet = (pet: Pet): string => etagOf(JSON.stringify(fromPet(pet)));

/** The wire form of an animal, whose tag goes into the answer's headers. */
export const tagged = (pet: Pet, answer: Record<string, string | number>): ReturnType<typeof fromPet> => {
  const wire = fromPet(pet);
  answer["etag"] = etagOf(JSON.stringify(wire));
  return wire;
};

/** The answer with an animal and its tag, or 304 if that is what the request knows already. */
export const answerWith = (pet: Pet, given: RequestHeaders): Response =>
  jsonWithEtag(JSON.stringify(fromPet(pet)), given);
