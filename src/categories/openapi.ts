import { operation } from "../http/operation.ts";

const TAGS = ["categories"];
const DOGS = { id: 3, name: "Dogs" };

export const listCategories = operation({
  operationId: "listCategories",
  summary: "List categories",
  description:
    "Returns a page of categories in ascending order of id. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: { 200: { description: "The categories.", headers: ["Link", "Next-Cursor"], example: [DOGS] } },
});

export const createCategory = operation({
  operationId: "createCategory",
  summary: "Add a category",
  description:
    "Adds a category. Names are unique. Case, compatible forms of a letter (NFKC) and the amount of white space make no difference. The category is on disk before the response is sent.",
  tags: TAGS,
  bodyExample: { name: "Dogs" },
  responses: {
    201: {
      description: "The new category, with its id.",
      headers: ["Location", "ETag"],
      example: DOGS,
    },
  },
  faults: ["category_name_taken"],
});

export const getCategory = operation({
  operationId: "getCategory",
  summary: "Fetch one category",
  description: "Returns one category by id. A category can be missing although animals refer to its id.",
  tags: TAGS,
  responses: { 200: { description: "The requested category.", headers: ["ETag"], example: DOGS } },
  conditions: ["If-None-Match"],
});

export const changeCategory = operation({
  operationId: "changeCategory",
  summary: "Rename a category",
  description: "Applies a JSON merge patch (RFC 7396). The animals stay in the category.",
  tags: TAGS,
  bodyExample: { name: "Puppies" },
  responses: {
    200: {
      description: "The renamed category.",
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
  description: "Deletes a category that has no animals. Its id is never used again.",
  tags: TAGS,
  responses: { 204: { description: "The category is deleted." } },
  conditions: ["If-Match"],
  faults: ["category_in_use", "precondition_failed"],
});
