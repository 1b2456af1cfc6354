import { type Static, type TSchema, t } from "elysia";
import { etagOf, IF_MATCH_PATTERN, isAnyEtag, matchesEtagStrongly } from "../../http/etag.ts";
import {
  checked,
  Count,
  Cursor,
  ErrorBody,
  Id,
  IdInBody,
  Int64,
  Int64InQuery,
  limitOf,
  OneOf,
  parsed,
  SearchText,
  storedText,
  Text,
  TimeInQuery,
  withDefault,
} from "../../http/schemas.ts";
import { schemaChecker } from "../../http/validation.ts";
import { statusOf } from "../../lib/errors.ts";
import { bigintOf, jsonInteger } from "../../lib/json.ts";
import {
  type NewPet as NewPetFields,
  type Pet as StoredPet,
  PET_SORTS,
  PET_STATUSES,
  type PetChange as PetChangeFields,
  type PetStatus as PetStatusName,
} from "./pet.ts";
import type { PetChangeRequest, PetChangeResult } from "./service.ts";
import { DAYS } from "./statistics.ts";

const Name = Text("PetName", {
  max: 200,
  description: "The animal's name. It must contain more than white space.",
  examples: ["Bella"],
});

const PetStatus = OneOf("PetStatus", PET_STATUSES, {
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

const Search = SearchText({
  description:
    "Search by name, breed, tags and reference: up to eight words. Each must be the beginning of a word there, in any script. A number also finds the animal with this id. Case and accents make no difference, nor does a stroke through a letter. Everything but letters, their marks and digits is ignored: without any, the search finds all animals.",
  examples: ["bel"],
});

const IDS_PATTERN = `^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${MAX_IDS - 1}}$`;
const IDS = new RegExp(IDS_PATTERN);

/** Ids above 2^53 become 2^53 - 1: no animal has either. */
const parseIds = (text: string): number[] =>
  text.split(",").map((id) => Math.min(Number(id), Number.MAX_SAFE_INTEGER));

const Ids = parsed(
  checked(
    "Ids",
    {
      type: "string",
      pattern: IDS_PATTERN,
      description: `Filter by id: 1 to ${MAX_IDS} ids, separated by commas. Unknown ids are ignored.`,
      examples: ["7,8"],
    },
    `must be 1 to ${MAX_IDS} ids in plain digits, separated by commas`,
    (value) => typeof value === "string" && IDS.test(value),
  ),
  parseIds,
);

const SEXES = ["female", "male", "unknown"] as const;
const SIZES = ["small", "medium", "large", "extra_large"] as const;

const Sort = OneOf("PetSort", PET_SORTS, {
  description:
    "The order: by id, by name without regard to case and accents, by the time at which the animal was added, or by the time of its last change; then by id. `-` reverses it.",
  default: "id",
  examples: ["-id"],
});

/** What a read can add to each animal. */
export const PARTS = ["profile", "photos"] as const;
export type Part = (typeof PARTS)[number];

const INCLUDE_PATTERN = `^(${PARTS.join("|")})(,(${PARTS.join("|")}))?$`;
const INCLUDE = new RegExp(INCLUDE_PATTERN);

const Include = parsed(
  checked(
    "Include",
    {
      type: "string",
      pattern: INCLUDE_PATTERN,
      description:
        "Adds to each animal its `profile`, its `photos`, or both: members with the responses of `GET /pets/{petId}/profile` and `GET /pets/{petId}/photos`. An animal whose stored profile is damaged lacks `profile`. The entity tags in `Item-ETags` are those of the animals without them.",
      examples: ["profile,photos"],
    },
    "must be profile, photos, or profile,photos",
    (value) => typeof value === "string" && INCLUDE.test(value),
  ),
  (text) => PARTS.filter((part) => text.split(",").includes(part)),
);

export const GetQuery = t.Object({ include: t.Optional(Include) }, { additionalProperties: false });

export const ListQuery = t.Object(
  {
    limit: limitOf("Maximum number of animals returned."),
    status: t.Optional({ ...PetStatus, description: "Filter by availability status." }),
    cursor: t.Optional(Cursor),
    categoryId: t.Optional(Int64InQuery({ description: "Filter by category.", examples: [3] })),
    q: t.Optional(Search),
    ids: t.Optional(Ids),
    sort: withDefault(Sort),
    updatedSince: t.Optional(
      TimeInQuery(
        "Filter by time: animals that were added or changed then or later. A change of the name, category, status, profile or photos counts. To follow changes, use it with `sort=updatedAt`.",
        "2026-11-28T08:00:00Z",
      ),
    ),
    sex: t.Optional(OneOf("SexFilter", SEXES, { description: "Filter by sex.", examples: ["female"] })),
    size: t.Optional(OneOf("SizeFilter", SIZES, { description: "Filter by size.", examples: ["small"] })),
    tag: t.Optional(
      Text("TagFilter", {
        max: 50,
        description: "Filter by one tag, without regard to case and accents.",
        examples: ["senior"],
      }),
    ),
    reference: t.Optional(
      Text("ReferenceFilter", {
        max: 100,
        description: "Filter by the shelter's own number of the animal.",
        examples: ["A-1024"],
      }),
    ),
    arrivedSince: t.Optional(
      checked<string>(
        "Day",
        {
          type: "string",
          format: "date",
          description: "Filter by arrival: animals that arrived at the shelter on this day or later.",
          examples: ["2026-11-01"],
        },
        "must be a day such as 2026-11-01",
        (value) => typeof value === "string" && isDay(value),
      ),
    ),
    include: t.Optional(Include),
  },
  { additionalProperties: false },
);

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

const isDay = (text: string): boolean =>
  DAY.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

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

const petEvent = (kind: "Added" | "Changed" | "Deleted" | "Reset", description: string, data: TSchema) => {
  const id = EventId("To resume after this event, send it as `Last-Event-ID`.");
  const event = t.Literal(kind.toLowerCase());
  return t.Object({ id, event, data }, { $id: `PetEvent${kind}`, description });
};

const changed = t.Array(OneOf("PetPart", ["profile", "photos"], {}), {
  description: "The changed parts, if they are not among these fields.",
});

const ChangedPet = t.Object(
  { ...Pet.properties, changed: t.Optional(changed) },
  { $id: "ChangedPet", description: "An animal, and its parts that were changed." },
);

const DeletedPet = t.Object({ id: Id("Its id.") }, { $id: "DeletedPet", description: "A deleted animal." });

const MissedEvents = t.Object(
  { message: t.String({ description: "Human-readable description." }) },
  { $id: "MissedEvents", description: "Events are missing between the last one and the next." },
);

const PetEvent = t.Union(
  [
    petEvent("Added", "An animal was added.", Pet),
    petEvent("Changed", "An animal was changed.", ChangedPet),
    petEvent("Deleted", "An animal was deleted.", DeletedPet),
    petEvent("Reset", "List the animals again, because events are missing.", MissedEvents),
  ],
  { $id: "PetEvent", description: "An event. Its `data` is the JSON of the animal after the action." },
);

/** OpenAPI 3.1 knows a stream only as text. JSON Schema has a place for the schema of the text's content. */
export const PetEventStream = t.String({
  contentMediaType: "text/event-stream",
  contentSchema: PetEvent,
});

export const EventsHeaders = t.Object({
  "last-event-id": t.Optional(
    EventId("Id of the last event that the client has read. The stream resumes after it."),
  ),
});

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

export const StatisticsQuery = t.Object(
  {
    q: t.Optional(Search),
    categoryId: t.Optional(
      Int64InQuery({ description: "Count the animals of this category.", examples: [3] }),
    ),
  },
  { additionalProperties: false },
);

const AddedOnDay = t.Object(
  {
    date: t.String({ format: "date", description: "The day, in UTC.", examples: ["2026-11-20"] }),
    count: Count("Number of animals added on this day.", 4),
  },
  { $id: "AddedOnDay", description: "The number of animals added on one day." },
);

const StatusCounts = t.Object(
  {
    available: Count("Number of animals that can be adopted.", 800),
    pending: Count("Number of animals with an adoption in progress.", 30),
    sold: Count("Number of adopted animals.", 400),
    none: Count("Number of animals without a status.", 4),
  },
  { $id: "StatusCounts", description: "The number of animals by status." },
);

export const Statistics = t.Object(
  {
    total: Count("Number of animals.", 1234),
    byStatus: StatusCounts,
    addedByDay: t.Array(AddedOnDay, {
      minItems: DAYS,
      maxItems: DAYS,
      description: `All animals by the day they were added: the last ${DAYS} days, oldest first. The last one is today.`,
    }),
  },
  { $id: "Statistics", description: "The number of animals." },
);

export const CategoryStatistics = t.Array(
  t.Object(
    {
      id: Id("The id of the category.", 3),
      name: t.String({ description: "The name of the category.", examples: ["Dogs"] }),
      total: Count("Number of animals in the category.", 12),
      byStatus: StatusCounts,
    },
    { $id: "CategoryCounts", description: "The number of animals in a category." },
  ),
  { $id: "CategoryStatistics", maxItems: 100, description: "Categories in ascending order of id." },
);

export const CategoryStatisticsQuery = t.Object(
  { limit: limitOf("Maximum number of categories returned."), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
);
