import { expect } from "bun:test";
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, type EtcdMember, startEtcd } from "./etcd.ts";
import { directory, kept, real, store, until } from "./support.ts";

const test = real(...ETCD);

const call = async ({ url }: Node, key: string, path: string, pet?: object) => {
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(pet && { method: "POST", body: JSON.stringify(pet) }),
    signal: AbortSignal.timeout(5000),
  });
  return { status: response.status, text: await response.text() };
};

const add = (at: Node, key: string, name: string) => call(at, key, "/v1/pets", { name, categoryId: 1 });

const hasPet = async (at: Node, key: string, name: string): Promise<boolean> => {
  const list = await call(at, key, "/v1/pets").catch(() => undefined);
  return list?.status === 200 && list.text.includes(name);
};

/** Ends a member, changes its data meanwhile, and starts it again. */
const changeData = async (member: EtcdMember, change: () => void): Promise<void> => {
  await member.kill();
  change();
  await member.restart();
};

test("when the engine is restored to an older state, running nodes keep their newer files and continue from the engine's", async () => {
  const place = directory();
  await using etcd = await startEtcd(1);
  const [member] = etcd.members as [EtcdMember];
  const copy = join(place, "etcd");
  const env = { DATABASE_URL: etcd.url("reset") };
  const nodes = ["a", "b"].map((name) => kept(node({ place: join(place, name), env }))) as [Node, Node];
  for (const each of nodes) await each.start();
  const [a, b] = nodes;
  const key = a.adminKey();
  expect((await add(a, key, "Bella")).status).toBe(201);
  await changeData(member, () => cpSync(member.path, copy, { recursive: true }));
  await until("writes go on", async () => (await add(a, key, "Luna")).status === 201, 20_000);
  for (const each of nodes) await until("both have Luna", () => hasPet(each, key, "Luna"));

  await changeData(member, () => {
    rmSync(member.path, { recursive: true });
    cpSync(copy, member.path, { recursive: true });
  });
  const file = join("data", "adoption-store.db");
  for (const each of nodes) {
    await until(
      "the node serves what the engine has",
      async () => {
        const list = await call(each, key, "/v1/pets").catch(() => undefined);
        return list?.status === 200 && list.text.includes("Bella") && !list.text.includes("Luna");
      },
      20_000,
    );
    expect(each.output()).toContain(`before the replica's 5; it is kept as ${file}.newer`);
  }
  expect((await add(b, key, "Max")).status).toBe(201);
  await until("the other node has it, too", () => hasPet(a, key, "Max"));

  // The operator decides for the newer state.
  for (const each of nodes) await each.kill();
  const settings = { cwd: a.place, env };
  for (const end of ["-wal", "-shm"]) rmSync(join(a.place, file + end), { force: true });
  renameSync(join(a.place, `${file}.newer`), join(a.place, file));
  if (existsSync(join(a.place, `${file}.newer-wal`)))
    renameSync(join(a.place, `${file}.newer-wal`), join(a.place, `${file}-wal`));
  const refused = await store(["cluster", "join"], settings);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("add --replace")]);
  const joined = await store(["cluster", "join", "--replace", "--yes"], settings);
  expect(joined).toMatchObject({ code: 0 });
  for (const each of nodes) await each.start();
  for (const each of nodes) expect(await hasPet(each, key, "Luna")).toBe(true);
});
