import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PhotoBody } from "../store/photos/photos.ts";
import { jpeg } from "../support/images.ts";
import { type Server, directory, launch, real, serve } from "./support.ts";

const test = real();

const ROUNDS = 20;
const CONNECTIONS = 4;
const LONGEST_ROUND_MS = 1200;

const blobsIn = (cwd: string): string[] => {
  const root = join(cwd, "data/blobs");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
};

/** The files that rows need, as a stopped server left them. */
const neededIn = (cwd: string): string[] => {
  using client = new Database(join(cwd, "data/adoption-store.db"));
  const rows = client
    .query<{ manifest: string; files: string }, []>("SELECT manifest, files FROM pet_photos")
    .all();
  return [
    ...new Set(rows.flatMap(({ manifest, files }) => `${manifest} ${files}`.match(/\b[\da-f]{64}\b/g) ?? [])),
  ]
    .map((hash) => join(cwd, "data/blobs", hash.slice(0, 2), hash.slice(2)))
    .toSorted();
};

/** The files of rows that are missing, or have other content than their name says. */
const damagedIn = async (cwd: string): Promise<string[]> => {
  const damaged: string[] = [];
  for (const path of neededIn(cwd)) {
    const content = existsSync(path) ? await Bun.file(path).bytes() : new Uint8Array();
    if (!path.endsWith(Bun.SHA256.hash(content, "hex").slice(2))) damaged.push(path);
  }
  return damaged;
};

/** Adds photos to an animal until the server is killed. @returns those whose 201 was received */
const addUntilKilled = async (
  server: Server,
  width: number,
  isKilled: () => boolean,
): Promise<PhotoBody[]> => {
  const acknowledged: PhotoBody[] = [];
  try {
    const { id } = await server.send<{ id: number }>("/v1/pets", { name: "Bella", categoryId: 1 });
    for (let height = 100; ; height++) {
      const body = await jpeg(width, height);
      const headers = { "content-type": "image/jpeg" };
      const response = await server.call(`/v1/pets/${id}/photos`, { method: "POST", headers, body });
      if (response.status === 409) return acknowledged;
      if (response.status !== 201) throw new Error(`answered ${response.status}`);
      acknowledged.push((await response.json()) as PhotoBody);
    }
  } catch (error) {
    if (isKilled()) return acknowledged;
    throw error;
  }
};

test(`killed ${ROUNDS} times while ${CONNECTIONS} connections add photos, no row lacks a file, and after the sweep no file lacks its row`, async () => {
  const cwd = directory();
  const acknowledged: PhotoBody[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using process = launch({ cwd });
    const server = await process.listening();
    if (!server) throw new Error("the server did not start");
    const timer = setTimeout(process.kill, 100 + Math.random() * LONGEST_ROUND_MS);
    const adding = Array.from({ length: CONNECTIONS }, (_, index) =>
      addUntilKilled(server, 400 + 10 * round + index, process.isKilled),
    );
    acknowledged.push(...(await Promise.all(adding)).flat());
    clearTimeout(timer);
    process.kill();
    await process.exited;
    expect(await damagedIn(cwd)).toEqual([]);
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS);
  const server = await serve({ cwd });
  for (const { preview } of acknowledged) expect((await server.call(preview)).status).toBe(200);
  await server.stop();
  // The server sweeps when it starts.
  expect(blobsIn(cwd).toSorted()).toEqual(neededIn(cwd));
  expect(existsSync(join(cwd, "data/photo-uploads"))).toBe(false);
  console.log(`    ${acknowledged.length} acknowledged`);
}, 600_000);
