import { operation } from "../http/operation.ts";
import { DAYS } from "./statistics.ts";

const TAGS = ["animals"];
const BELLA = { id: 7, name: "Bella", categoryId: 3, status: "available" };
const REX = { id: 8, name: "Rex", categoryId: 1 };

export const listPets = operation({
  operationId: "listPets",
  summary: "List animals",
  description:
    'Ascending by id. While more follow, the `Link` header names the next page (`rel="next"`); follow it as it is. An animal without a status is in the list, but no status filter selects it.',
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
  summary: "Follow what happens to animals",
  description:
    "Server-sent events: `added`, `changed` and `deleted`, each with an id, and in `data` the animal as it is when the event is sent, or only its id if it has gone. The stream begins with what happens from now on, or right behind the event that `Last-Event-ID` names. If events are missing in between (the newest 1,000,000 are kept, and none when a backup is restored), `reset` comes first: list the animals anew. A comment comes every 15 seconds. An API key may have 10 streams at once, all together 100.",
  tags: TAGS,
  responses: {
    200: {
      description: "The stream; it ends with the key, and when the server ends.",
      textAs: "text/event-stream",
      example: `retry: 2000\n\nid: 1234\nevent: added\ndata: ${JSON.stringify(BELLA)}\n\n`,
    },
  },
});

export const createPet = operation({
  operationId: "createPet",
  summary: "Add an animal",
  description: "When the answer comes, the animal is on disk.",
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
          description: "The animal that was added.",
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
    "A JSON merge patch (RFC 7396): what is absent stays, `status: null` removes the status. The status of an animal that an open order holds is the order's to change. When the answer comes, the change is on disk.",
  tags: TAGS,
  bodyExample: { status: "sold" },
  responses: {
    200: {
      description: "The animal as it is now.",
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
    "When the answer comes, the animal is gone from the disk too; its id is never given out again. While an open order holds it, it stays.",
  tags: TAGS,
  responses: { 204: { description: "It is gone." } },
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

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 9, 22);

export const getStatistics = operation({
  operationId: "getStatistics",
  summary: "Count the animals",
  description:
    "How many animals there are, by status and by the day that they were added on. Whatever was added counts at once; all else is at most ten seconds old.",
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
