import { operation } from "../http/operation.ts";

const TAGS = ["animals"];
const BELLA = { id: 7, name: "Bella", categoryId: 3, status: "available" };
const REX = { id: 8, name: "Rex", categoryId: 1 };

export const listPets = operation({
  operationId: "listPets",
  summary: "List animals",
  description:
    'Ascending by id. While more follow, the `Link` header names the next page (`rel="next"`); follow it as it is. An animal without a status is in the list, but no status filter selects it.',
  tags: TAGS,
  answers: { 200: { description: "The list of animals.", headers: ["Link"], example: [BELLA, REX] } },
});

export const createPet = operation({
  operationId: "createPet",
  summary: "Add an animal",
  description: "When the answer comes, the animal is on disk.",
  tags: TAGS,
  bodyExample: { name: "Bella", categoryId: 3, status: "available" },
  answers: {
    201: {
      description: "Animal added; the body carries the assigned id.",
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
});

export const getPet = operation({
  operationId: "getPet",
  summary: "Fetch one animal",
  description:
    "Deprecated: it will be removed on 5 December 2030. Use `GET /pets` with the status filter instead.",
  tags: TAGS,
  answers: { 200: { description: "The requested animal.", example: BELLA } },
});
