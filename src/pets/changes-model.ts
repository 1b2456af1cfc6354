import { type Static, t } from "elysia";
import { IF_MATCH_PATTERN, isAnyEtag, matchesEtagStrongly } from "../http/etag.ts";
import { ErrorBody, Id, IdInBody, checked } from "../http/schemas.ts";
import { statusOf } from "../lib/errors.ts";
import { Pet, PetChange, etagOfPet, fromPet, toPetChange } from "./model.ts";
import type { Pet as StoredPet } from "./pet.ts";
import type { PetChangeRequest, PetChangeResult } from "./service.ts";

export const MAX_CHANGES = 100;
const MAX_IF_MATCH_LENGTH = 200;

const IF_MATCH = new RegExp(IF_MATCH_PATTERN);

const RequestedChange = t.Object(
  {
    id: IdInBody("Id of the animal to change."),
    ifMatch: t.Optional(
      checked<string>(
        "IfMatch",
        {
          type: "string",
          pattern: IF_MATCH_PATTERN,
          maxLength: MAX_IF_MATCH_LENGTH,
          description: "As the header `If-Match` of a single change: the animal's entity tag.",
          examples: ['"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"'],
        },
        'must be * or entity tags in quotes, such as "x2b7"',
        (value) => typeof value === "string" && value.length <= MAX_IF_MATCH_LENGTH && IF_MATCH.test(value),
      ),
    ),
    change: PetChange,
  },
  { $id: "RequestedPetChange", additionalProperties: false, description: "A change of one animal." },
);

export const PetChanges = t.Object(
  {
    changes: t.Array(RequestedChange, {
      minItems: 1,
      maxItems: MAX_CHANGES,
      description: "The changes, made in this order.",
    }),
  },
  { $id: "PetChanges", additionalProperties: false, description: "Changes of animals." },
);

export const PetChangeResults = t.Array(
  t.Object(
    {
      id: Id("Id of the animal."),
      pet: t.Optional(Pet),
      etag: t.Optional(
        t.String({
          description: "The entity tag of the changed animal.",
          examples: ['"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"'],
        }),
      ),
      error: t.Optional(ErrorBody),
    },
    {
      $id: "PetChangeResult",
      description: "`pet` and `etag` of a changed animal; `error` if it was not changed.",
    },
  ),
  {
    $id: "PetChangeResults",
    maxItems: MAX_CHANGES,
    description: "A result for each change, in the same order.",
  },
);

/** From a validated body. */
export const toChangeRequests = ({ changes }: Static<typeof PetChanges>): PetChangeRequest[] =>
  changes.map(({ id, ifMatch, change }) => ({
    id,
    change: toPetChange(change),
    ...(ifMatch !== undefined &&
      !isAnyEtag(ifMatch) && {
        isExpected: (pet: StoredPet) => matchesEtagStrongly(ifMatch, etagOfPet(pet)),
      }),
  }));

/** The JSON form of the results of changes. */
export const fromChangeResults = (results: readonly PetChangeResult[]): Static<typeof PetChangeResults> =>
  results.map((result) => {
    const { id } = result;
    if ("pet" in result) return { id, pet: fromPet(result.pet), etag: etagOfPet(result.pet) };
    const { code, message } = result.fault;
    return { id, error: { code, message, status: statusOf(code) } };
  });
