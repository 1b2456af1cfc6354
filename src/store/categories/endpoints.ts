import { endpoints } from "../../http/endpoint.ts";
import { etagOf, findExpected, jsonWithEtag } from "../../http/etag.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath } from "../../http/schemas.ts";
import { Categories, Category, CategoryChange, NewCategory } from "./model.ts";
import type { Category as StoredCategory } from "./repository.ts";
import type { CategoryService } from "./service.ts";

const DOGS = { id: 3, name: "Dogs" };

const categoryId = IdInPath("Id of the category.");

const etagOfCategory = ({ id, name }: StoredCategory): string => etagOf(JSON.stringify({ id, name }));

/** Categories of animals, under `/v1/categories`. */
export const categoryEndpoints = ({
  categories,
  macros,
}: {
  categories: CategoryService;
  macros: Macros;
}) => {
  const { add, list, app } = endpoints({ macros, tag: "categories", scope: "pets:read" });
  list("GET /v1/categories", {
    id: "listCategories",
    summary: "List categories",
    description:
      "Returns a page of categories in ascending order of id. If more follow, the `Link` header has the address of the next page.",
    returns: [Categories, "The categories.", [DOGS]],
    run: ({ query }) => categories.list(query),
  });
  add("POST /v1/categories", {
    id: "createCategory",
    scope: "pets:write",
    summary: "Add a category",
    description:
      "Adds a category. Names are unique. Case, compatible forms of a letter (NFKC) and the amount of white space make no difference. The category is on disk before the response is sent.",
    idempotent: true,
    body: NewCategory,
    bodyExample: { name: "Dogs" },
    status: 201,
    returns: [Category, "The new category, with its id.", DOGS],
    response: { headers: ["Location", "ETag"] },
    faults: ["category_name_taken"],
    run: ({ body, caller, once }) =>
      once(
        {
          status: 201,
          body: (category: StoredCategory) => category,
          headers: (category: StoredCategory) => ({
            location: `/v1/categories/${category.id}`,
            etag: etagOfCategory(category),
          }),
        },
        (keep) => categories.add(body.name, caller, keep),
      ),
  });
  add("GET /v1/categories/:categoryId", {
    id: "getCategory",
    summary: "Fetch one category",
    description: "Returns one category by id. A category can be missing although animals refer to its id.",
    params: { categoryId },
    returns: [Category, "The requested category.", DOGS],
    response: { headers: ["ETag"] },
    conditions: ["If-None-Match"],
    run: async ({ params, headers }) => {
      const { id, name } = await categories.get(params.categoryId);
      return jsonWithEtag(JSON.stringify({ id, name }), headers);
    },
  });
  add("PATCH /v1/categories/:categoryId", {
    id: "changeCategory",
    scope: "pets:write",
    summary: "Rename a category",
    description: "Applies a JSON merge patch (RFC 7396). The animals stay in the category.",
    params: { categoryId },
    reads: "json or merge patch",
    body: CategoryChange,
    bodyExample: { name: "Puppies" },
    returns: [Category, "The renamed category.", { ...DOGS, name: "Puppies" }],
    response: { headers: ["ETag"] },
    conditions: ["If-Match"],
    faults: ["category_name_taken", "precondition_failed"],
    run: async ({ params: { categoryId: id }, body, headers, caller, set }) => {
      const expected = await findExpected(headers, () => categories.get(id), etagOfCategory);
      const category = await categories.change(id, body, caller, expected);
      set.headers["etag"] = etagOfCategory(category);
      return category;
    },
  });
  add("DELETE /v1/categories/:categoryId", {
    id: "deleteCategory",
    scope: "pets:write",
    summary: "Delete a category",
    description: "Deletes a category that has no animals. Its id is never used again.",
    params: { categoryId },
    returns: "The category is deleted.",
    conditions: ["If-Match"],
    faults: ["category_in_use", "precondition_failed"],
    run: async ({ params: { categoryId: id }, headers, caller }) =>
      categories.remove(id, caller, await findExpected(headers, () => categories.get(id), etagOfCategory)),
  });
  return app;
};
