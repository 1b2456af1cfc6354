import { expect } from "bun:test";
import { join } from "node:path";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { directory, real, serve, store, until, kept } from "./support.ts";

const test = real(...ETCD);

const namesOf = async ({ url }: Node, key: string): Promise<string[]> => {
  const response = await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) return [String(response.status)];
  return ((await response.json()) as { name: string }[]).map(({ name }) => name);
};

const add = async ({ url }: Node, key: string, name: string): Promise<void> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ name, categoryId: 1 });
  expect((await fetch(`${url}/v1/pets`, { method: "POST", headers, body })).status).toBe(201);
};

test("a backup of a node, restored and joined, takes all nodes of a running cluster back to it", async () => {
  const place = directory();
  await using etcd = await startEtcd(3);
  const env = { DATABASE_URL: etcd.url("restore") };
  const [a, b] = ["a", "b"].map((name) => kept(node({ place: join(place, name), env }))) as [Node, Node];
  for (const each of [a, b]) await each.start();
  const key = a.adminKey();
  const command = async (argv: string[], settings: Record<string, string> = env) => {
    const { code, stdout, stderr } = await store(argv, { cwd: a.place, env: settings });
    return { code, said: stdout + stderr };
  };

  await add(a, key, "Bella");
  const backup = join(place, "backup.db");
  expect(await command(["backup", backup])).toMatchObject({ code: 0 });
  expect((await command(["backup", "--check", backup])).said).toContain("Taken in a cluster, at position");
  await add(b, key, "Max");

  await a.kill();
  const refused = await command(["restore", backup, "--yes"]);
  expect(refused.code).toBe(1);
  expect(refused.said).toContain("adoption-store cluster leave --force");
  expect(await command(["cluster", "leave", "--force"])).toMatchObject({ code: 0 });
  expect(await command(["restore", backup, "--yes"], {})).toMatchObject({ code: 0 });
  expect((await command(["cluster", "join"])).said).toContain("--replace");
  const joined = performance.now();
  expect(await command(["cluster", "join", "--replace", "--yes"])).toMatchObject({ code: 0 });
  await until(
    "the other node serves the backup",
    async () => String(await namesOf(b, key).catch(() => [])) === "Bella",
    60_000,
  );
  console.log(`the other node served the backup after ${Math.round(performance.now() - joined)} ms`);
  await a.start();
  await add(a, key, "Luna");
  expect(await namesOf(b, key)).toEqual(["Bella", "Luna"]);
});

test("a node leaves with all writes of the others and is a separate store, and the others continue", async () => {
  const place = directory();
  await using etcd = await startEtcd(1);
  const env = { DATABASE_URL: etcd.url("leave") };
  const [a, b] = ["a", "b"].map((name) => kept(node({ place: join(place, name), env }))) as [Node, Node];
  for (const each of [a, b]) await each.start();
  const key = a.adminKey();
  await a.kill();
  await add(b, key, "Bella");

  const embedded = await serve({ cwd: a.place }).catch((error: unknown) => String(error));
  expect(embedded).toContain("is a replica of a cluster");
  const refused = await store(["cluster", "leave"], { cwd: a.place, env });
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain("continue to run");
  const left = await store(["cluster", "leave", "--yes", "--json"], { cwd: a.place, env });
  expect({ code: left.code, stdout: JSON.parse(left.stdout) as unknown }).toEqual({
    code: 0,
    stdout: { embedded: true, caughtUp: true },
  });
  await add(b, key, "Max");
  const alone = await serve({ cwd: a.place });
  expect((await alone.read<{ name: string }[]>("/v1/pets")).map(({ name }) => name)).toEqual(["Bella"]);
});
