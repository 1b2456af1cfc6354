export const listPets = { operationId: "listPets" };
export const createPet = { operationId: "createPet" };
export const getPet = { operationId: "getPet" };
