import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestCa } from "../support/certificates.ts";
import { type Bench, freePort, serve, withServers } from "./bench.ts";
import { type CaddySite, CADDY, startCaddy } from "./caddy.ts";
import { type Results, inTurn, medianOf, ratioOf } from "./contest.ts";
import type { DataDir } from "./databases.ts";
import { Refused } from "./options.ts";
import { type Server, cpuSeconds, environment, launch, startServer } from "./processes.ts";
import { HOST, page, publish } from "./site.ts";
import { atLeast, atMost, microseconds, perCore, ratio, section, whole } from "./table.ts";

const OURS = "adoption-store";
const FRONT = "its HTTPS front, the page as a constant";
const BARE = "bare `Bun.serve` with its own TLS, the page as a constant";

/** Connections of the load, and requests that each sends at a time. */
const CLIENTS = 20;
const STREAMS = 10;
/** Concurrent new connections, each for one request: fewer than one address may have; and how often in a round. */
const CONNECTIONS = 200;
const TIMES = 5;

/** What one run of h2load says, and what the server's CPU did meanwhile. */
const load = async (bench: Bench, { pid }: Server, port: number, argv: string[]) => {
  const before = cpuSeconds(pid);
  const child = launch(
    ["h2load", ...argv, `--connect-to=127.0.0.1:${port}`, `https://${HOST}:${port}/page`],
    { cwd: bench.directory, output: "pipe" },
  );
  const text = await child.stdout.text();
  const cpu = cpuSeconds(pid) - before;
  const [, rate = ""] = /finished in .+?, ([\d.]+) req\/s/.exec(text) ?? [];
  const [, answered = "0", failed = "1"] = /(\d+) succeeded, (\d+) failed/.exec(text) ?? [];
  if (rate === "" || failed !== "0") throw new Refused(`h2load failed:\n${text}`);
  return { rate: Number(rate), cpu: (cpu / Number(answered)) * 1e6 };
};

interface Contestant {
  name: string;
  server: Server;
  port: number;
}

type Quantity = "rate" | "request" | "connection";

/** Requests a second, and the CPU's microseconds a request and a new connection with one request. */
const sample = async (bench: Bench, { server, port }: Contestant): Promise<Record<Quantity, number>> => {
  const open = await load(bench, server, port, [
    `--duration=${bench.pace.seconds}`,
    `--clients=${CLIENTS}`,
    `--max-concurrent-streams=${STREAMS}`,
  ]);
  let connection = 0;
  for (let time = 0; time < TIMES; time++) {
    const argv = [`--requests=${CONNECTIONS}`, `--clients=${CONNECTIONS}`];
    connection += (await load(bench, server, port, argv)).cpu / TIMES;
  }
  return { rate: open.rate, request: open.cpu, connection };
};

const HEADINGS = [
  "server",
  "requests/s per core",
  "connections/s per core",
  "requests/s",
  "CPU µs a request",
  "CPU µs a new connection",
  "share of the rate",
  "times the connection",
  "target (request)",
  "target (connection)",
];

const targetsOf = (results: Results<Quantity>, name: string): string[] => {
  if (name === BARE) return ["", ""];
  if (name !== CADDY)
    return [
      atLeast(ratioOf(results, name, BARE, "rate"), 0.5, " of the rate"),
      atMost(ratioOf(results, name, BARE, "connection"), 1.3, ""),
    ];
  return (["request", "connection"] as const).map((quantity) => {
    const times = ratioOf(results, CADDY, OURS, quantity);
    return `${ratio(times)} times ${OURS}: ${atLeast(times, 1, "")}`;
  });
};

const rowOf = (results: Results<Quantity>, name: string): string[] => [
  name,
  perCore(medianOf(results, name, "request")),
  perCore(medianOf(results, name, "connection")),
  whole(medianOf(results, name, "rate")),
  microseconds(medianOf(results, name, "request")),
  microseconds(medianOf(results, name, "connection")),
  ratio(ratioOf(results, name, BARE, "rate")),
  ratio(ratioOf(results, name, BARE, "connection")),
  ...targetsOf(results, name),
];

const importPair = async (
  { executable, directory }: Bench,
  data: DataDir,
  pair: NonNullable<CaddySite["pair"]>,
): Promise<void> => {
  const argv = ["certificates", "import", HOST, "--data-dir", data.path];
  const files = ["--key", pair.key, "--chain", pair.chain];
  const imported = launch([executable, ...argv, ...files], {
    cwd: directory,
    env: environment({}),
    output: "pipe",
  });
  if ((await imported.exited) !== 0) throw new Refused(await imported.stderr.text());
};

/** HTTPS compared with Bun's TLS and Caddy: HTTP/2 over open connections, and connections that are new. */
export const tls = async (bench: Bench): Promise<string> => {
  const { directory, databases, pace } = bench;
  const content = page();
  const { key, cert } = await (await createTestCa()).issue([HOST]);
  const pair = { key: join(directory, "tls.key"), chain: join(directory, "tls.crt") };
  const file = join(directory, "tls.html");
  writeFileSync(pair.key, key);
  writeFileSync(pair.chain, cert);
  writeFileSync(file, content);
  const data = databases.make("tls", 0);
  const httpsPort = await freePort();
  const ours = await serve(bench, data, { HTTPS_PORT: String(httpsPort) });
  const settings = { KEY: pair.key, CHAIN: pair.chain, FILE: file };
  const peer = (script: string) =>
    startServer(script, [process.execPath, join(import.meta.dir, "peers", script)], { directory, settings });
  const [bare, front] = [await peer("tls.js"), await peer("front.ts")];
  const caddy = await startCaddy(bench, { host: HOST, content, pair });
  const contestants: Contestant[] = [
    { name: BARE, server: bare, port: Number(new URL(bare.url).port) },
    { name: FRONT, server: front, port: Number(new URL(front.url).port) },
    { name: OURS, server: ours, port: httpsPort },
    { name: CADDY, server: caddy, port: caddy.port },
  ];
  const results = await withServers([ours, bare, front, caddy], async () => {
    await publish(ours, data, content);
    await importPair(bench, data, pair);
    for (const contestant of contestants) await sample(bench, contestant);
    return inTurn(contestants, pace.rounds, (contestant) => sample(bench, contestant));
  });
  return section(
    "HTTPS: a page of 10 KB over HTTP/2",
    `${CLIENTS} connections with ${STREAMS} requests at a time each, then ${whole(CONNECTIONS * TIMES)} new connections with one request each. The front is what HTTPS costs by itself. The executable and Caddy also find the page of a site. All have the same certificate.`,
    [HEADINGS, ...contestants.map(({ name }) => rowOf(results, name))],
  );
};
