import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { createTestCa } from "../support/certificates.ts";
import { countBad, ROW_FLAGS, writeRows } from "../support/rows.ts";
import { createStore } from "../support/new-store.ts";
import { publish } from "./site.ts";
import { compareNodes, differencesOf } from "./cluster/equality.ts";
import { type Node, node } from "./cluster/nodes.ts";
import { copyOf, countRows, databaseIn, hashTables } from "./cluster/tables.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { MOTO, startMoto } from "./moto.ts";
import { kept, directory, real, run, serve, store } from "./support.ts";

const test = real(...ETCD, MOTO);

const ROWS = 100_000;
const ANIMALS = ROWS - countBad(ROWS);
const PROJECTS = ["cats", "dogs", "birds"];
const DOMAINS = 20;
const JSON_TYPE = { "content-type": "application/json" };

/** A command in a directory, which must succeed. */
const succeed = async (cwd: string, argv: string[], env: Record<string, string> = {}): Promise<string> => {
  const { code, stdout, stderr } = await store(argv, { cwd, env });
  if (code !== 0) throw new Error(`${argv.join(" ")}: ${code} ${stderr}`);
  return stdout;
};

const siteOf = (project: string): string => `<h1>Site of ${project}</h1>`;

/** Domains with a certificate each. */
const addDomains = async (cwd: string): Promise<void> => {
  const { issue } = await createTestCa();
  for (let number = 0; number < DOMAINS; number++) {
    const hostname = `www${number}.example.test`;
    const { key, cert } = await issue([hostname]);
    writeFileSync(join(cwd, "key"), key);
    writeFileSync(join(cwd, "cert"), cert);
    await succeed(cwd, ["domains", "add", hostname, "--project", PROJECTS[number % PROJECTS.length] ?? ""]);
    await succeed(cwd, ["certificates", "import", hostname, "--key", "key", "--chain", "cert"]);
  }
};

/** An embedded store with all data of a shelter. @returns a second key */
const fill = async (cwd: string): Promise<{ admin: string; other: string }> => {
  await writeRows(join(cwd, "rows.csv"), ROWS);
  await createStore(join(cwd, "data"));
  expect((await store(["import", "rows.csv", ...ROW_FLAGS], { cwd })).code).toBe(1);
  await using server = await serve({ cwd });
  for (const project of PROJECTS)
    await publish(server, project, { files: { "index.html": siteOf(project) } });
  await addDomains(cwd);
  const created = await succeed(cwd, [
    "keys",
    "create",
    "--name",
    "reader",
    "--scope",
    "pets:read",
    "--json",
  ]);
  await server.stop();
  return { admin: server.key, other: (JSON.parse(created) as { secret: string }).secret };
};

/** What anybody sees of a server: what its tables show is compared too. */
const seen = async (url: string, { admin, other }: { admin: string; other: string }) => {
  const get = async (path: string, key: string) => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    return response.status === 200 ? response.json() : response.status;
  };
  const sites = await Promise.all(
    PROJECTS.map(async (project) => (await fetch(url, { headers: { host: `${project}.localhost` } })).text()),
  );
  const domains = await Promise.all(
    PROJECTS.map(async (project) => {
      const found = (await get(`/platform/projects/${project}/domains`, admin)) as Record<string, unknown>[];
      // Checks continue meanwhile.
      return found.map(({ hostname, stage, role, createdAt, record }) => ({
        hostname,
        stage,
        role,
        createdAt,
        record,
      }));
    }),
  );
  return {
    sites,
    domains,
    first: await get("/v1/pets?limit=100", other),
    statistics: await get("/v1/statistics", other),
  };
};

const add = async ({ url }: Pick<Node, "url">, key: string, name: string): Promise<number> => {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` };
  const body = JSON.stringify({ name, categoryId: 1 });
  const response = await fetch(`${url}/v1/pets`, { method: "POST", headers, body });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: number }).id;
};

/** The ids of the events of the last animals. */
const eventIds = (place: string): number[] => {
  using copy = copyOf(databaseIn(place));
  return copy
    .query<{ id: number }, []>("SELECT id FROM pet_events ORDER BY id")
    .all()
    .map(({ id }) => id);
};

/** Tables with a machine's position in the log, and tables that each machine has separately. */
const OWN_TABLES = new Set(["contents", "replica", "sqlite_stat1", "sqlite_stat4"]);

const differencesBetween = (a: string, b: string): string[] => {
  const hashes = [a, b].map((place) => {
    using copy = copyOf(databaseIn(place));
    return hashTables(copy);
  });
  return differencesOf(hashes).filter((table) => !OWN_TABLES.has(table));
};

test(`a store with ${ANIMALS} animals, sites, domains and certificates moves into a cluster and back, and loses nothing`, async () => {
  const place = directory();
  const at = (name: string) => join(place, name);
  const [a, b, c] = ["a", "b", "c"].map(at) as [string, string, string];
  await run(["mkdir", a]);
  const keys = await fill(a);
  await cp(a, at("before"), { recursive: true });

  await using etcd = await startEtcd(3);
  await using moto = await startMoto();
  const env = { DATABASE_URL: etcd.url("adoption-store"), BLOBS_URL: moto.url };
  const joining = performance.now();
  await succeed(a, ["cluster", "join", "--yes"], env);
  const joined = performance.now();
  expect(differencesBetween(a, at("before"))).toEqual([]);

  const nodes = [a, b, c].map((path) => kept(node({ place: path, env })));
  for (const each of nodes) await each.start();
  const started = performance.now();
  const sights = await Promise.all(nodes.map(({ url }) => seen(url, keys)));
  for (const sight of sights) expect(sight).toEqual(sights[0] as (typeof sights)[0]);
  expect(sights[0]).toMatchObject({ sites: PROJECTS.map(siteOf) });

  const ids: number[] = [];
  for (let round = 0; round < 30; round++)
    ids.push(await add(nodes[round % nodes.length] as Node, keys.admin, `in the cluster ${round}`));
  expect(ids).toEqual(Array.from({ length: 30 }, (_, index) => ANIMALS + 1 + index));
  expect((await compareNodes(nodes)).differences).toEqual([]);
  const events = eventIds(c);
  await Promise.all(nodes.map((each) => each.kill()));

  const leaving = performance.now();
  await succeed(c, ["cluster", "leave", "--yes"], env);
  const left = performance.now();
  expect(differencesBetween(c, a)).toEqual([]);
  await using alone = node({ place: c, env: {} });
  await alone.start();
  const sight = await seen(alone.url, keys);
  expect(sight).toMatchObject({
    sites: PROJECTS.map(siteOf),
    domains: (sights[0] as (typeof sights)[0]).domains,
  });
  const id = await add(alone, keys.admin, "alone again");
  expect(id).toBe(ANIMALS + 31);
  expect(eventIds(c).at(-1)).toBeGreaterThan(events.at(-1) ?? 0);
  using copy = copyOf(databaseIn(c));
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`;
  console.log(
    `    ${countRows(copy)} rows: joined in ${seconds(joining, joined)}, three nodes after ${seconds(joined, started)}, left in ${seconds(leaving, left)}`,
  );
}, 600_000);
