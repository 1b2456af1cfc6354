import { callerId } from "../../http/authorization.ts";
import { type Endpoints, endpoints } from "../../http/endpoint.ts";
import { findExpected, jsonWithEtag } from "../../http/etag.ts";
import type { Macros } from "../../http/macros.ts";
import { EventStreamText, IdInPath } from "../../http/schemas.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { EventStream } from "./events/stream-response.ts";
import {
  CategoryStatistics,
  CategoryStatisticsQuery,
  etagOfPet,
  EventsHeaders,
  EventsQuery,
  fromChangeResults,
  fromPet,
  ListQuery,
  NewPet,
  Pet,
  PetChange,
  PetChangeResults,
  PetChanges,
  Pets,
  Statistics,
  StatisticsQuery,
  toChangeRequests,
  toNewPet,
  toPetChange,
} from "./model.ts";
import type { PetListCache } from "./page-cache.ts";
import type { PetService } from "./service.ts";
import { DAYS, type PetStatistics } from "./statistics.ts";

interface PetRooms {
  pets: PetService;
  pages: PetListCache;
  statistics: PetStatistics;
  stream: EventStream;
}

const BELLA = { id: 7, name: "Bella", categoryId: 3, status: "available" };
const REX = { id: 8, name: "Rex", categoryId: 1 };

const FIRST_DAY = Date.UTC(2026, 9, 22);

const petReads = ({ add }: Endpoints, { pets, pages, stream }: PetRooms) => {
  add("GET /v1/pets", {
    id: "listPets",
    stability: "stable",
    summary: "List animals",
    description:
      'Returns a page of animals in ascending order of id, unless `sort` says otherwise. If more follow, the `Link` header has the address of the next page (`rel="next"`). Use that address unchanged. With `ids`, a list of at most 50 animals has the entity tag of each in `Item-ETags`, for the header `If-Match` of a change. An animal without a status is listed, but no status filter selects it.',
    query: ListQuery,
    returns: [Pets, "The list of animals.", [BELLA, REX]],
    response: { headers: ["Link", "Next-Cursor", "ETag", "Item-ETags"] },
    conditions: ["If-None-Match"],
    run: ({ query, headers, request }) => pages.respond(query, request.url, headers["if-none-match"]),
  });
  add("GET /v1/pets/events", {
    id: "streamPets",
    summary: "Stream changes to animals",
    description:
      "Sends server-sent events: `added`, `changed` and `deleted`. Each event has an id. Its `data` is the current animal, or only the id of a deleted one.\n\nThe stream starts with the next change. To resume, send `Last-Event-ID`: the stream starts after that event. If later events are missing, the first event is `reset`: list the animals again. The service keeps the newest 1,000,000 events. A restored backup has none.\n\nA comment every 15 seconds keeps the connection open. A key or person can have 200 open streams, and all of them together 1,000, unless the operator sets `EVENT_STREAMS_PER_KEY` and `EVENT_STREAMS`.",
    query: EventsQuery,
    headers: EventsHeaders,
    returns: [
      EventStreamText,
      "The stream. It ends if the key expires or is revoked, and when the server stops.",
      `retry: 2000\n\nid: 1234\nevent: added\ndata: ${JSON.stringify(BELLA)}\n\n`,
    ],
    response: { textAs: "text/event-stream" },
    run: ({ query, headers, request, caller }) =>
      stream(request, callerId(caller), headers["last-event-id"] ?? query.lastEventId),
  });
  add("GET /v1/pets/:petId", {
    id: "getPet",
    stability: "stable",
    deprecated: { successor: "/v1/pets" },
    summary: "Fetch one animal",
    description:
      "Returns one animal by id. This operation is deprecated and will be removed on 5 December 2030. Use `GET /pets` with the status filter instead.",
    params: { petId: IdInPath("Id of the animal to retrieve.") },
    returns: [Pet, "The requested animal.", BELLA],
    response: { headers: ["ETag"] },
    conditions: ["If-None-Match"],
    run: ({ params, headers }) => jsonWithEtag(JSON.stringify(fromPet(pets.get(params.petId))), headers),
  });
};

