import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CADDY, startCaddy } from "./caddy.ts";
import { type Bench, serve, withServers } from "./bench.ts";
import { type Results, contest, medianOf, ratioOf } from "./contest.ts";
import type { DataDir } from "./databases.ts";
import { FIGURES, figuresOf } from "./figures.ts";
import { Refused } from "./options.ts";
import { type Server, startServer } from "./processes.ts";
import { atLeast, atMost, megabytes, ratio, section } from "./table.ts";

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

/** Publishes the file in the project `docs`, which each database has. */
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
  const cost = (name: string, base: string) => ratioOf(results, name, base, "cpu");
  const row = (name: string, target: string) => [
    ...figuresOf(results, name),
    ratio(cost(name, FILE)),
    megabytes(medianOf(results, name, "memory")),
    target,
  ];
  const caddy = cost(CADDY, OURS);
  return [
    [...FIGURES, "times the route", "memory", "target (CPU)"],
    row(FILE, ""),
    row(OURS, atMost(cost(OURS, FILE), MAX_RATIO, " times the route")),
    row(CADDY, `${ratio(caddy)} times ${OURS}: ${atLeast(caddy, 1, "")}`),
  ];
};

/** A page of a published site, compared with a minimal file server. */
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
  const caddy = await startCaddy(bench, { host: HOST, content });
  const results = await withServers([ours, bare, caddy], async (servers) => {
    await publish(ours, data, content);
    for (const server of servers) await assertServed(server, content);
    const load = { path: "/page", key: data.key, host: HOST };
    return contest(
      servers.map((server, index) => ({ name: [OURS, FILE, CADDY][index] ?? "", server, load })),
      pace,
    );
  });
  return section(
    "Sites: a page of 10 KB",
    "The server finds the page by its `Host` and its clean address, and caches the response in memory. Caddy finds it in the same way, and reads the file. The route sends the file and knows nothing else. No server logs requests, and no client asks for compression.",
    rowsOf(results),
  );
};
