import { type Static, t } from "elysia";
import { bigintOf, jsonInteger } from "../lib/json.ts";
import {
  type NewPet as NewPetFields,
  PET_SORTS,
  PET_STATUSES,
  type PetChange as PetChangeFields,
  type PetStatus as PetStatusName,
  type Pet as StoredPet,
} from "./pet.ts";
import type { ListPets } from "./service.ts";
import { etagOf } from "../http/etag.ts";
import {
  Cursor,
  Id,
  IdInPath,
  Int64,
  Int64InQuery,
  OneOf,
  SearchText,
  Text,
  checked,
  limitOf,
  storedText,
} from "../http/schemas.ts";
import { schemaChecker } from "../http/validation.ts";

const Name = Text("PetName", {
  max: 200,
  description: "The animal's name. It must contain more than white space.",
  examples: ["Bella"],
});

export const PetStatus = OneOf("PetStatus", PET_STATUSES, {
  $id: "PetStatus",
  description: "Availability status.",
  examples: ["available"],
});

const fields = {
  name: Name,
  categoryId: Int64({
    description:
      "Id of the category the animal belongs to. In JavaScript, parse it as a BigInt: numbers lose digits beyond 2^53.",
    examples: [3],
  }),
  status: t.Optional(PetStatus),
};

export const NewPet = t.Object(fields, {
  $id: "NewPet",
  additionalProperties: false,
  description: "An animal to add.",
});

/** Checks the rows of a file by the rules for the body of `POST /v1/pets`. */
export const newPetChecker = schemaChecker(NewPet);

export const Pet = t.Object(
  { id: Id("Unique identifier, assigned by the service on creation."), ...fields, name: storedText(Name) },
  { $id: "Pet", description: "An animal offered for adoption." },
);

export const PetChange = t.Object(
  {
    name: t.Optional(Name),
    categoryId: t.Optional(fields.categoryId),
    status: t.Optional(
      checked<PetStatusName | null>(
        "PetStatusOrNone",
        {
          anyOf: [PetStatus, { type: "null" }],
          description: "Availability status. `null` clears it.",
          examples: ["sold"],
        },
        `must be null or one of ${PET_STATUSES.join(", ")}`,
        (value) => value === null || (PET_STATUSES as readonly unknown[]).includes(value),
      ),
    ),
  },
  {
    $id: "PetChange",
    additionalProperties: false,
    description: "The fields to change. Absent fields keep their value (RFC 7396).",
  },
);

export const Pets = t.Array(Pet, {
  $id: "Pets",
  maxItems: 100,
  description: "Animals in ascending order of id, or as `sort` says.",
});

export const MAX_IDS = 100;
/** How many animals a list may have that has their entity tags too. */
export const MAX_TAGGED = 50;

export const Search = SearchText({
  description:
    "Search by name: up to eight words. Each must be the beginning of a word in the name. A number also finds the animal with this id. Case and accents make no difference, nor does a stroke through a letter. Everything but letters and digits is ignored: without any, the search finds all animals.",
  examples: ["bel"],
});

const IDS_PATTERN = `^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${MAX_IDS - 1}}$`;
const IDS = new RegExp(IDS_PATTERN);

/** Ids above 2^53 become 2^53 - 1: no animal has either. */
const parseIds = (text: string): number[] =>
  text.split(",").map((id) => Math.min(Number(id), Number.MAX_SAFE_INTEGER));

const Ids = checked<string>(
  "Ids",
  {
    type: "string",
    pattern: IDS_PATTERN,
    description: `Filter by id: 1 to ${MAX_IDS} ids, separated by commas. Unknown ids are ignored.`,
    examples: ["7,8"],
  },
  `must be 1 to ${MAX_IDS} ids in plain digits, separated by commas`,
  (value) => typeof value === "string" && IDS.test(value),
);

const Sort = OneOf("PetSort", PET_SORTS, {
  description:
    "The order: by id, oldest first, or by name without regard to case and accents, and then by id. `-` reverses it.",
  default: "id",
  examples: ["-id"],
});

export const ListQuery = t.Object(
  {
    limit: t.Optional(limitOf("Maximum number of animals returned.")),
    status: t.Optional({ ...PetStatus, description: "Filter by availability status." }),
    cursor: t.Optional(Cursor),
    categoryId: t.Optional(Int64InQuery({ description: "Filter by category.", examples: [3] })),
    q: t.Optional(Search),
    ids: t.Optional(Ids),
    sort: t.Optional(Sort),
  },
  { additionalProperties: false },
);

/** From a validated query. */
export const toListPets = ({
  limit,
  status,
  cursor,
  categoryId,
  q,
  ids,
  sort = "id",
}: Static<typeof ListQuery>): ListPets => ({
  limit: Number(limit),
  status,
  cursor,
  categoryId: categoryId === undefined ? undefined : BigInt(categoryId),
  q,
  ids: ids === undefined ? undefined : parseIds(ids),
  sort,
});

const EventId = (description: string) =>
  checked<string>(
    "EventId",
    { type: "string", pattern: "^[0-9]{1,15}$", description, examples: ["1234"] },
    "must be the id of an event, in plain digits",
    (value) => typeof value === "string" && /^[0-9]{1,15}$/.test(value),
  );

export const EventsQuery = t.Object(
  {
    lastEventId: t.Optional(
      EventId(
        "The same as the header `Last-Event-ID`, for clients that can't send it. The header takes precedence.",
      ),
    ),
  },
  { additionalProperties: false },
);

export const EventsHeaders = t.Object({
  "last-event-id": t.Optional(
    EventId("Id of the last event that the client has read. The stream resumes after it."),
  ),
});

export const PetParams = t.Object({ petId: IdInPath("Id of the animal to retrieve.") });

export const ChangedPetParams = t.Object({ petId: IdInPath("Id of the animal to update.") });

export const DeletedPetParams = t.Object({ petId: IdInPath("Id of the animal to delete.") });

/** From a validated body. */
export const toNewPet = ({ name, categoryId, status }: Static<typeof NewPet>): NewPetFields => ({
  name,
  // The schema accepts integers only.
  categoryId: bigintOf(categoryId) as bigint,
  ...(status && { status }),
});

/** From a validated body. */
export const toPetChange = ({ categoryId, ...rest }: Static<typeof PetChange>): PetChangeFields => ({
  ...rest,
  ...(categoryId !== undefined && { categoryId: bigintOf(categoryId) as bigint }),
});

/** The JSON form of an animal. */
export const fromPet = ({ id, name, categoryId: exact, status }: StoredPet): Static<typeof Pet> => {
  const categoryId = jsonInteger(exact);
  return status ? { id, name, categoryId, status } : { id, name, categoryId };
};

/** The entity tag of an animal, as `ETag` has it and `If-Match` takes it. */
export const etagOfPet = (pet: StoredPet): string => etagOf(JSON.stringify(fromPet(pet)));
