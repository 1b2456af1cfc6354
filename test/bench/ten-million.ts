import { rmSync, statSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { type Bench, serve, withServers } from "./bench.ts";
import { watched } from "./bulk.ts";
import { type Contestant, contest, median, medianOf, ratioOf, sample } from "./contest.ts";
import { writeCrowd } from "./crowd.ts";
import type { DataDir } from "./databases.ts";
import { Refused } from "./options.ts";
import { type Place, path, walk } from "./pages.ts";
import type { Server } from "./processes.ts";
import { atMost, megabytes, microseconds, milliseconds, perCore, ratio, section, whole } from "./table.ts";
import { drive, writeList } from "./wrk.ts";

const ANIMALS = 10_000_000;
const FEW = 1000;
/** The rows, the database and its log. */
const FREE_BYTES = 10e9;

const MAX_MS = 50;
const MAX_PAGE_RATIO = 1.2;
const MAX_WRITE_RATIO = 2;

const PROGRESS_MS = 15_000;
/** A search that takes longer is asked for once. */
const SLOW_MS = 2000;
const STARTS = 3;
const SETTLE_SECONDS = 30;
const POST = ['POST /v1/pets {"name":"Bella #","categoryId":3,"status":"available"}'];

/** Imports so many animals into a new DATA_DIR. */
const imported = async (bench: Bench, name: string, animals: number): Promise<DataDir> => {
  const rows = join(bench.directory, `${name}.csv`);
  await writeCrowd(rows, animals);
  const data = bench.databases.make(name, 0);
  const progress = setInterval(
    () => console.error(`  importing ${whole(animals)} animals: ${megabytes(statSync(data.file).size)}`),
    PROGRESS_MS,
  );
  await watched(bench, ["import", rows, "--data-dir", data.path]).finally(() => clearInterval(progress));
  rmSync(rows);
  return data;
};

/** Durable writes right after the import, and later. */
const writesBehindImport = async (bench: Bench, data: DataDir, animals: number): Promise<string> => {
  const { seconds } = bench.pace;
  const server = await serve(bench, data);
  const load = { key: data.key, file: writeList(bench.directory, "behind-import", POST), expected: 201 };
  const contestant = { name: "posts", server, load };
  const [first, later] = await withServers([server], async () => {
    const now = await sample(contestant, seconds);
    await drive(server, load, SETTLE_SECONDS);
    return [now, await sample(contestant, seconds)] as const;
  });
  const row = (name: string, { cpu, rate, p99 }: typeof first) => [
    name,
    perCore(cpu),
    whole(rate),
    milliseconds(p99),
    microseconds(cpu),
  ];
  const times = first.cpu / later.cpu;
  return section(
    `${whole(animals)} animals: \`POST /v1/pets\` right after their import`,
    `64 connections for ${seconds} s as soon as the server has started, and again after ${SETTLE_SECONDS} s of the same.`,
    [
      ["", "requests/s per core", "requests/s", "p99", "CPU µs a request", "times later", "target (CPU)"],
      [...row("right after the import", first), ratio(times), atMost(times, MAX_WRITE_RATIO, "")],
      [...row("later", later), ratio(1), ""],
    ],
  );
};

/** Milliseconds from a request to the end of its response, or to that of a connection on which none came in time. */
const timeOf = async ({ url }: Server, key: string, path: string): Promise<number> => {
  const began = performance.now();
  // A kept connection may be closed as idle while the server works.
  const options = { headers: { authorization: `Bearer ${key}` }, keepalive: false };
  const response = await fetch(url + path, options).catch(() => undefined);
  await response?.arrayBuffer();
  if (response && response.status !== 200) throw new Refused(`${path}: ${response.status}`);
  return performance.now() - began;
};

type Search = Omit<Place, "after" | "sort">;

/** What makes a search slow: words and filters that many animals have, and few or none together. See crowd.ts. */
const SEARCHES: readonly Search[] = [
  { status: "sold" },
  { categoryId: 20n },
  { status: "pending", categoryId: 20n },
  { q: "bella" },
  { q: "b" },
  { q: "luna" },
  { q: "kakakaka" },
  { q: "bella boy" },
  { q: "boy girl" },
  { q: "luna kakakaka" },
  { q: "bella boy luna" },
  { q: "bella", status: "pending" },
  { q: "home", status: "available" },
  { q: "woof", categoryId: 2n },
  { q: "boy", status: "pending", categoryId: 20n },
  { q: "home", status: "available", categoryId: 1n },
  { q: "boy girl", status: "sold", categoryId: 1n },
  { q: "luna old", status: "pending", categoryId: 20n },
];

const nameOf = (search: Search): string =>
  Object.entries(search)
    .map(([name, value]) => `\`${name}=${String(value)}\``)
    .join(", ");

const placesIn = (animals: number): readonly Pick<Place, "after" | "sort">[] => [
  { after: 0 },
  { after: animals / 2 },
  { after: animals - 1000 },
  { after: 0, sort: "-id" },
  { after: 0, sort: "name" },
];

/** Pages of each size once: the server caches those that it has sent. */
const LIMITS = [20, 21, 22, 23, 24];

const searchRow = async (server: Server, data: DataDir, search: Search, animals: number) => {
  const times: number[] = [];
  for (const place of placesIn(animals)) {
    const runs: number[] = [];
    for (const limit of LIMITS) {
      runs.push(await timeOf(server, data.key, path(limit, { ...place, ...search })));
      // Other work of the machine does not explain such a time.
      if ((runs.at(-1) ?? 0) > SLOW_MS) break;
    }
    times.push(median(runs));
  }
  const worst = Math.max(...times);
  return [nameOf(search), ms(worst), ms(median(times)), atMost(worst, MAX_MS, " ms")];
};

const ms = (value: number): string => `${value.toFixed(1)} ms`;

const firstStatistics = async (bench: Bench, data: DataDir): Promise<string[]> => {
  const times: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const server = await serve(bench, data);
    times.push(await withServers([server], () => timeOf(server, data.key, "/v1/statistics")));
  }
  const worst = Math.max(...times);
  const name = "the first `/v1/statistics` after a start";
  return [name, ms(worst), ms(median(times)), atMost(worst, MAX_MS, " ms")];
};