const petWrites = ({ add }: Endpoints, { pets }: PetRooms) => {
  add("POST /v1/pets", {
    id: "createPet",
    stability: "stable",
    scope: "pets:write",
    summary: "Add an animal",
    description: "Adds an animal. It is on disk before the response is sent.",
    idempotent: true,
    body: NewPet,
    bodyExample: { name: "Bella", categoryId: 3, status: "available" },
    status: 201,
    returns: [Pet, "Animal added; the body carries the assigned id.", BELLA],
    response: {
      headers: ["ETag"],
      links: {
        getPet: {
          operationId: "getPet",
          parameters: { petId: "$response.body#/id" },
          description: "The new animal.",
        },
      },
    },
    faults: ["category_not_found"],
    run: ({ body, caller, once }) =>
      once({ status: 201, body: fromPet, headers: (pet) => ({ etag: etagOfPet(pet) }) }, (keep) =>
        pets.add(toNewPet(body), caller, keep),
      ),
  });
  add("PATCH /v1/pets/:petId", {
    id: "changePet",
    scope: "pets:write",
    summary: "Change an animal",
    description:
      "Applies a JSON merge patch (RFC 7396). Absent fields keep their value, and `null` clears the status. While an open order holds the animal, only the order can change its status. The change is on disk before the response is sent.",
    params: { petId: IdInPath("Id of the animal to update.") },
    reads: "json or merge patch",
    body: PetChange,
    bodyExample: { status: "sold" },
    returns: [Pet, "The changed animal.", { ...BELLA, status: "sold" }],
    response: { headers: ["ETag"] },
    conditions: ["If-Match"],
    faults: ["category_not_found", "pet_in_order", "precondition_failed"],
    run: async ({ params: { petId }, body, headers, caller, set }) => {
      const expected = await findExpected(headers, () => pets.get(petId), etagOfPet);
      const pet = await pets.change(petId, toPetChange(body), caller, expected);
      set.headers["etag"] = etagOfPet(pet);
      return fromPet(pet);
    },
  });
  add("POST /v1/pets/changes", {
    id: "changePets",
    scope: "pets:write",
    summary: "Change many animals",
    description:
      "Makes up to 100 changes in one transaction. Each succeeds or fails on its own, as with `PATCH /pets/{petId}`, and has a result: the changed animal with its new entity tag, or the error. The response is 200 even if changes were refused. The changes are on disk before the response is sent.",
    idempotent: true,
    body: PetChanges,
    bodyExample: {
      changes: [
        { id: 7, ifMatch: '"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"', change: { status: "sold" } },
        { id: 9, change: { categoryId: 3 } },
      ],
    },
    returns: [
      PetChangeResults,
      "A result for each change.",
      [
        { id: 7, pet: { ...BELLA, status: "sold" }, etag: '"wM3nTq8cLr0vZs6aXy1bGd5eFh2"' },
        { id: 9, error: { code: "not_found", message: "There is no animal with this id.", status: 404 } },
      ],
    ],
    run: ({ body, caller, once }) =>
      once({ status: 200, body: fromChangeResults }, (keep) =>
        pets.changeMany(toChangeRequests(body), caller, keep),
      ),
  });
  add("DELETE /v1/pets/:petId", {
    id: "deletePet",
    scope: "pets:write",
    summary: "Delete an animal",
    description:
      "Deletes an animal. The deletion is on disk before the response is sent, and the id is never used again. An animal that an open order holds can't be deleted.",
    params: { petId: IdInPath("Id of the animal to delete.") },
    returns: "The animal is deleted.",
    conditions: ["If-Match"],
    faults: ["pet_in_order", "precondition_failed"],
    run: async ({ params: { petId }, headers, caller }) =>
      pets.remove(petId, caller, await findExpected(headers, () => pets.get(petId), etagOfPet)),
  });
};

const petStatistics = ({ add, list }: Endpoints, { statistics }: PetRooms) => {
  list("GET /v1/statistics/categories", {
    id: "getCategoryStatistics",
    summary: "Count the animals of each category",
    description:
      "Returns a page of categories with the number of their animals, after every acknowledged write. Categories without animals are listed too. Animals whose category has no record are not: count them with `GET /statistics?categoryId=`.",
    query: CategoryStatisticsQuery,
    returns: [
      CategoryStatistics,
      "The categories and their counts.",
      [{ id: 3, name: "Dogs", total: 12, byStatus: { available: 8, pending: 1, sold: 3, none: 0 } }],
    ],
    run: async ({ query }) => statistics.ofCategories(query),
  });
  add("GET /v1/statistics", {
    id: "getStatistics",
    summary: "Count the animals",
    description:
      "Counts animals by status and by the day they were added, after every acknowledged write. `q` and `categoryId` select the animals of `total` and `byStatus`. `addedByDay` always counts all animals.",
    query: StatisticsQuery,
    returns: [
      Statistics,
      "The counts.",
      {
        total: 1234,
        byStatus: { available: 800, pending: 30, sold: 400, none: 4 },
        addedByDay: Array.from({ length: DAYS }, (_, index) => ({
          date: new Date(FIRST_DAY + index * DAY_MS).toISOString().slice(0, 10),
          count: (index * 5) % 7,
        })),
      },
    ],
    run: ({ query }) => statistics.read(query),
  });
};

/** Animals and their statistics, under `/v1`. */
export const petEndpoints = ({ macros, ...rooms }: PetRooms & { macros: Macros }) => {
  const room = endpoints({ macros, tag: "animals", scope: "pets:read" });
  petReads(room, rooms);
  petWrites(room, rooms);
  petStatistics(room, rooms);
  return room.app;
};
