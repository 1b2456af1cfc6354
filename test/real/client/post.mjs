// Adds animals, several at a time, to a server that dies again and again. Reports the ids by name.
import { createClient } from "adoption-store-client";

const COUNT = Number(process.env.COUNT);
const WRITERS = 4;

let retries = 0;
let replayed = 0;
const client = createClient({
  baseUrl: process.env.BASE_URL,
  apiKey: process.env.API_KEY,
  maxRetries: 50,
  onRetry: () => retries++,
  async fetch(url, init) {
    const response = await fetch(url, init);
    if (response.headers.has("idempotency-replayed")) replayed++;
    return response;
  },
});
const ids = {};
let next = 0;
const write = async () => {
  while (next < COUNT) {
    const name = `Animal ${next++}`;
    ids[name] = (await client.pets.add({ name, categoryId: 1 })).id;
  }
};
await Promise.all(Array.from({ length: WRITERS }, write));
console.log(JSON.stringify({ ids, retries, replayed }));
