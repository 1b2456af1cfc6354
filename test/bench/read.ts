import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, serve, withServers } from "./bench.ts";
import { type Results, contest, medianOf, ratioOf } from "./contest.ts";
import { FIGURES, figuresOf } from "./figures.ts";
import { Refused } from "./options.ts";
import { PAGE_PATH, POCKETBASE, assertSameAnimals, startPocketBase } from "./pocketbase.ts";
import { type Server, startServer } from "./processes.ts";
import { peers } from "./requirements.ts";
import { single } from "./single.ts";
import { atLeast, atMost, megabytes, ratio, section, whole } from "./table.ts";

const PATH = "/v1/pets?limit=20";
const ANIMALS = 100_000;

const OURS = "adoption-store";
const CONSTANT = "the same response as a constant, bare `Bun.serve`";
const HONO = "Hono + `bun:sqlite`, Bun";
const FASTIFY = "Fastify + better-sqlite3, Node";

interface Answer {
  headers: Record<string, string>;
  body: string;
}

const ask = async ({ url }: Server, key: string): Promise<Answer> => {
  const answer = await fetch(url + PATH, { headers: { authorization: `Bearer ${key}` } });
  if (answer.status !== 200) throw new Refused(`${url}${PATH} answered ${answer.status}`);
  const headers = Object.fromEntries(answer.headers);
  // The server itself adds these to every answer.
  delete headers["date"];
  delete headers["content-length"];
  return { headers, body: await answer.text() };
};

/** What need not be the same: the id of each request, and the tag, which the peers are spared. */
const OWN = ["x-request-id", "etag"];

/** The peers must answer what the executable answers, or the comparison says nothing. */
const assertAlike = async (servers: readonly Server[], key: string, { headers, body }: Answer) => {
  for (const server of servers) {
    const other = await ask(server, key);
    const differs = Object.keys(headers).find(
      (name) => !OWN.includes(name) && !other.headers[name]?.startsWith(headers[name] ?? ""),
    );
    if (differs) throw new Refused(`${server.name} differs in the header ${differs}`);
    if (other.body !== body) throw new Refused(`${server.name} answers another body`);
  }
};

const rowsOf = (results: Results): string[][] => {
  const cpu = (name: string, base: string) => ratioOf(results, name, base, "cpu");
  const row = (name: string, target: string) => [
    ...figuresOf(results, name),
    ratio(cpu(name, CONSTANT)),
    megabytes(medianOf(results, name, "memory")),
    target,
  ];
  const peer = (name: string, least: number) =>
    row(name, `${ratio(cpu(name, OURS))} times ${OURS}: ${atLeast(cpu(name, OURS), least, "")}`);
  return [
    [...FIGURES, "times the constant", "memory", "target (CPU)"],
    row(CONSTANT, ""),
    row(OURS, atMost(cpu(OURS, CONSTANT), 2, " times the constant")),
    peer(HONO, 3),
    peer(FASTIFY, 4),
    peer(POCKETBASE, 4),
  ];
};

/** A page of 20 animals, compared with the limit and with peers that do the same work, and single animals compared with a page. */
export const read = async (bench: Bench): Promise<string> => {
  const { directory, databases, pace } = bench;
  const { constant, hono, fastify } = await peers();
  const data = databases.make("read", ANIMALS);
  const store = { directory, settings: { DATABASE: data.file } };
  const ours = await serve(bench, data);
  const others = [
    await startServer("hono", hono, store),
    await startServer("fastify", fastify, store),
  ] as const;
  const answer = await ask(ours, data.key);
  const file = join(directory, "answer.json");
  writeFileSync(file, JSON.stringify(answer));
  const replay = await startServer("constant", constant, { directory, settings: { ANSWER: file } });
  const pocketBase = await startPocketBase(bench, ANIMALS);
  const alike = [replay, ours, ...others];
  const [results, singles] = await withServers([...alike, pocketBase.server], async () => {
    await assertAlike(alike, data.key, answer);
    await assertSameAnimals(pocketBase, answer.body);
    const names = [CONSTANT, OURS, HONO, FASTIFY];
    const load = { path: PATH, key: data.key };
    const results = await contest(
      [
        ...alike.map((server, index) => ({ name: names[index] ?? "", server, load })),
        { name: POCKETBASE, server: pocketBase.server, load: { path: PAGE_PATH, key: pocketBase.key } },
      ],
      pace,
    );
    return [results, await single(bench, ours, data.key, ANIMALS)] as const;
  });
  const pages = section(
    `Reading: \`GET ${PATH}\` of ${whole(ANIMALS)} animals`,
    "All check the key, validate `limit` and send the same 20 animals. The constant checks nothing. PocketBase sends its own headers and JSON; its key is a signed token of a superuser, whose record it reads.",
    rowsOf(results),
  );
  return `${pages}\n${singles}`;
};
