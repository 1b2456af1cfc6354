import { operation } from "../http/operation.ts";

const TAGS = ["categories"];
const DOGS = { id: 3, name: "Dogs" };

export const listCategories = operation({
  operationId: "listCategories",
  summary: "List categories",
  description: "Ascending by id. While more follow, the `Link` header names the next page.",
  tags: TAGS,
  responses: { 200: { description: "The categories.", headers: ["Link", "Next-Cursor"], example: [DOGS] } },
});

export const createCategory = operation({
  operationId: "createCategory",
  summary: "Add a category",
  description:
    "Names are compared without regard to case, to compatible forms of a letter (NFKC), and to how much white space is around and between their words. When the answer comes, the category is on disk.",
  tags: TAGS,
  bodyExample: { name: "Dogs" },
  responses: {
    201: {
      description: "Category added; the body carries the assigned id.",
      headers: ["Location", "ETag"],
      example: DOGS,
    },
  },
  faults: ["category_name_taken"],
});

export const getCategory = operation({
  operationId: "getCategory",
  summary: "Fetch one category",
  description: "An animal may name an id that no category has.",
  tags: TAGS,
  responses: { 200: { description: "The requested category.", headers: ["ETag"], example: DOGS } },
  conditions: ["If-None-Match"],
});

export const changeCategory = operation({
  operationId: "changeCategory",
  summary: "Rename a category",
  description: "A JSON merge patch (RFC 7396). Its animals stay with it.",
  tags: TAGS,
  bodyExample: { name: "Puppies" },
  responses: {
    200: {
      description: "The category as it is now.",
      headers: ["ETag"],
      example: { ...DOGS, name: "Puppies" },
    },
  },
  conditions: ["If-Match"],
  faults: ["category_name_taken", "precondition_failed"],
});

export const deleteCategory = operation({
  operationId: "deleteCategory",
  summary: "Delete a category",
  description: "One that no animal names. Its id is never given out again.",
  tags: TAGS,
  responses: { 204: { description: "The category is gone." } },
  conditions: ["If-Match"],
  faults: ["category_in_use", "precondition_failed"],
});
