// Takes the largest 64-bit integer through adding, listing, filtering, changing and the events. It runs in browsers too.
import { createClient } from "adoption-store-client";

const LARGEST = 9223372036854775807n;

export const exact = async (baseUrl, apiKey) => {
  const client = createClient({ baseUrl, apiKey });
  const added = await client.pets.add({ name: "Exact", categoryId: LARGEST });
  const other = await client.pets.add({ name: "Exact", categoryId: 1 });
  const changed = await client.pets.update(other.id, { categoryId: LARGEST });
  const listed = [];
  for await (const pet of client.pets.iterate({ categoryId: LARGEST })) listed.push(pet.categoryId);
  const sent = [];
  for await (const event of client.pets.events({ lastEventId: "0" })) {
    sent.push(event.pet.categoryId);
    if (event.type === "changed") break;
  }
  return [added.categoryId, changed.categoryId, ...listed, ...sent].map(
    (categoryId) => `${typeof categoryId} ${categoryId}`,
  );
};

if (globalThis.process) console.log(JSON.stringify(await exact(process.env.BASE_URL, process.env.API_KEY)));
