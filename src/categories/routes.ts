import { Elysia, status } from "elysia";
import { nextLink } from "../http/headers.ts";
import { NoContent, NoQuery, parseId } from "../http/schemas.ts";
import type { Shared } from "../http/shared.ts";
import { Categories, Category, CategoryChange, CategoryParams, CategoryQuery, NewCategory } from "./model.ts";
import { changeCategory, createCategory, deleteCategory, getCategory, listCategories } from "./openapi.ts";
import type { CategoryService } from "./service.ts";

/** Categories of animals, under `/v1/categories`. */
export const categoryRoutes = ({ categories, shared }: { categories: CategoryService; shared: Shared }) =>
  new Elysia({ name: "categories", normalize: false })
    .use(shared)
    .model({ NewCategory, CategoryChange, Category, Categories })
    .get(
      "/v1/categories",
      async ({ query, set }) => {
        const limit = Number(query.limit);
        const { items, next } = await categories.list({ limit, cursor: query.cursor });
        if (next) set.headers["link"] = nextLink("/v1/categories", { limit }, next);
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
      ({ body, once }) =>
        once(
          {
            status: 201,
            body: (category) => category,
            headers: ({ id }) => ({ location: `/v1/categories/${id}` }),
          },
          (keep) => categories.add(body.name, keep),
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
    .get("/v1/categories/:categoryId", ({ params }) => categories.get(parseId(params.categoryId)), {
      stability: "beta",
      scope: "pets:read",
      query: NoQuery,
      params: CategoryParams,
      response: { 200: Category },
      detail: getCategory,
    })
    .patch(
      "/v1/categories/:categoryId",
      ({ params, body }) => categories.change(parseId(params.categoryId), body),
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
      async ({ params }) => {
        await categories.remove(parseId(params.categoryId));
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