const searches = async (bench: Bench, data: DataDir, animals: number): Promise<string> => {
  const statistics = await firstStatistics(bench, data);
  const server = await serve(bench, data);
  const rows = await withServers([server], async () => {
    const found: string[][] = [];
    for (const search of SEARCHES) {
      console.error(`  ${nameOf(search)}`);
      found.push(await searchRow(server, data, search, animals));
    }
    return found;
  });
  return section(
    `${whole(animals)} animals: the worst page of a search`,
    `One request at a time. Each search begins at the first animal, in the middle and near the end, and is also sorted by \`-id\` and \`name\`. The time of each is the median of ${LIMITS.length} pages that are not cached.`,
    [["search", "worst", "median", "target (worst)"], statistics, ...rows],
  );
};

const pagesOf = (animals: number): readonly (Place & { name: string })[] => [
  { name: "first", after: 0 },
  { name: "deep", after: 0.9 * animals },
  { name: "deep, `status=sold`", after: 0.9 * animals, status: "sold" },
  { name: "first, `categoryId=7`", after: 0, categoryId: 7n },
  { name: "deep, `categoryId=7`", after: 0.9 * animals, categoryId: 7n },
];

const pages = async (bench: Bench, many: DataDir, animals: number): Promise<string> => {
  const few = await imported(bench, "few-of-crowd", FEW);
  const servers = [await serve(bench, few), await serve(bench, many)] as const;
  const contestantOf = (name: string, server: Server, { key }: DataDir, place: Place): Contestant => ({
    name,
    server,
    load: { key, file: writeList(bench.directory, name.replaceAll(/\W+/g, "-"), walk(place)) },
  });
  const base = `${whole(FEW)} animals`;
  const results = await withServers(servers, ([small, large]) =>
    contest(
      [
        contestantOf(base, small, few, { after: 0 }),
        ...pagesOf(animals).map(({ name, ...place }) => contestantOf(name, large, many, place)),
      ],
      bench.pace,
    ),
  );
  return section(
    `${whole(animals)} animals: pages that are not cached`,
    `Changing pages of 16 to 24 animals, compared with those of ${whole(FEW)} animals with names of the same kind.`,
    [
      [
        "pages",
        "requests/s per core",
        "requests/s",
        "p99",
        "CPU µs a request",
        `times ${base}`,
        "target (CPU)",
      ],
      ...[...results.keys()].map((name) => {
        const times = ratioOf(results, name, base, "cpu");
        return [
          name,
          perCore(medianOf(results, name, "cpu")),
          whole(medianOf(results, name, "rate")),
          milliseconds(medianOf(results, name, "p99")),
          microseconds(medianOf(results, name, "cpu")),
          ratio(times),
          name === base ? "" : atMost(times, MAX_PAGE_RATIO, ""),
        ];
      }),
    ],
  );
};

const assertSpace = (directory: string): void => {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize < FREE_BYTES)
    throw new Refused(
      `${directory} needs ${FREE_BYTES / 1e9} GB for ${whole(ANIMALS)} animals: choose another --dir, or --quick`,
    );
};

/** Writes after an import, the worst searches, and pages, of a DATA_DIR that was just filled from `crowd.ts`. */
export const crowded = async (bench: Bench, data: DataDir, animals: number): Promise<string> =>
  [
    await writesBehindImport(bench, data, animals),
    await searches(bench, data, animals),
    await pages(bench, data, animals),
  ].join("\n");

/** What ten million animals cost. */
export const tenMillion = async (bench: Bench): Promise<string> => {
  assertSpace(bench.directory);
  const data = await imported(bench, "ten-million", ANIMALS);
  const tables = await crowded(bench, data, ANIMALS);
  rmSync(data.path, { recursive: true });
  return tables;
};
