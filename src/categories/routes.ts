import { Elysia, status } from "elysia";
import { nextPage } from "../http/headers.ts";
import { NoContent, NoQuery, parseId } from "../http/schemas.ts";
import { findExpected, etagOf, jsonWithEtag } from "../http/etag.ts";
import type { Macros } from "../http/macros.ts";
import { Categories, Category, CategoryChange, CategoryParams, CategoryQuery, NewCategory } from "./model.ts";
import { changeCategory, createCategory, deleteCategory, getCategory, listCategories } from "./openapi.ts";
import type { Category as StoredCategory } from "./repository.ts";
import type { CategoryService } from "./service.ts";

const etagOfCategory = ({ id, name }: StoredCategory): string => etagOf(JSON.stringify({ id, name }));

interface CategoryRouteOptions {
  categories: CategoryService;
  macros: Macros;
}

const singleCategoryRoutes = ({ categories, macros }: CategoryRouteOptions) =>
  new Elysia({ name: "single-category", normalize: false })
    .use(macros)
    .get(
      "/v1/categories/:categoryId",
      async ({ params, headers }) => {
        const { id, name } = await categories.get(parseId(params.categoryId));
        return jsonWithEtag(JSON.stringify({ id, name }), headers);
      },
      {
        stability: "beta",
        scope: "pets:read",
        query: NoQuery,
        params: CategoryParams,
        response: { 200: Category },
        detail: getCategory,
      },
    )
    .patch(
      "/v1/categories/:categoryId",
      async ({ params, body, headers, caller, set }) => {
        const id = parseId(params.categoryId);
        const expected = await findExpected(headers, () => categories.get(id), etagOfCategory);
        const category = await categories.change(id, body, caller, expected);
        set.headers["etag"] = etagOfCategory(category);
        return category;
      },
      {
        stability: "beta",
        scope: "pets:write",
        reads: "json or merge patch",
        query: NoQuery,
        params: CategoryParams,
        body: CategoryChange,
        response: { 200: Category },
        detail: changeCategory,
      },
    )
    .delete(
      "/v1/categories/:categoryId",
      async ({ params, headers, caller }) => {
        const id = parseId(params.categoryId);
        await categories.remove(
          id,
          caller,
          await findExpected(headers, () => categories.get(id), etagOfCategory),
        );
        return status(204, undefined);
      },
      {
        stability: "beta",
        scope: "pets:write",
        query: NoQuery,
        params: CategoryParams,
        response: { 204: NoContent },
        detail: deleteCategory,
      },
    );

/** Categories of animals, under `/v1/categories`. */
export const categoryRoutes = ({ categories, macros }: CategoryRouteOptions) =>
  new Elysia({ name: "categories", normalize: false })
    .use(macros)
    .get(
      "/v1/categories",
      async ({ query, set }) => {
        const limit = Number(query.limit);
        const { items, next } = await categories.list({ limit, cursor: query.cursor });
        Object.assign(set.headers, nextPage("/v1/categories", { limit }, next));
        return items;
      },
      {
        stability: "beta",
        scope: "pets:read",
        query: CategoryQuery,
        response: { 200: Categories },
        detail: listCategories,
      },
    )
    .post(
      "/v1/categories",
      ({ body, caller, once }) =>
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
      {
        stability: "beta",
        scope: "pets:write",
        reads: "json",
        idempotent: true,
        query: NoQuery,
        body: NewCategory,
        response: { 201: Category },
        detail: createCategory,
      },
    )
    .use(singleCategoryRoutes({ categories, macros }));
