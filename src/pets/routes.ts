import { Elysia, status } from "elysia";
import type { Shared } from "../http/shared.ts";
import { ErrorBody, NoContent, NoQuery, parseId } from "../http/schemas.ts";
import {
  DeletedPetParams,
  ListQuery,
  NewPet,
  Pet,
  PetChange,
  PetParams,
  PetStatus,
  Pets,
  Statistics,
  toListPets,
  toNewPet,
  toPetChange,
} from "./model.ts";
import { changePet, createPet, deletePet, getPet, getStatistics, listPets } from "./openapi.ts";
import type { PetPages } from "./pages.ts";
import type { PetService } from "./service.ts";
import type { PetStatistics } from "./statistics.ts";
import { answerWith, expectedBy, tagged } from "./tagged.ts";

/** Animals, under `/v1`: the specified operations, changing and counting. */
export const petRoutes = ({
  pets,
  pages,
  statistics,
  shared,
}: {
  pets: PetService;
  pages: PetPages;
  statistics: PetStatistics;
  shared: Shared;
}) =>
  new Elysia({ name: "pets", normalize: false })
    .use(shared)
    .model({ Pet, Pets, NewPet, PetChange, PetStatus, Statistics, Error: ErrorBody })
    .get("/v1/pets", ({ query, headers }) => pages.answer(toListPets(query), headers["if-none-match"]), {
      scope: "pets:read",
      query: ListQuery,
      response: { 200: Pets },
      detail: listPets,
    })
    .post(
      "/v1/pets",
      async ({ body, set }) => status(201, tagged(await pets.add(toNewPet(body)), set.headers)),
      {
        scope: "pets:write",
        reads: "json",
        query: NoQuery,
        body: NewPet,
        response: { 201: Pet },
        detail: createPet,
      },
    )
    .patch(
      "/v1/pets/:petId",
      async ({ params, body, headers, set }) => {
        const id = parseId(params.petId);
        const expected = await expectedBy(headers, () => pets.get(id));
        return tagged(await pets.change(id, toPetChange(body), expected), set.headers);
      },
      {
        stability: "beta",
        scope: "pets:write",
        reads: "json or merge patch",
        query: NoQuery,
        params: PetParams,
        body: PetChange,
        response: { 200: Pet },
        detail: changePet,
      },
    )
    .delete(
      "/v1/pets/:petId",
      async ({ params, headers }) => {
        const id = parseId(params.petId);
        const expected = await expectedBy(headers, () => pets.get(id));
        return pets.remove(id, expected);
      },
      {
        stability: "beta",
        scope: "pets:write",
        query: NoQuery,
        params: DeletedPetParams,
        response: { 204: NoContent },
        detail: deletePet,
      },
    )
    .get(
      "/v1/pets/:petId",
      async ({ params, headers }) => answerWith(await pets.get(parseId(params.petId)), headers),
      {
        deprecated: { successor: "/v1/pets" },
        scope: "pets:read",
        query: NoQuery,
        params: PetParams,
        response: { 200: Pet },
        detail: getPet,
      },
    )
    .get("/v1/statistics", () => statistics.read(), {
      stability: "beta",
      scope: "pets:read",
      query: NoQuery,
      response: { 200: Statistics },
      detail: getStatistics,
    });
