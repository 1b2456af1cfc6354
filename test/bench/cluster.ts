import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ETCD, startEtcd } from "../real/etcd.ts";
import { POSTGRES, startPostgres } from "../real/postgres.ts";
import { type Bench, serve, withServers } from "./bench.ts";
import { type Contestant, contest, inTurn, medianOf, ratioOf } from "./contest.ts";
import { FIGURES, figuresOf } from "./figures.ts";
import { type Server, cpuSeconds, startServer } from "./processes.ts";
import { atLeast, microseconds, ratio, section, whole } from "./table.ts";
import { drive, writeList } from "./wrk.ts";

const EMBEDDED = "one machine, without a cluster";
const MANY = 256;
const FEW = 16;
const NODES = 3;
const MEMBERS = 3;
const MIN_OF_EMBEDDED = 0.5;
const MIN_SHARE = 0.2;
const POST = ['POST /v1/pets {"name":"Bella #","categoryId":3,"status":"available"}'];
const PAGE = "/v1/pets?limit=20";

interface Engine extends AsyncDisposable {
  url(log: string): string;
}

const ENGINES: readonly { name: string; programs: readonly string[]; start(): Promise<Engine> }[] = [
  { name: `etcd, ${MEMBERS} members`, programs: ETCD, start: () => startEtcd(MEMBERS) },
  { name: "PostgreSQL, without a standby", programs: POSTGRES, start: () => startPostgres() },
];

/** A node of a cluster, in a separate directory. */
const startNode = ({ executable, directory }: Bench, name: string, url: string): Promise<Server> =>
  startServer("adoption-store", [executable, "serve"], {
    directory,
    settings: { DATA_DIR: join(directory, name), PORT: "0", LOG_LEVEL: "warn", DATABASE_URL: url },
  });

interface Cluster {
  name: string;
  /** A node that is alone in its cluster, and the nodes of another cluster. */
  alone: Server;
  nodes: readonly Server[];
  keys: { alone: string; nodes: string };
}

const startCluster = async (bench: Bench, name: string, { url }: Engine): Promise<Cluster> => {
  const nameOf = (node: string) => `${name.replaceAll(/\W+/g, "-")}-${node}`;
  const keyOf = (node: string) =>
    readFileSync(join(bench.directory, nameOf(node), "admin.key"), "utf8").trim();
  const start = (node: string, log: string) => startNode(bench, nameOf(node), url(log));
  const alone = await start("alone", "alone");
  const nodes: Server[] = [];
  for (let node = 0; node < NODES; node++) nodes.push(await start(String(node), "together"));
  return { name, alone, nodes, keys: { alone: keyOf("alone"), nodes: keyOf("0") } };
};

/** Drives all nodes together. @returns animals a second of all, the smallest share, and microseconds of CPU an animal */
const driveAll = async ({ nodes, keys }: Cluster, file: string, seconds: number) => {
  const before = nodes.map(({ pid }) => cpuSeconds(pid));
  const load = { key: keys.nodes, file, expected: 201, connections: FEW };
  const reports = await Promise.all(nodes.map((node) => drive(node, load, seconds)));
  const all = reports.reduce((sum, { requests }) => sum + requests, 0);
  const cpu = nodes.reduce((sum, { pid }, node) => sum + cpuSeconds(pid) - (before[node] ?? 0), 0);
  return {
    rate: reports.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0),
    least: Math.min(...reports.map(({ requests }) => requests)) / all,
    cpu: (cpu / all) * 1e6,
  };
};

const besideEmbedded = async (
  bench: Bench,
  title: string,
  text: string,
  contestants: readonly Contestant[],
  atLeastShare?: number,
): Promise<string> => {
  const results = await contest(contestants, bench.pace);
  const rows = contestants.map(({ name }) => {
    const share = ratioOf(results, name, EMBEDDED, "rate");
    const figures = [...figuresOf(results, name), ratio(share)];
    if (atLeastShare === undefined) return figures;
    return [...figures, name === EMBEDDED ? "" : atLeast(share, atLeastShare, " times one machine")];
  });
  const heading = [...FIGURES, "times one machine", ...(atLeastShare === undefined ? [] : ["target"])];
  return section(title, text, [heading, ...rows]);
};

const together = async ({ pace }: Bench, clusters: readonly Cluster[], file: string): Promise<string> => {
  for (const cluster of clusters) await driveAll(cluster, file, pace.warmUp);
  const results = await inTurn(clusters, pace.rounds, (cluster) => driveAll(cluster, file, pace.seconds));
  const rows = clusters.map(({ name }) => {
    const least = medianOf(results, name, "least");
    return [
      name,
      whole(medianOf(results, name, "rate")),
      `${(least * 100).toFixed(0)} %`,
      microseconds(medianOf(results, name, "cpu")),
      atLeast(least * 100, MIN_SHARE * 100, " %"),
    ];
  });
  return section(
    `A cluster: ${NODES} nodes that write at once`,
    `\`POST /v1/pets\` with ${FEW} connections to each node. The CPU time is that of all nodes: each applies the writes of the others.`,
    [["engine", "requests/s", "least share of a node", "CPU µs a request", "target"], ...rows],
  );
};

const sections = async (
  bench: Bench,
  clusters: readonly Cluster[],
  embedded: Server,
  key: string,
): Promise<string[]> => {
  const file = writeList(bench.directory, "cluster-posts", POST);
  const posts = { file, expected: 201, connections: MANY };
  const contestants = (load: object, nodeOf: (cluster: Cluster) => [Server, string]): Contestant[] => [
    { name: EMBEDDED, server: embedded, load: { path: PAGE, key, ...load } },
    ...clusters.map((cluster) => {
      const [server, key] = nodeOf(cluster);
      return { name: cluster.name, server, load: { path: PAGE, key, ...load } };
    }),
  ];
  return [
    await besideEmbedded(
      bench,
      `A cluster: \`POST /v1/pets\` at one node with ${MANY} connections`,
      "Engines, nodes and the client share two cores. An animal is on a majority of the engine's disks before its response is sent. The CPU time is the node's, without the engine's.",
      contestants(posts, ({ alone, keys }) => [alone, keys.alone]),
      MIN_OF_EMBEDDED,
    ),
    await together(bench, clusters, file),
    await besideEmbedded(
      bench,
      "A cluster: reading a page of 20 animals",
      "A node asks the engine for the end of the log, once for all requests of a turn of the event loop, and answers from its own file.",
      contestants({}, ({ nodes: [node], keys }) => [node as Server, keys.nodes]),
    ),
  ];
};

/** What a cluster costs, and whether its nodes get their share. Engines that are not installed are left out by name. */
export const cluster = async (bench: Bench): Promise<string> => {
  await using engines = new AsyncDisposableStack();
  // The engines are not children of the bench's directory, because PostgreSQL runs as another user.
  process.env["TMPDIR"] = dirname(bench.directory);
  const data = bench.databases.make("not-clustered", 0);
  const embedded = await serve(bench, data);
  const servers = [embedded];
  return await withServers(servers, async () => {
    const clusters: Cluster[] = [];
    for (const { name, programs, start } of ENGINES) {
      const missing = programs.filter((program) => !Bun.which(program));
      if (missing.length > 0) {
        console.error(`  not measured: ${name}: ${missing.join(", ")} is not installed`);
        continue;
      }
      const started = await startCluster(bench, name, engines.use(await start()));
      servers.push(started.alone, ...started.nodes);
      clusters.push(started);
    }
    return (await sections(bench, clusters, embedded, data.key)).join("\n");
  });
};
