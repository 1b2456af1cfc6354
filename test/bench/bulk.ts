import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { REJECTED, ROW_FLAGS, writeRows } from "../support/rows.ts";
import { type Bench, serve, withServers } from "./bench.ts";
import { Refused } from "./options.ts";
import { type Server, environment, launch, resident } from "./processes.ts";
import { atLeast, atMost, megabytes, section, whole } from "./table.ts";

const CLIENTS = 32;
const LEAST_IMPORT = 50_000;
const LEAST_EXPORT = 100_000;
const MAX_MEGABYTES = 150;

interface Summary {
  /** Animals written. */
  rows?: number;
  read?: number;
  added?: number;
  rejected?: number;
  seconds: number;
}

export interface Ran {
  summary: Summary;
  /** The highest resident memory that was seen, in bytes. */
  memory: number;
}

/** Runs a command of the executable and watches its memory. */
export const watched = async ({ executable, directory }: Bench, argv: string[]): Promise<Ran> => {
  const child = launch([executable, ...argv, "--json"], {
    cwd: directory,
    env: environment({}),
    output: "pipe",
  });
  let memory = 0;
  const watch = setInterval(() => {
    // It may have ended a moment ago.
    if (child.exitCode === null) memory = Math.max(memory, resident(child.pid) || 0);
  }, 20);
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]).finally(() =>
    clearInterval(watch),
  );
  if (!output.startsWith("{")) throw new Refused(`${argv[0]} failed: ${errors}`);
  return { summary: JSON.parse(output) as Summary, memory };
};

/** Reads lists and adds animals, one after the other, until it is stopped. @returns how many requests it sent */
const client = async ({ url }: Server, key: string, isOver: () => boolean): Promise<number> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "Client", categoryId: 1 });
  let sent = 0;
  for (; !isOver(); sent++) {
    const answer =
      sent % 2 === 0
        ? await fetch(`${url}/v1/pets?limit=20`, { headers })
        : await fetch(`${url}/v1/pets`, { method: "POST", headers, body });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Refused(`a request failed during the import: ${answer.status}`);
  }
  return sent;
};

const besideClients = async (bench: Bench, file: string): Promise<Ran & { requests: number }> => {
  const data = bench.databases.make("bulk-served", 0);
  const server = await serve(bench, data);
  return withServers([server], async () => {
    let isOver = false;
    const clients = Promise.all(
      Array.from({ length: CLIENTS }, () => client(server, data.key, () => isOver)),
    );
    const argv = ["import", file, ...ROW_FLAGS, "--data-dir", data.path, "--rejected", `${file}.served`];
    const ran = await Promise.race([watched(bench, argv), clients.then(() => Promise.reject(new Error()))]);
    isOver = true;
    const requests = (await clients).reduce((sum, one) => sum + one, 0);
    return { ...ran, requests };
  });
};

/** @throws Refused unless every row is in or among the rejected */
const assertAccounted = ({ added, rejected }: Summary, rows: number, file: string, data: string) => {
  const database = new Database(join(data, "adoption-store.db"), { readonly: true });
  const found = database
    .query<{ animals: number }, []>("select count(distinct name) as animals from pets")
    .get()?.animals;
  database.close();
  const lines = [...readFileSync(`${file}.rejected`, "utf8").matchAll(REJECTED)].length;
  if (found !== added || lines !== rejected || (added ?? 0) + (rejected ?? 0) !== rows)
    throw new Refused(`${rows} rows: ${found} animals of ${added}, ${lines} rejected rows of ${rejected}`);
};

const rowOf = (what: string, rows: number, { summary, memory }: Ran, least: number): string[] => [
  what,
  `${summary.seconds.toFixed(1)} s`,
  whole(rows / summary.seconds),
  megabytes(memory),
  atLeast(rows / summary.seconds, least, " rows/s"),
  atMost(memory / 1e6, MAX_MEGABYTES, " MB"),
];

/** The first start of a server creates a store. @returns its directory */
const emptyStore = async (bench: Bench, path: string): Promise<string> => {
  const server = await serve(bench, { path, file: "", key: "" });
  await server.stop();
  return path;
};

/** Importing and exporting a million animals. */
export const bulk = async (bench: Bench): Promise<string> => {
  const rows = bench.quick ? 100_000 : 1_000_000;
  const place = join(bench.directory, "bulk");
  mkdirSync(place);
  const file = join(place, "rows.csv");
  await writeRows(file, rows);
  const data = await emptyStore(bench, join(place, "data"));
  const imported = await watched(bench, ["import", file, ...ROW_FLAGS, "--data-dir", data]);
  assertAccounted(imported.summary, rows, file, data);
  const csv = await watched(bench, ["export", join(place, "out.csv"), "--data-dir", data]);
  const ndjson = await watched(bench, ["export", join(place, "out.ndjson"), "--data-dir", data]);
  const again = await emptyStore(bench, join(place, "again"));
  const lines = await watched(bench, ["import", join(place, "out.ndjson"), "--data-dir", again]);
  const served = await besideClients(bench, file);
  const animals = csv.summary.rows ?? 0;
  return section(
    `Bulk work: ${whole(rows)} rows`,
    `A CSV of ${megabytes(statSync(file).size)} with hostile names: quotes, line ends, emoji, right to left, formulas. ${whole(imported.summary.rejected ?? 0)} rows break a rule. Each row is in the store, or in the file of rejected rows. The clients list and add animals as fast as they get responses. No request failed.`,
    [
      ["", "took", "rows/s", "memory", "target (rate)", "target (memory)"],
      rowOf("import of the CSV", rows, imported, LEAST_IMPORT),
      rowOf("import of NDJSON", animals, lines, LEAST_IMPORT),
      rowOf(
        `import of the CSV while a server runs, ${CLIENTS} clients with ${whole(served.requests / served.summary.seconds)} requests/s`,
        rows,
        served,
        LEAST_IMPORT,
      ),
      rowOf("export as CSV", animals, csv, LEAST_EXPORT),
      rowOf("export as NDJSON", animals, ndjson, LEAST_EXPORT),
    ],
  );
};
