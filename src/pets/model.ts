import type { NewPet as NewPetFields, PetChange as PetChangeFields, Pet as StoredPet } from "./repository.ts";
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { bigintOf, jsonInteger } from "../lib/json.ts";
import { PET_STATUSES, type PetStatus as PetStatusName } from "./pet.ts";
import type { ListPets } from "./service.ts";
import { DAYS } from "./statistics.ts";
import { searchWords } from "./search.ts";
import { Cursor, Id, IdInPath, Int64, Int64InQuery, Limit, OneOf, Text, checked } from "../http/schemas.ts";
import { schemaChecker } from "../http/validation.ts";

const Name = Text("PetName", {
  most: 200,
  description: "The animal's name: not only white space, no control characters.",
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
      "Id of the category the animal belongs to. JavaScript clients lose digits beyond 2^53 unless they parse it as a BigInt.",
    examples: [3],
  }),
  status: t.Optional(PetStatus),
};

export const NewPet = t.Object(fields, {
  $id: "NewPet",
  additionalProperties: false,
  description: "An animal to add.",
});

/** Checks the rows of a file as the body of `POST /v1/pets` is checked. */
export const newPetChecker = schemaChecker(NewPet);

export const Pet = t.Object(
  { id: Id("Unique identifier, assigned by the service on creation."), ...fields },
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
          description: "Availability status; `null` clears it.",
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
    description: "What changes; what is absent stays (RFC 7396).",
  },
);

export const Pets = t.Array(Pet, { $id: "Pets", maxItems: 100, description: "Animals, ascending by id." });

/** Most characters of a search, and most ids of a list. */
const LONGEST_SEARCH = 100;
const MAX_IDS = 100;

const Search = checked<string>(
  "Search",
  {
    type: "string",
    minLength: 1,
    maxLength: LONGEST_SEARCH,
    description:
      "Words, eight at the most: only animals whose name has a word that begins so for each of them. Case and accents make no difference.",
    examples: ["bel"],
  },
  `must be 1 to ${LONGEST_SEARCH} characters with one to eight words of letters or digits`,
  (value) =>
    typeof value === "string" &&
    value.isWellFormed() &&
    [...value].length <= LONGEST_SEARCH &&
    searchWords(value) !== undefined,
);

const IDS_PATTERN = `^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${MAX_IDS - 1}}$`;
const IDS = new RegExp(IDS_PATTERN);

/** No animal has an id beyond 2^53: such ids become 2^53 - 1, which no animal has either. */
const idsIn = (text: string): number[] =>
  text.split(",").map((id) => Math.min(Number(id), Number.MAX_SAFE_INTEGER));

const Ids = checked<string>(
  "Ids",
  {
    type: "string",
    pattern: IDS_PATTERN,
    description: `Only the animals with these ids, 1 to ${MAX_IDS} of them, separated by commas. An id that is no animal's is simply not there.`,
    examples: ["7,8"],
  },
  `must be 1 to ${MAX_IDS} ids in plain digits, separated by commas`,
  (value) => typeof value === "string" && IDS.test(value),
);

export const ListQuery = t.Object(
  {
    limit: t.Optional(Limit),
    status: t.Optional(PetStatus),
    cursor: t.Optional(Cursor),
    categoryId: t.Optional(Int64InQuery({ description: "Only animals of this category.", examples: [3] })),
    q: t.Optional(Search),
    ids: t.Optional(Ids),
  },
  { additionalProperties: false },
);

/** The domain's form of a checked query. */
export const toListPets = ({
  limit,
  status,
  cursor,
  categoryId,
  q,
  ids,
}: Static<typeof ListQuery>): ListPets => ({
  limit: Number(limit),
  status,
  cursor,
  categoryId: categoryId === undefined ? undefined : BigInt(categoryId),
  q,
  ids: ids === undefined ? undefined : idsIn(ids),
});

const EventId = (description: string) =>
  checked<string>(
    "EventId",
    { type: "string", pattern: "^[0-9]{1,15}$", description, examples: ["1234"] },
    "must be the id of an event, in plain digits",
    (value) => typeof value === "string" && /^[0-9]{1,15}$/.test(value),
  );

export const EventsQuery = t.Object(
  { lastEventId: t.Optional(EventId("The same, for clients that cannot send the header, which wins.")) },
  { additionalProperties: false },
);

export const EventsHeaders = t.Object({
  "last-event-id": t.Optional(EventId("The last event that was read: the stream goes on right behind it.")),
});

export const PetParams = t.Object({ petId: IdInPath("Id of the animal to retrieve.") });

export const DeletedPetParams = t.Object({ petId: IdInPath("Id of the animal to delete.") });

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const AddedOnDay = t.Object(
  {
    date: t.String({ format: "date", description: "A day in UTC.", examples: ["2026-11-20"] }),
    count: Count("Animals added on this day.", 4),
  },
  { $id: "AddedOnDay", description: "How many animals were added on a day." },
);

const StatusCounts = t.Object(
  {
    available: Count("Animals that can be adopted.", 800),
    pending: Count("Animals whose adoption is under way.", 30),
    sold: Count("Animals that were adopted.", 400),
    none: Count("Animals without a status.", 4),
  },
  { $id: "StatusCounts", description: "Animals by their status." },
);

export const Statistics = t.Object(
  {
    total: Count("All animals.", 1234),
    byStatus: StatusCounts,
    addedByDay: t.Array(AddedOnDay, {
      minItems: DAYS,
      maxItems: DAYS,
      description: `The last ${DAYS} days, oldest first; the last one is today.`,
    }),
  },
  { $id: "Statistics", description: "How many animals there are." },
);

/** The domain's form of a checked body. */
export const toNewPet = ({ name, categoryId, status }: Static<typeof NewPet>): NewPetFields => ({
  name,
  // The schema let only integers through.
  categoryId: bigintOf(categoryId) as bigint,
  ...(status && { status }),
});

/** The same of a change. */
export const toPetChange = ({ categoryId, ...rest }: Static<typeof PetChange>): PetChangeFields => ({
  ...rest,
  ...(categoryId !== undefined && { categoryId: bigintOf(categoryId) as bigint }),
});

/** The wire form of an animal. */
export const fromPet = ({ id, name, categoryId, status }: StoredPet): Static<typeof Pet> => ({
  id,
  name,
  categoryId: jsonInteger(categoryId),
  ...(status && { status }),
});
