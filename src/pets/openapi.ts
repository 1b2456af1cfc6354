import { operation } from "../http/operation.ts";
import { DAY_MS } from "../lib/time.ts";
import { DAYS } from "./statistics.ts";

const TAGS = ["animals"];
const BELLA = { id: 7, name: "Bella", categoryId: 3, status: "available" };
const REX = { id: 8, name: "Rex", categoryId: 1 };

export const listPets = operation({
  operationId: "listPets",
  summary: "List animals",
  description:
    'Returns a page of animals in ascending order of id, unless `sort` says otherwise. If more follow, the `Link` header has the address of the next page (`rel="next"`). Use that address unchanged. With `ids`, a list of at most 50 animals has the entity tag of each in `Item-ETags`, for the header `If-Match` of a change. An animal without a status is listed, but no status filter selects it.',
  tags: TAGS,
  responses: {
    200: {
      description: "The list of animals.",
      headers: ["Link", "Next-Cursor", "ETag", "Item-ETags"],
      example: [BELLA, REX],
    },
  },
  conditions: ["If-None-Match"],
});

export const streamPets = operation({
  operationId: "streamPets",
  summary: "Stream changes to animals",
  description:
    "Sends server-sent events: `added`, `changed` and `deleted`. Each event has an id. Its `data` is the current animal, or only the id of a deleted one.\n\nThe stream starts with the next change. To resume, send `Last-Event-ID`: the stream starts after that event. If later events are missing, the first event is `reset`: list the animals again. The service keeps the newest 1,000,000 events. A restored backup has none.\n\nA comment every 15 seconds keeps the connection open. A key or person can have 200 open streams, and all of them together 1,000, unless the operator sets `EVENT_STREAMS_PER_KEY` and `EVENT_STREAMS`.",
  tags: TAGS,
  responses: {
    200: {
      description: "The stream. It ends if the key expires or is revoked, and when the server stops.",
      textAs: "text/event-stream",
      example: `retry: 2000\n\nid: 1234\nevent: added\ndata: ${JSON.stringify(BELLA)}\n\n`,
    },
  },
});

export const createPet = operation({
  operationId: "createPet",
  summary: "Add an animal",
  description: "Adds an animal. It is on disk before the response is sent.",
  tags: TAGS,
  bodyExample: { name: "Bella", categoryId: 3, status: "available" },
  responses: {
    201: {
      description: "Animal added; the body carries the assigned id.",
      headers: ["ETag"],
      example: BELLA,
      links: {
        getPet: {
          operationId: "getPet",
          parameters: { petId: "$response.body#/id" },
          description: "The new animal.",
        },
      },
    },
  },
  faults: ["category_not_found"],
});

export const changePet = operation({
  operationId: "changePet",
  summary: "Change an animal",
  description:
    "Applies a JSON merge patch (RFC 7396). Absent fields keep their value, and `null` clears the status. While an open order holds the animal, only the order can change its status. The change is on disk before the response is sent.",
  tags: TAGS,
  bodyExample: { status: "sold" },
  responses: {
    200: {
      description: "The changed animal.",
      headers: ["ETag"],
      example: { ...BELLA, status: "sold" },
    },
  },
  conditions: ["If-Match"],
  faults: ["category_not_found", "pet_in_order", "precondition_failed"],
});

export const changePets = operation({
  operationId: "changePets",
  summary: "Change many animals",
  description:
    "Makes up to 100 changes in one transaction. Each succeeds or fails on its own, as with `PATCH /pets/{petId}`, and has a result: the changed animal with its new entity tag, or the error. The response is 200 even if changes were refused. The changes are on disk before the response is sent.",
  tags: TAGS,
  bodyExample: {
    changes: [
      { id: 7, ifMatch: '"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"', change: { status: "sold" } },
      { id: 9, change: { categoryId: 3 } },
    ],
  },
  responses: {
    200: {
      description: "A result for each change.",
      example: [
        { id: 7, pet: { ...BELLA, status: "sold" }, etag: '"wM3nTq8cLr0vZs6aXy1bGd5eFh2"' },
        { id: 9, error: { code: "not_found", message: "There is no animal with this id.", status: 404 } },
      ],
    },
  },
});

export const deletePet = operation({
  operationId: "deletePet",
  summary: "Delete an animal",
  description:
    "Deletes an animal. The deletion is on disk before the response is sent, and the id is never used again. An animal that an open order holds can't be deleted.",
  tags: TAGS,
  responses: { 204: { description: "The animal is deleted." } },
  conditions: ["If-Match"],
  faults: ["pet_in_order", "precondition_failed"],
});

export const getPet = operation({
  operationId: "getPet",
  summary: "Fetch one animal",
  description:
    "Returns one animal by id. This operation is deprecated and will be removed on 5 December 2030. Use `GET /pets` with the status filter instead.",
  tags: TAGS,
  responses: { 200: { description: "The requested animal.", headers: ["ETag"], example: BELLA } },
  conditions: ["If-None-Match"],
});

export const getCategoryStatistics = operation({
  operationId: "getCategoryStatistics",
  summary: "Count the animals of each category",
  description:
    "Returns a page of categories with the number of their animals, after every acknowledged write. Categories without animals are listed too. Animals whose category has no record are not: count them with `GET /statistics?categoryId=`.",
  tags: TAGS,
  responses: {
    200: {
      description: "The categories and their counts.",
      headers: ["Link", "Next-Cursor"],
      example: [{ id: 3, name: "Dogs", total: 12, byStatus: { available: 8, pending: 1, sold: 3, none: 0 } }],
    },
  },
});

const FIRST_DAY = Date.UTC(2026, 9, 22);

export const getStatistics = operation({
  operationId: "getStatistics",
  summary: "Count the animals",
  description:
    "Counts animals by status and by the day they were added, after every acknowledged write. `q` and `categoryId` select the animals of `total` and `byStatus`. `addedByDay` always counts all animals.",
  tags: TAGS,
  responses: {
    200: {
      description: "The counts.",
      example: {
        total: 1234,
        byStatus: { available: 800, pending: 30, sold: 400, none: 4 },
        addedByDay: Array.from({ length: DAYS }, (_, at) => ({
          date: new Date(FIRST_DAY + at * DAY_MS).toISOString().slice(0, 10),
          count: (at * 5) % 7,
        })),
      },
    },
  },
});
