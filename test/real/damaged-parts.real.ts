import { Database as Client } from "bun:sqlite";
import { expect } from "bun:test";
import { closeSync, cpSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createStore } from "../support/new-store.ts";
import { zeroPages } from "../support/damage.ts";
import { type Server, directory, real, run, serve, store, until } from "./support.ts";

const test = real();

const ANIMALS = Number(process.env["ANIMALS"] ?? 2000);

/** The first check of a server begins ten seconds after its start. */
const MAX_MS = 30_000;

const order = (server: Server, petId: number) =>
  server.call("/v1/store/orders", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ petId, adopter: { name: "Jo Field", email: "jo@example.org" } }),
  });

const READS = {
  animals: "/v1/pets?limit=100",
  search: "/v1/pets?sort=name&limit=100",
  orders: "/v1/store/orders",
  keys: "/platform/keys",
  "audit log": "/platform/audit",
  sites: "/platform/projects",
};

/** A DATA_DIR with animals, orders and a project, that no process has open. */
const filled = async (): Promise<string> => {
  const cwd = directory();
  const rows = Array.from(
    { length: ANIMALS },
    (_, id) => `Animal ${id} of the shelter,${id % 7},available\n`,
  );
  writeFileSync(join(cwd, "a.csv"), `name,categoryId,status\n${rows.join("")}`);
  await createStore(join(cwd, "data"));
  expect((await store(["import", "a.csv"], { cwd })).code).toBe(0);
  await using server = await serve({ cwd });
  for (let pet = 1; pet <= 100; pet++) expect((await order(server, pet)).status).toBe(201);
  await server.send("/platform/projects", { slug: "docs", name: "Docs", plan: "free" });
  // The index follows the writes.
  expect((await server.call(READS.search)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  return cwd;
};

/** Damages a running server, and waits until it has found that without a request. @returns the message of /readyz */
const findDamage = async (server: Server, tables: readonly string[]): Promise<string> => {
  for (const table of tables) zeroPages(join(server.cwd, "data/adoption-store.db"), table);
  const state = async () => (await fetch(`${server.url}/readyz`)).json() as Promise<{ message?: string }>;
  await until("the damage is found", async () => (await state()).message !== undefined, MAX_MS);
  return (await state()).message ?? "";
};

const statusesOf = async (server: Server) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(READS).map(async ([part, path]) => [part, (await server.call(path)).status] as const),
    ),
  );

const ALL = { animals: 200, search: 200, orders: 200, keys: 200, "audit log": 200, sites: 200 };

test("a server finds zeroed pages of one table before a request does: /readyz names the part, and the others work", async () => {
  const source = await filled();
  const start = async () => {
    const cwd = directory();
    cpSync(join(source, "data"), join(cwd, "data"), { recursive: true });
    return serve({ cwd });
  };
  await using orders = await start();
  await using search = await start();
  await using whole = await start();
  const begin = performance.now();
  const [damagedOrders, damagedSearch] = await Promise.all([
    findDamage(orders, ["orders"]),
    findDamage(search, ["pet_names", "pet_names_by_name"]),
  ]);
  console.log(`found after ${Math.round(performance.now() - begin)} ms`);
  expect(damagedOrders).toContain(
    "damaged: orders; working: animals, search, sites, keys, people, audit log",
  );
  expect(damagedSearch).toContain("damaged: search; working: animals, orders, sites");
  expect(await statusesOf(orders)).toEqual({ ...ALL, orders: 503 });
  expect(await statusesOf(search)).toEqual({ ...ALL, search: 503 });
  // The start has read the last order, so the connection may still have its pages.
  expect([201, 503]).toContain((await order(orders, 200)).status);
  expect((await orders.add("Rex")).status).toBe(201);
  expect((await search.add("Rex")).status).toBe(201);
  expect((await whole.call("/readyz")).status).toBe(200);
  expect(await statusesOf(whole)).toEqual(ALL);
}, 60_000);

test("20 animals that the list by name lacks are reported by doctor, backup --check, restore and the server's own check", async () => {
  const cwd = await filled();
  {
    using client = new Client(join(cwd, "data/adoption-store.db"));
    client.run("DELETE FROM pet_names WHERE id BETWEEN 20 AND 39");
  }
  const difference = "derived data differs from its rows (animals in the list by name: 20)";
  const examined = await store(["doctor", "--port", "0"], { cwd });
  expect(examined.code).toBe(1);
  expect(examined.stdout).toContain(
    `FAILED  derived data: ${difference}: stop the server and run adoption-store doctor --repair`,
  );
  expect((await store(["backup", "b.db"], { cwd })).code).toBe(0);
  const checked = await store(["backup", "--check", "b.db"], { cwd });
  expect([checked.code, checked.stderr]).toEqual([0, expect.stringContaining(difference)]);
  const restored = await store(["restore", "b.db", "--data-dir", "restored"], { cwd });
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining(difference)]);
  await using server = await serve({ cwd });
  const state = () =>
    server.read<{ warnings?: { code: string; count: number; message: string }[] }>("/readyz");
  const warning = async () => (await state()).warnings?.find(({ code }) => code === "derived_data_differs");
  await until("the server has compared", async () => (await warning()) !== undefined, MAX_MS);
  expect(await warning()).toMatchObject({ count: 20, message: expect.stringContaining(difference) });
}, 60_000);

test("a byte of an order that the disk changes while the server is stopped is found by the check of the next one", async () => {
  const cwd = await filled();
  const path = join(cwd, "data/adoption-store.db");
  {
    await using server = await serve({ cwd });
    await until("the pages have hashes", () => existsSync(`${path}.pages`), MAX_MS);
    expect(await server.stop()).toBe(0);
  }
  // A disk does not change the times of a file.
  await run(["cp", "--attributes-only", "--preserve=timestamps", path, join(cwd, "times")]);
  const file = openSync(path, "r+");
  writeSync(file, "K", readFileSync(path).lastIndexOf("Jo Field"));
  closeSync(file);
  await run(["touch", `--reference=${join(cwd, "times")}`, path]);
  expect((await store(["doctor", "--port", "0"], { cwd })).stdout).toContain("database: intact");
  await using server = await serve({ cwd });
  const changed = async () => {
    const { warnings } = await server.read<{ warnings?: { code: string; message: string }[] }>("/readyz");
    return warnings?.find(({ code }) => code === "pages_changed")?.message;
  };
  await until("the change is found", async () => (await changed()) !== undefined, MAX_MS);
  expect(await changed()).toContain("(orders: 1): compare these tables with the last backup");
}, 60_000);
