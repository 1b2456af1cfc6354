// Walks all animals, and reports which ids came and how much memory was in use.
import { createClient } from "adoption-store-client";

const client = createClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY });
const times = new Uint8Array(1_000_000);
let count = 0;
let heap = 0;
for await (const { id } of client.pets.iterate()) {
  times[id]++;
  if (++count % 1000 === 0) heap = Math.max(heap, process.memoryUsage().heapUsed);
}

// As ranges, because they are few.
const ranges = [];
for (let id = 0; id < times.length; id++) {
  const last = ranges.at(-1);
  if (times[id] === 0) continue;
  if (last?.[1] === id - 1) last[1] = id;
  else ranges.push([id, id]);
}
const twice = times.filter((seen) => seen > 1).length;
console.log(JSON.stringify({ count, twice, ranges, heapMb: Math.round(heap / 2 ** 20) }));
