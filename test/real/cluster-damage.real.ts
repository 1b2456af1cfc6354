import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { directory, kept, real, until } from "./support.ts";

const test = real(...ETCD);

const databaseOf = ({ place }: Node) => join(place, "data", "adoption-store.db");

const call = async ({ url }: Node, key: string, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { headers, ...init });
  return { status: response.status, body: (await response.json()) as { id: number; name: string } };
};

const change = (at: Node, key: string, id: number, fields: object) =>
  call(at, key, `/v1/pets/${id}`, { method: "PATCH", body: JSON.stringify(fields) });

/** Three nodes, and the animal Charlie. */
const startThree = async () => {
  const place = directory();
  const etcd = kept(await startEtcd(1));
  const env = { DATABASE_URL: etcd.url("damage") };
  const nodes = ["a", "b", "c"].map((name) => kept(node({ place: join(place, name), env }))) as [
    Node,
    Node,
    Node,
  ];
  for (const each of nodes) await each.start();
  const key = nodes[0].adminKey();
  const pet = { name: "Charlie", categoryId: 1 };
  const { body } = await call(nodes[0], key, "/v1/pets", { method: "POST", body: JSON.stringify(pet) });
  const nameOn = async (at: Node) => (await call(at, key, `/v1/pets/${body.id}`)).body.name;
  expect(await Promise.all(nodes.map(nameOn))).toEqual(["Charlie", "Charlie", "Charlie"]);
  return { nodes, key, id: body.id, nameOn };
};

test("a bit that flips in the file of a stopped node is found before the node serves", async () => {
  const { nodes, key, id, nameOn } = await startThree();
  const [a, b, c] = nodes;
  const pids = [a.pid(), c.pid()];
  await b.kill();
  {
    // All rows are in the file itself.
    using file = new Database(databaseOf(b), { readwrite: true });
    file.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  const content = readFileSync(databaseOf(b));
  for (let at = content.indexOf("Charlie"); at >= 0; at = content.indexOf("Charlie", at))
    content.writeUInt8(content.readUInt8(at + 1) ^ 4, at + 1);
  writeFileSync(databaseOf(b), content);
  {
    using file = new Database(databaseOf(b), { readonly: true });
    expect(file.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  }

  await b.start();
  expect(await nameOn(b)).toBe("Charlie");
  expect((await change(b, key, id, { status: "pending" })).status).toBe(200);
  expect(await Promise.all(nodes.map(nameOn))).toEqual(["Charlie", "Charlie", "Charlie"]);
  expect(existsSync(`${databaseOf(b)}.damaged`)).toBe(true);
  expect([a.pid(), c.pid()]).toEqual(pids);
  expect([a.output(), c.output()].join("")).not.toContain("starting again");
});

/** The number of the root page of a table or index. */
const rootOf = (path: string, name: string): number => {
  using file = new Database(path, { readonly: true });
  const found = file.query<{ rootpage: number }, [string]>(
    "SELECT rootpage FROM sqlite_schema WHERE name = ?",
  );
  return found.get(name)?.rootpage ?? 0;
};

const PAGE = 4096;

test("a node with a zeroed page, in a table or an index, serves from a fresh copy, stopped or running", async () => {
  const { nodes, key, id, nameOn } = await startThree();
  const [a, b, c] = nodes;
  for (const name of ["pets", "pet_names_by_name", "audit_entries", "sqlite_schema"])
    for (const isRunning of [false, true]) {
      {
        using file = new Database(databaseOf(b), { readwrite: true });
        file.run("PRAGMA busy_timeout=5000");
        file.run("PRAGMA wal_checkpoint(TRUNCATE)");
      }
      const page = name === "sqlite_schema" ? 1 : rootOf(databaseOf(b), name);
      expect(page).toBeGreaterThan(0);
      if (!isRunning) await b.kill();
      rmSync(`${databaseOf(b)}.damaged`, { force: true });
      const file = openSync(databaseOf(b), "r+");
      writeSync(file, Buffer.alloc(PAGE), 0, PAGE, (page - 1) * PAGE);
      closeSync(file);
      if (!isRunning) await b.start();
      else await fetch(`${b.url}/v1/pets?sort=name`, { headers: { authorization: `Bearer ${key}` } });
      // Enough writes that the running node reads the page, whose copy its connection may still have.
      await change(a, key, id, { name: `${name} ${isRunning}` });
      await until(`node b has a fresh copy after ${name} was zeroed, running: ${isRunning}`, async () => {
        if (!existsSync(`${databaseOf(b)}.damaged`)) return false;
        return (await nameOn(b).catch(() => undefined)) === `${name} ${isRunning}`;
      });
    }
  expect([a.output(), c.output()].join("")).not.toContain("starting again");
});

test("a node whose row changes by itself writes, and rebuilds its copy alone", async () => {
  const { nodes, key, id, nameOn } = await startThree();
  // The first node is the writer node, so its row is in the record.
  const [b, a, c] = nodes;
  {
    using file = new Database(databaseOf(b), { readwrite: true });
    file.run("PRAGMA busy_timeout=5000");
    file.run("UPDATE pets SET name = 'Clarlie' WHERE id = ?", [id]);
  }
  const pid = b.pid();
  expect((await change(b, key, id, { status: "pending" })).body.name).toBe("Clarlie");
  expect(await nameOn(a)).toBe("Charlie");
  await until("the damaged node serves what the others have", async () => {
    const name = await nameOn(b).catch(() => undefined);
    return name === "Charlie";
  });
  expect(b.pid()).toBe(pid);
  expect(b.output()).toContain("the file is damaged");
  expect([a.output(), c.output()].join("")).not.toContain("starting again");
  expect((await change(b, key, id, { name: "Luna" })).status).toBe(200);
  expect(await Promise.all(nodes.map(nameOn))).toEqual(["Luna", "Luna", "Luna"]);
  expect(existsSync(`${databaseOf(b)}.damaged`)).toBe(true);
});
