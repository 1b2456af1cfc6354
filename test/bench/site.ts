import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, serve, withServers } from "./bench.ts";
import { type Results, contest, medianOf, ratioOf } from "./contest.ts";
import type { DataDir } from "./databases.ts";
import { Refused } from "./options.ts";
import { type Server, startServer } from "./processes.ts";
import { atMost, megabytes, microseconds, milliseconds, ratio, section, whole } from "./table.ts";

const BYTES = 10 * 1024;
export const HOST = "docs.localhost";
const MAX_RATIO = 2;

const OURS = "adoption-store";
const FILE = "the same file as a route of bare `Bun.serve`";

/** A page that compresses as little as Base64 does. */
export const page = (): string => {
  let seed = 1;
  const letters = Array.from({ length: BYTES }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (seed % 26));
  });
  return letters.join("");
};

/** Publishes the file in the project `docs`, which the first start made. */
export const publish = async ({ url }: Server, { key }: DataDir, content: string): Promise<void> => {
  const archive = new Bun.Archive({ "index.html": content, "page.html": content }, { compress: "gzip" });
  const answer = await fetch(`${url}/platform/projects/docs/deploys`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/gzip" },
    body: await archive.bytes(),
  });
  if (answer.status !== 201) throw new Refused(`the deploy failed: ${answer.status} ${await answer.text()}`);
};

/** Fails unless the server answers the page, at its clean address. */
const assertServed = async ({ name, url }: Server, content: string): Promise<void> => {
  const headers = { host: HOST, "accept-encoding": "identity" };
  const answer = await fetch(`${url}/page`, { headers });
  if (answer.status !== 200 || (await answer.text()) !== content)
    throw new Refused(`${name} does not answer the page: ${answer.status}`);
};

const rowsOf = (results: Results): string[][] => {
  const cost = ratioOf(results, OURS, FILE, "cpu");
  const row = (name: string, times: number, target: string) => [
    name,
    whole(medianOf(results, name, "rate")),
    milliseconds(medianOf(results, name, "p50")),
    milliseconds(medianOf(results, name, "p99")),
    microseconds(medianOf(results, name, "cpu")),
    ratio(times),
    megabytes(medianOf(results, name, "memory")),
    target,
  ];
  return [
    ["server", "requests/s", "p50", "p99", "CPU µs a request", "times the route", "memory", "target (CPU)"],
    row(FILE, 1, ""),
    row(OURS, cost, atMost(cost, MAX_RATIO, " times the route")),
  ];
};

/** A page of a published site, beside the least that can serve a file. */
export const site = async (bench: Bench): Promise<string> => {
  const { directory, databases, pace } = bench;
  const content = page();
  const file = join(directory, "page.html");
  writeFileSync(file, content);
  const data = databases.make("site", 0);
  const ours = await serve(bench, data);
  const bare = await startServer("file", [process.execPath, join(import.meta.dir, "peers/file.js")], {
    directory,
    settings: { FILE: file },
  });
  const results = await withServers([ours, bare], async (servers) => {
    await publish(ours, data, content);
    for (const server of servers) await assertServed(server, content);
    const load = { path: "/page", key: data.key, host: HOST };
    return contest(
      [ours, bare].map((server, at) => ({ name: [OURS, FILE][at] ?? "", server, load })),
      pace,
    );
  });
  return section(
    "Sites: a page of 10 KB",
    "The page is found by its Host and its clean address, and its answer is kept in memory; the route sends the file and knows nothing else.",
    rowsOf(results),
  );
};
