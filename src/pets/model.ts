import type { NewPet as NewPetFields, Pet as StoredPet } from "./repository.ts";
import { type Static, t } from "elysia";
import { bigintOf, jsonInteger } from "../http/json.ts";
import { Cursor, Id, IdInPath, Int64, Limit, OneOf, Text } from "../http/schemas.ts";

const Name = Text("PetName", {
  most: 200,
  description: "The animal's name: not only white space, no control characters.",
  examples: ["Bella"],
});

export const PetStatus = OneOf("PetStatus", ["available", "pending", "sold"], {
  $id: "PetStatus",
  description: "Availability status.",
  examples: ["available"],
});

const fields = {
  name: Name,
  categoryId: Int64({ description: "Id of the category the animal belongs to.", examples: [3] }),
  status: t.Optional(PetStatus),
};

export const NewPet = t.Object(fields, {
  $id: "NewPet",
  additionalProperties: false,
  description: "An animal to add.",
});

export const Pet = t.Object(
  { id: Id("Unique identifier, assigned by the service on creation."), ...fields },
  { $id: "Pet", description: "An animal offered for adoption." },
);

export const Pets = t.Array(Pet, { $id: "Pets", maxItems: 100, description: "Animals, ascending by id." });

export const ListQuery = t.Object(
  { limit: t.Optional(Limit), status: t.Optional(PetStatus), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
);

export const PetParams = t.Object({ petId: IdInPath("Id of the animal to retrieve.") });

/** The domain's form of a checked body. */
export const toNewPet = ({ name, categoryId, status }: Static<typeof NewPet>): NewPetFields => ({
  name,
  // The schema let only integers through.
  categoryId: bigintOf(categoryId) as bigint,
  ...(status && { status }),
});

/** The wire form of an animal. */
export const fromPet = ({ id, name, categoryId, status }: StoredPet): Static<typeof Pet> => ({
  id,
  name,
  categoryId: jsonInteger(categoryId),
  ...(status && { status }),
});
