import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { Refused } from "./options.ts";
import { type Server, startServer } from "./processes.ts";
import { pocketBase as program } from "./requirements.ts";

export const POCKETBASE = "PocketBase, Go";

const RECORDS = "/api/collections/pets/records";
/** Counts no animals, which it does by default, and orders them by the key of the table. */
export const PAGE_PATH = `${RECORDS}?perPage=20&skipTotal=1&sort=@rowid`;
export const CREATE = `POST ${RECORDS} {"name":"Bella #","categoryId":3,"status":"available"}`;
/** Ids of PocketBase have 15 characters. */
export const animalPath = (id: number): string => `${RECORDS}/${String(id).padStart(15, "0")}`;

export interface PocketBase {
  server: Server;
  /** A token of a superuser. */
  key: string;
}

/** Starts a PocketBase with the same animals as `Databases.make`. */
export const startPocketBase = async ({ directory }: Bench, animals: number): Promise<PocketBase> => {
  const command = [await program(directory)];
  const data = mkdtempSync(join(directory, "pocketbase-data-"));
  const settings = { DATA_DIR: data, ANIMALS: String(animals) };
  const server = await startServer("pocketbase", command, { directory, settings });
  return { server, key: readFileSync(join(data, "key"), "utf8") };
};

interface Animal {
  name: string;
  categoryId: number;
  status?: string;
}

/** PocketBase sends an absent status as "", and names the collection with each animal. */
const plain = ({ name, categoryId, status = "" }: Animal): Animal => ({ name, categoryId, status });

/** @throws Refused unless its page holds these animals, and it refuses another key */
export const assertSameAnimals = async ({ server, key }: PocketBase, body: string): Promise<void> => {
  const get = (token: string) =>
    fetch(server.url + PAGE_PATH, { headers: { authorization: `Bearer ${token}` } });
  const { items } = (await (await get(key)).json()) as { items: Animal[] };
  if (!Bun.deepEquals(items.map(plain), (JSON.parse(body) as Animal[]).map(plain)))
    throw new Refused(`${server.name} sends other animals`);
  if ((await get(`${key}x`)).status !== 403) throw new Refused(`${server.name} does not check the key`);
};
