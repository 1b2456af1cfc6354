import { operation } from "../http/operation.ts";
import { DAY_MS } from "./queries.ts";
import { DAYS } from "./statistics.ts";

const TAGS = ["animals"];
const BELLA = { id: 7, name: "Bella", categoryId: 3, status: "available" };
const REX = { id: 8, name: "Rex", categoryId: 1 };

export const listPets = operation({
  operationId: "listPets",
  summary: "List animals",
  description:
    'In ascending order of id. While more pages follow, the `Link` header gives the address of the next one (`rel="next"`): use it unchanged. Animals without a status are listed, but no status filter selects them.',
  tags: TAGS,
  responses: {
    200: {
      description: "The list of animals.",
      headers: ["Link", "Next-Cursor", "ETag"],
      example: [BELLA, REX],
    },
  },
  conditions: ["If-None-Match"],
});

export const streamPets = operation({
  operationId: "streamPets",
  summary: "Stream changes to animals",
  description:
    "Server-sent events: `added`, `changed` and `deleted`. Each has an id, and its `data` is the animal as it is when the event is sent, or only the animal's id if it has been deleted. The stream starts with the next change, or after the event that `Last-Event-ID` names. If events after that one are missing, the first event is `reset`: list the animals again. The newest 1,000,000 events are kept, but none of them when a backup is restored. A comment is sent every 15 seconds. An API key may have 10 open streams, and all keys together 100.",
  tags: TAGS,
  responses: {
    200: {
      description: "The stream. It ends when the key expires or is revoked, and when the server stops.",
      textAs: "text/event-stream",
      example: `retry: 2000\n\nid: 1234\nevent: added\ndata: ${JSON.stringify(BELLA)}\n\n`,
    },
  },
});

export const createPet = operation({
  operationId: "createPet",
  summary: "Add an animal",
  description: "The animal is on disk before the response is sent.",
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
    "A JSON merge patch (RFC 7396): absent fields keep their value, and `status: null` removes the status. While an open order holds the animal, only the order changes its status. The change is on disk before the response is sent.",
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

export const deletePet = operation({
  operationId: "deletePet",
  summary: "Delete an animal",
  description:
    "The deletion is on disk before the response is sent, and the id is never used again. An animal that an open order holds cannot be deleted.",
  tags: TAGS,
  responses: { 204: { description: "The animal is deleted." } },
  conditions: ["If-Match"],
  faults: ["pet_in_order", "precondition_failed"],
});

export const getPet = operation({
  operationId: "getPet",
  summary: "Fetch one animal",
  description:
    "Deprecated: it will be removed on 5 December 2030. Use `GET /pets` with the status filter instead.",
  tags: TAGS,
  responses: { 200: { description: "The requested animal.", headers: ["ETag"], example: BELLA } },
  conditions: ["If-None-Match"],
});

const FIRST_DAY = Date.UTC(2026, 9, 22);

export const getStatistics = operation({
  operationId: "getStatistics",
  summary: "Count the animals",
  description:
    "The number of animals by status and by the day on which they were added. New animals count at once; everything else is at most ten seconds old.",
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
