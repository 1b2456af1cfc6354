import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestCa } from "../support/certificates.ts";
import { type Bench, freePort, serve, withServers } from "./bench.ts";
import { median } from "./contest.ts";
import { Refused } from "./options.ts";
import { type Server, cpuSeconds, environment, launch, startServer } from "./processes.ts";
import { HOST, page, publish } from "./site.ts";
import { atLeast, atMost, microseconds, ratio, section, whole } from "./table.ts";

const OURS = "adoption-store";
const FRONT = "its HTTPS front, the page as a constant";
const BARE = "bare `Bun.serve` with its own TLS, the page as a constant";

/** Connections of the load, and requests that each sends at once. */
const CLIENTS = 20;
const STREAMS = 10;
/** New connections at once, each for one request: fewer than one address may have; and how often in a round. */
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

interface Figures {
  /** Requests a second. */
  rate: number[];
  /** Microseconds of CPU a request. */
  request: number[];
  /** Microseconds of CPU a new connection with one request. */
  connection: number[];
}

/** HTTPS beside Bun's own TLS: HTTP/2 over open connections, and connections that are new. */
export const tls = async (bench: Bench): Promise<string> => {
  const { directory, databases, pace, executable } = bench;
  const { key, cert } = await (await createTestCa()).issue([HOST]);
  const [keyFile, chainFile, file] = ["tls.key", "tls.crt", "tls.html"].map((name) => join(directory, name));
  writeFileSync(keyFile as string, key);
  writeFileSync(chainFile as string, cert);
  writeFileSync(file as string, page());
  const data = databases.make("tls", 0);
  const httpsPort = await freePort();
  const ours = await serve(bench, data, { HTTPS_PORT: String(httpsPort) });
  const settings = { KEY: keyFile as string, CHAIN: chainFile as string, FILE: file as string };
  const peer = (script: string) =>
    startServer(script, [process.execPath, join(import.meta.dir, "peers", script)], { directory, settings });
  const [bare, front] = [await peer("tls.js"), await peer("front.ts")];
  const contestants = [
    { name: BARE, server: bare, port: Number(new URL(bare.url).port) },
    { name: FRONT, server: front, port: Number(new URL(front.url).port) },
    { name: OURS, server: ours, port: httpsPort },
  ];
  const figures = new Map<string, Figures>(
    contestants.map(({ name }) => [name, { rate: [], request: [], connection: [] }]),
  );
  await withServers([ours, bare, front], async () => {
    await publish(ours, data, page());
    const argv = ["certificates", "import", HOST, "--data-dir", data.path];
    const pair = ["--key", keyFile as string, "--chain", chainFile as string];
    const imported = launch([executable, ...argv, ...pair], {
      cwd: directory,
      env: environment({}),
      output: "pipe",
    });
    if ((await imported.exited) !== 0) throw new Refused(await imported.stderr.text());
    for (let round = 0; round <= pace.rounds; round++)
      for (const { name, server, port } of contestants) {
        const open = await load(bench, server, port, [
          `--duration=${pace.seconds}`,
          `--clients=${CLIENTS}`,
          `--max-concurrent-streams=${STREAMS}`,
        ]);
        const fresh: number[] = [];
        for (let time = 0; time < TIMES; time++) {
          const argv = [`--requests=${CONNECTIONS}`, `--clients=${CONNECTIONS}`];
          fresh.push((await load(bench, server, port, argv)).cpu);
        }
        // The first round warms up.
        if (round === 0) continue;
        figures.get(name)?.rate.push(open.rate);
        figures.get(name)?.request.push(open.cpu);
        figures.get(name)?.connection.push(fresh.reduce((sum, one) => sum + one) / TIMES);
      }
  });
  const of = (name: string, what: keyof Figures) => median(figures.get(name)?.[what] ?? []);
  const row = (name: string) => {
    const share = of(name, "rate") / of(BARE, "rate");
    const cost = of(name, "connection") / of(BARE, "connection");
    return [
      name,
      whole(of(name, "rate")),
      microseconds(of(name, "request")),
      microseconds(of(name, "connection")),
      ratio(share),
      ratio(cost),
      ...(name === BARE ? ["", ""] : [atLeast(share, 0.5, ""), atMost(cost, 1.3, "")]),
    ];
  };
  return section(
    "HTTPS: a page of 10 KB over HTTP/2",
    `${CLIENTS} connections with ${STREAMS} requests at a time each; then ${CONNECTIONS * TIMES} new connections with one request each. The front is what HTTPS costs by itself; the executable finds the page of a site besides.`,
    [
      [
        "server",
        "requests/s",
        "CPU µs a request",
        "CPU µs a new connection",
        "share of the rate",
        "times the connection",
        "target (rate)",
        "target (connection)",
      ],
      ...contestants.map(({ name }) => row(name)),
    ],
  );
};
