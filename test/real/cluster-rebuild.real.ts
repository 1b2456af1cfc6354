import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { directory, real, store, until, kept } from "./support.ts";

const test = real(...ETCD);

const databaseOf = ({ place }: Node) => join(place, "data", "adoption-store.db");

const call = async ({ url }: Node, key: string, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { headers, ...init });
  return { status: response.status, body: (await response.json()) as { id: number; name: string } };
};

const addPet = (at: Node, key: string, name: string) =>
  call(at, key, "/v1/pets", { method: "POST", body: JSON.stringify({ name, categoryId: 1 }) });

const startTwo = async (path: string, env: Record<string, string>) => {
  const nodes = ["a", "b"].map((name) => kept(node({ place: join(path, name), env }))) as [Node, Node];
  for (const each of nodes) await each.start();
  return nodes;
};

test("a node whose file another process changed rebuilds it, in the same process", async () => {
  const place = directory();
  await using etcd = await startEtcd(1);
  const [a, b] = await startTwo(place, { DATABASE_URL: etcd.url("rebuild") });
  const key = a.adminKey();
  const { body: bella } = await addPet(a, key, "Bella");
  expect((await call(b, key, `/v1/pets/${bella.id}`)).body.name).toBe("Bella");

  {
    using file = new Database(databaseOf(b), { readwrite: true });
    file.run("PRAGMA busy_timeout=5000");
    file.run("UPDATE pets SET name = 'Changed' WHERE id = ?", [bella.id]);
  }
  const pid = b.pid();
  const change = { method: "PATCH", body: JSON.stringify({ name: "Luna" }) };
  expect((await call(a, key, `/v1/pets/${bella.id}`, change)).status).toBe(200);
  await until("the node serves what the cluster has", async () => {
    const found = await call(b, key, `/v1/pets/${bella.id}`).catch(() => undefined);
    return found?.status === 200 && found.body.name === "Luna";
  });
  expect(b.pid()).toBe(pid);
  expect(existsSync(`${databaseOf(b)}.outdated`)).toBe(false);
  expect((await addPet(b, key, "Max")).status).toBe(201);
});

test("an adopter who is erased on one node is in no file of another", async () => {
  const place = directory();
  await using etcd = await startEtcd(1);
  const env = { DATABASE_URL: etcd.url("erasure") };
  const [a, b] = await startTwo(place, env);
  const key = a.adminKey();
  const order = async () => {
    const pet = { name: "Bella", categoryId: 1, status: "available" };
    const { body } = await call(a, key, "/v1/pets", { method: "POST", body: JSON.stringify(pet) });
    const adopter = { name: "Grace Hopper", email: "grace@example.org" };
    const placing = { method: "POST", body: JSON.stringify({ petId: body.id, adopter }) };
    return (await call(a, key, "/v1/store/orders", placing)).status;
  };
  expect([await order(), await order()]).toEqual([201, 201]);
  const holds = ({ place: at }: Node) =>
    ["", "-wal"].some((end) => {
      const path = join(at, "data", `adoption-store.db${end}`);
      return existsSync(path) && readFileSync(path).includes("grace@example.org");
    });
  await until("both nodes hold the person", async () => holds(a) && holds(b));
  const forget = ["orders", "forget", "grace@example.org", "--cancel", "--yes"];
  const { code, stderr } = await store(forget, { cwd: a.place, env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  await until("no node holds the person", async () => !holds(a) && !holds(b), 90_000);
  expect((await addPet(b, key, "Max")).status).toBe(201);
});
