import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Bench, serve, withServers } from "./bench.ts";
import { type Results, inTurn, medianOf, ratioOf } from "./contest.ts";
import { Refused } from "./options.ts";
import { type Server, cpuSeconds, launch, resident } from "./processes.ts";
import { run } from "./requirements.ts";
import { atLeast, megabytes, microseconds, ratio, section, whole } from "./table.ts";
import { drive, writeList } from "./wrk.ts";

const ANIMALS = 100_000;
const CATEGORIES = 50;
const SHORTEST = 11;
const LONGEST = 50;
const TARGET = 1.7;
const POST = ['POST /v1/pets {"name":"Bella #","categoryId":3,"status":"available"}'];

interface Sample {
  /** Requests a second. */
  rate: number;
  /** Microseconds of CPU time a request: of all processes of the server, and of the client. */
  cpu: number;
  client: number;
  /** Resident memory of the workers, each, in bytes. */
  worker: number;
}

type Measure = (server: Server, key: string) => Promise<{ requests: number; seconds: number; cpu: number }>;

interface Contestant {
  name: string;
  server: Server;
  key: string;
}

/** The processes that a server has started. */
const workersOf = ({ pid }: Server): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

const cpuOf = (server: Server): number =>
  [server.pid, ...workersOf(server)].reduce((sum, pid) => sum + cpuSeconds(pid), 0);

const sample =
  (measure: Measure) =>
  async ({ server, key }: Contestant): Promise<Record<keyof Sample, number>> => {
    const before = cpuOf(server);
    const { requests, seconds, cpu } = await measure(server, key);
    const workers = workersOf(server);
    return {
      rate: requests / seconds,
      cpu: ((cpuOf(server) - before) / requests) * 1e6,
      client: (cpu / requests) * 1e6,
      worker: workers.reduce((sum, pid) => sum + resident(pid), 0) / Math.max(1, workers.length),
    };
  };

/** Builds the client, whose requests are those of a file of paths. */
const lightClient = async ({ directory }: Bench) => {
  const program = join(directory, "light-client");
  await run("building the client", ["gcc", "-O2", "-o", program, "light-client.c"], import.meta.dir);
  return (file: string, seconds: number): Measure =>
    async ({ url }, key) => {
      const command = [program, new URL(url).port, file, key, String(seconds)];
      const client = launch(command, { cwd: directory, output: "pipe" });
      const [output, errors] = await Promise.all([client.stdout.text(), client.stderr.text()]);
      if ((await client.exited) !== 0) throw new Refused(errors.trim());
      return JSON.parse(output) as Awaited<ReturnType<Measure>>;
    };
};

/** More pages than the server keeps, in turn: each is read from the database. */
const otherPages = (): string[] =>
  Array.from({ length: LONGEST - SHORTEST + 1 }, (_, index) => SHORTEST + index).flatMap((limit) =>
    Array.from(
      { length: CATEGORIES },
      (_, categoryId) => `/v1/pets?limit=${limit}&categoryId=${categoryId || CATEGORIES - 1}`,
    ),
  );

const writeMeasure =
  (load: { file: string; expected: number }, seconds: number): Measure =>
  async (server, key) => ({ ...(await drive(server, { ...load, key }, seconds)), cpu: 0 });

const rowsOf = (
  what: string,
  results: Results<keyof Sample>,
  names: readonly [string, string],
  count: number,
) =>
  names.map((name) => {
    const gain = ratioOf(results, name, names[0], "rate");
    const client = medianOf(results, name, "client");
    return [
      `${what}, ${name}`,
      whole(medianOf(results, name, "rate")),
      ratio(gain),
      // What the rates would be if each process had a core for itself.
      ratio((name === names[0] ? 1 : count) / ratioOf(results, name, names[0], "cpu")),
      microseconds(medianOf(results, name, "cpu")),
      client > 0 ? microseconds(client) : "",
      name === names[0] ? "" : megabytes(medianOf(results, name, "worker")),
      name === names[0] || what === "adding animals" ? "" : atLeast(gain, TARGET, " times one process"),
    ];
  });

/** What more processes bring: lists with the lightest client, and durable writes with wrk. */
export const workers = async (bench: Bench): Promise<string> => {
  const { directory, databases, pace } = bench;
  const count = availableParallelism();
  const names = ["one process", `${count} processes`] as const;
  const [one, many] = [databases.make("one", ANIMALS), databases.make("many", ANIMALS)];
  const servers = [await serve(bench, one), await serve(bench, many, { WORKERS: String(count) })] as const;
  const contestants: Contestant[] = [
    { name: names[0], server: servers[0], key: one.key },
    { name: names[1], server: servers[1], key: many.key },
  ];
  const pathsOf = (name: string, paths: readonly string[]) => {
    const file = join(directory, `${name}.paths`);
    writeFileSync(file, `${paths.join("\n")}\n`);
    return file;
  };
  const client = await lightClient(bench);
  const kept = client(pathsOf("kept", ["/v1/pets?limit=20"]), pace.seconds);
  const others = client(pathsOf("others", otherPages()), pace.seconds);
  const posts = writeMeasure({ file: writeList(directory, "posts", POST), expected: 201 }, pace.seconds);
  const measured = await withServers(servers, async () => {
    const rows: string[][] = [];
    for (const [what, measure] of [
      ["a kept page", kept],
      ["other pages", others],
      ["adding animals", posts],
    ] as const) {
      for (const { server, key } of contestants) await measure(server, key);
      rows.push(...rowsOf(what, await inTurn(contestants, pace.rounds, sample(measure)), names, count));
    }
    return rows;
  });
  return section(
    `Workers: one process and ${count}, with 64 connections`,
    "The client shares the cores with the server, and its CPU time is in the table: on two cores it takes from two processes what one leaves idle. Lists: `light-client.c`, which reads no response. Adding: `wrk`.",
    [
      [
        "load",
        "requests/s",
        "times one process",
        "with a core for each process",
        "server CPU µs",
        "client CPU µs",
        "memory of a worker",
        "target",
      ],
      ...measured,
    ],
  );
};
