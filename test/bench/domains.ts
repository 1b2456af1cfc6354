import { Database } from "bun:sqlite";
import { type TestCa, createTestCa } from "../support/certificates.ts";
import { type Bench, freePort, serve, withServers } from "./bench.ts";
import { inTurn, median, medianOf, ratioOf } from "./contest.ts";
import type { DataDir } from "./databases.ts";
import { Refused } from "./options.ts";
import { type Server, cpuSeconds, resident } from "./processes.ts";
import { page, publish } from "./site.ts";
import { firstAnswer } from "./start.ts";
import { atMost, megabytes, microseconds, perCore, ratio, section, whole } from "./table.ts";

const FEW = 10;
const STARTS = 5;
/** Concurrent connections: fewer than one address may have. */
const AT_ONCE = 100;
const DAY_MS = 86_400_000;

const nameOf = (at: number): string => `site-${at}.example.org`;

type Row = { hostname: string; key: string; cert: string; now: number; until: number };

/** Live domains of the project `docs`, each with a separate key and certificate. */
const fill = async ({ file }: DataDir, authority: TestCa, domains: number): Promise<void> => {
  const rows: Row[] = [];
  const now = Date.now();
  for (let at = 0; at < domains; at++) {
    const hostname = nameOf(at);
    const { key, cert } = await authority.issue([hostname]);
    rows.push({ hostname, key, cert, now, until: now + 10 * DAY_MS });
  }
  const database = new Database(file, { readwrite: true, strict: true });
  const domain = database.query<unknown, [Omit<Row, "key" | "cert">]>(`
    insert into domains (project_id, hostname, stage, role, created_at, waiting_since, next_check_at, findings)
    select id, $hostname, 'live', 'served', $now, $now, $until, '[]' from projects where slug = 'docs'`);
  const certificate = database.query<unknown, [Row]>(`
    insert into certificates (hostname, failures, created_at, key, chain, not_before, not_after, renewals)
    values ($hostname, 0, $now, $key, $cert, $now, $until, 0)`);
  database.transaction(() => {
    for (const { key, cert, ...row } of rows) {
      domain.run(row);
      certificate.run({ ...row, key, cert });
    }
  })();
  database.close();
};

/** Opens a connection under this name, asks for the page and reads the answer to its end. */
const visit = async (port: number, hostname: string): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let answer = "";
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    tls: { serverName: hostname, rejectUnauthorized: false },
    socket: {
      handshake: (socket) =>
        void socket.write(`GET /page HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`),
      data(_socket, bytes) {
        answer += bytes.toString("latin1");
      },
      close: () =>
        answer.startsWith("HTTP/1.1 200 ")
          ? resolve()
          : reject(new Refused(`${hostname}: ${answer.slice(0, 80)}`)),
      error: (_socket, error) => reject(error),
      connectError: (_socket, error) => reject(error),
    },
  });
  await promise;
};

interface Contestant {
  name: string;
  server: Server;
  port: number;
  domains: number;
}

/** Microseconds of the server's CPU a connection, over so many connections to its domains in turn. */
const visits = async ({ server, port, domains }: Contestant, count: number): Promise<number> => {
  const before = cpuSeconds(server.pid);
  for (let at = 0; at < count; at += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, each) => visit(port, nameOf((at + each) % domains))),
    );
  return ((cpuSeconds(server.pid) - before) / count) * 1e6;
};

/** What many domains with certificates cost: starting, a connection, and memory. */
export const domains = async (bench: Bench): Promise<string> => {
  const many = bench.quick ? 1000 : 10_000;
  const authority = await createTestCa();
  const contestant = async (count: number): Promise<Contestant & { started: number }> => {
    const data = bench.databases.make(`domains-${count}`, 0);
    await fill(data, authority, count);
    const port = await freePort();
    const settings = { HTTPS_PORT: String(port) };
    const starts: number[] = [];
    for (let run = 0; run < STARTS; run++) starts.push(await firstAnswer(bench, data.path, settings));
    const server = await serve(bench, data, settings);
    await publish(server, data, page());
    return { name: `${whole(count)} domains`, server, port, domains: count, started: median(starts) };
  };
  const contestants = [await contestant(FEW), await contestant(many)] as const;
  return withServers(
    contestants.map(({ server }) => server),
    async () => {
      const first: number[] = [];
      for (const each of contestants) {
        console.error(`  a connection to each of ${each.name}`);
        first.push(await visits(each, many));
      }
      const later = await inTurn(contestants, bench.pace.rounds, async (each) => ({
        cpu: await visits(each, many / 2),
      }));
      const [few] = contestants;
      return section(
        `HTTPS: ${whole(many)} domains, each with a separate key and certificate`,
        `New connections with one request of a page of 10 KB each, ${AT_ONCE} at a time, to all domains in turn. The first connection to a domain reads its certificate from the database.`,
        [
          [
            "domains",
            "connections/s per core",
            "start (median)",
            "CPU µs a connection, the first",
            "CPU µs a connection, later",
            `times ${FEW} domains`,
            "memory afterwards",
            "target (start)",
            "target (connection)",
            "target (memory)",
          ],
          ...contestants.map((each, index) => {
            const cpu = medianOf(later, each.name, "cpu");
            const times = ratioOf(later, each.name, few.name, "cpu");
            const bytes = resident(each.server.pid);
            const row = [
              whole(each.domains),
              perCore(cpu),
              `${whole(each.started)} ms`,
              microseconds(first[index] ?? Number.NaN),
              microseconds(cpu),
              ratio(times),
              megabytes(bytes),
            ];
            if (each === few) return [...row, "", "", ""];
            const targets = [
              atMost(each.started, 2000, " ms"),
              atMost(times, 1.2, ""),
              atMost(bytes / 1e6, 250, " MB"),
            ];
            return [...row, ...targets];
          }),
        ],
      );
    },
  );
};
