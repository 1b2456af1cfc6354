import { Elysia } from "elysia";
import { callerId } from "../http/authorization.ts";
import { findExpected, jsonWithEtag } from "../http/etag.ts";
import { nextPage } from "../http/headers.ts";
import type { Macros } from "../http/macros.ts";
import { NoContent, NoQuery, parseId } from "../http/schemas.ts";
import {
  CategoryStatistics,
  CategoryStatisticsQuery,
  ChangedPetParams,
  DeletedPetParams,
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
  PetParams,
  Pets,
  Statistics,
  StatisticsQuery,
  toChangeRequests,
  toCountedPets,
  toListPets,
  toNewPet,
  toPetChange,
} from "./model.ts";
import {
  changePet,
  changePets,
  createPet,
  deletePet,
  getCategoryStatistics,
  getPet,
  getStatistics,
  listPets,
  streamPets,
} from "./openapi.ts";
import type { EventStream } from "./events/stream-response.ts";
import type { PetListCache } from "./page-cache.ts";
import type { PetService } from "./service.ts";
import type { PetStatistics } from "./statistics.ts";

interface PetRouteOptions {
  pets: PetService;
  pages: PetListCache;
  statistics: PetStatistics;
  stream: EventStream;
  macros: Macros;
}

const petWriteRoutes = ({ pets, macros }: PetRouteOptions) =>
  new Elysia({ name: "pet-writes", normalize: false })
    .use(macros)
    .post(
      "/v1/pets",
      ({ body, caller, once }) =>
        once({ status: 201, body: fromPet, headers: (pet) => ({ etag: etagOfPet(pet) }) }, (keep) =>
          pets.add(toNewPet(body), caller, keep),
        ),
      {
        scope: "pets:write",
        reads: "json",
        idempotent: true,
        query: NoQuery,
        body: NewPet,
        response: { 201: Pet },
        detail: createPet,
      },
    )
    .patch(
      "/v1/pets/:petId",
      async ({ params, body, headers, caller, set }) => {
        const id = parseId(params.petId);
        const expected = await findExpected(headers, () => pets.get(id), etagOfPet);
        const pet = await pets.change(id, toPetChange(body), caller, expected);
        set.headers["etag"] = etagOfPet(pet);
        return fromPet(pet);
      },
      {
        stability: "beta",
        scope: "pets:write",
        reads: "json or merge patch",
        query: NoQuery,
        params: ChangedPetParams,
        body: PetChange,
        response: { 200: Pet },
        detail: changePet,
      },
    )
    .post(
      "/v1/pets/changes",
      ({ body, caller, once }) =>
        once({ status: 200, body: fromChangeResults }, (keep) =>
          pets.changeMany(toChangeRequests(body), caller, keep),
        ),
      {
        stability: "beta",
        scope: "pets:write",
        reads: "json",
        idempotent: true,
        query: NoQuery,
        body: PetChanges,
        response: { 200: PetChangeResults },
        detail: changePets,
      },
    )
    .delete(
      "/v1/pets/:petId",
      async ({ params, headers, caller }) => {
        const id = parseId(params.petId);
        const expected = await findExpected(headers, () => pets.get(id), etagOfPet);
        return pets.remove(id, caller, expected);
      },
      {
        stability: "beta",
        scope: "pets:write",
        query: NoQuery,
        params: DeletedPetParams,
        response: { 204: NoContent },
        detail: deletePet,
      },
    );

/** Animals and their statistics, under `/v1`. */
export const petRoutes = (options: PetRouteOptions) => {
  const { pets, pages, statistics, stream, macros } = options;
  return new Elysia({ name: "pets", normalize: false })
    .use(macros)
    .get("/v1/pets", ({ query, headers }) => pages.respond(toListPets(query), headers["if-none-match"]), {
      scope: "pets:read",
      query: ListQuery,
      response: { 200: Pets },
      detail: listPets,
    })
    .use(petWriteRoutes(options))
    .get(
      "/v1/pets/events",
      ({ query, headers, request, caller }) =>
        stream(request, callerId(caller), headers["last-event-id"] ?? query.lastEventId),
      {
        stability: "beta",
        scope: "pets:read",
        query: EventsQuery,
        headers: EventsHeaders,
        detail: streamPets,
      },
    )
    .get(
      "/v1/pets/:petId",
      ({ params, headers }) =>
        jsonWithEtag(JSON.stringify(fromPet(pets.get(parseId(params.petId)))), headers),
      {
        deprecated: { successor: "/v1/pets" },
        scope: "pets:read",
        query: NoQuery,
        params: PetParams,
        response: { 200: Pet },
        detail: getPet,
      },
    )
    .get(
      "/v1/statistics/categories",
      ({ query, set }) => {
        const limit = Number(query.limit);
        const { items, next } = statistics.ofCategories({ limit, cursor: query.cursor });
        Object.assign(set.headers, nextPage("/v1/statistics/categories", { limit }, next));
        return items;
      },
      {
        stability: "beta",
        scope: "pets:read",
        query: CategoryStatisticsQuery,
        response: { 200: CategoryStatistics },
        detail: getCategoryStatistics,
      },
    )
    .get("/v1/statistics", ({ query }) => statistics.read(toCountedPets(query)), {
      stability: "beta",
      scope: "pets:read",
      query: StatisticsQuery,
      response: { 200: Statistics },
      detail: getStatistics,
    });
};
