import { Elysia, status } from "elysia";
import type { Shared } from "../http/shared.ts";
import { ErrorBody, NoQuery, parseId } from "../http/schemas.ts";
import { ListQuery, NewPet, Pet, PetParams, PetStatus, Pets, fromPet, toNewPet } from "./model.ts";
import { createPet, getPet, listPets } from "./openapi.ts";
import type { PetPages } from "./pages.ts";
import type { PetService } from "./service.ts";

/** The specified operations on animals, under `/v1`. */
export const petRoutes = ({ pets, pages, shared }: { pets: PetService; pages: PetPages; shared: Shared }) =>
  new Elysia({ name: "pets", normalize: false })
    .use(shared)
    .model({ Pet, Pets, NewPet, PetStatus, Error: ErrorBody })
    .get(
      "/v1/pets",
      ({ query: { limit, status, cursor } }) => pages.answer({ limit: Number(limit), status, cursor }),
      { scope: "pets:read", query: ListQuery, response: { 200: Pets }, detail: listPets },
    )
    .post("/v1/pets", async ({ body }) => status(201, fromPet(await pets.add(toNewPet(body)))), {
      scope: "pets:write",
      reads: "json",
      query: NoQuery,
      body: NewPet,
      response: { 201: Pet },
      detail: createPet,
    })
    .get("/v1/pets/:petId", async ({ params }) => fromPet(await pets.get(parseId(params.petId))), {
      deprecated: { successor: "/v1/pets" },
      scope: "pets:read",
      query: NoQuery,
      params: PetParams,
      response: { 200: Pet },
      detail: getPet,
    });
