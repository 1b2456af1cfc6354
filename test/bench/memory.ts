import { statSync } from "node:fs";
import { join } from "node:path";
import { writeCursor } from "../../src/lib/pagination.ts";
import { type Bench, serve, withServers } from "./bench.ts";
import { type Server, resident } from "./processes.ts";
import { atMost, megabytes, section, whole } from "./table.ts";
import { drive, writeList } from "./wrk.ts";

const ANIMALS = 100_000;
const MAX_MEGABYTES = 100;
const MAX_IDLE_MEGABYTES = 60;
const MAX_EXECUTABLE_MEGABYTES = 125;
/** How long a server is left alone. */
const IDLE_MS = 10_000;
/** Growth from the first quarter to the last that still counts as flat. */
const FLAT_MEGABYTES = 10;
/** wrk counts seconds, not requests: it is called again until there are enough. */
const SECONDS = 5;

/** A day's traffic in small: mostly lists, first pages and others, single animals, and one animal added in fifty. */
const traffic = (): string[] =>
  Array.from({ length: 10_000 }, (_, step) => {
    const id = 1 + ((step * 7919) % (ANIMALS - 1));
    if (step % 50 === 0) return 'POST /v1/pets {"name":"Rex #","categoryId":9}';
    if (step % 4 === 0) return `GET /v1/pets/${id}`;
    if (step % 4 === 1) return `GET /v1/pets?limit=20&cursor=${writeCursor(id, "pets:")}`;
    if (step % 4 === 2) return "GET /v1/pets?status=available";
    return "GET /v1/pets?limit=20";
  });

const readingOf = ({ pid }: Server, sent: number) => ({ sent, bytes: resident(pid) });

/** The memory of a server before its first request. */
const idle = async (bench: Bench, path: string): Promise<number> => {
  const server = await serve(bench, { path, file: "", key: "" });
  return withServers([server], async () => {
    await Bun.sleep(IDLE_MS);
    return resident(server.pid);
  });
};

const row = (name: string, bytes: number, target: number): string[] => [
  name,
  megabytes(bytes),
  atMost(bytes / 1e6, target, " MB"),
];

/** Resident memory when idle and over a million requests, and the size of the executable. */
export const memory = async (bench: Bench): Promise<string> => {
  const quarter = bench.quick ? 50_000 : 250_000;
  const data = bench.databases.make("memory", ANIMALS);
  const file = writeList(bench.directory, "traffic", traffic());
  const empty = join(bench.directory, "memory-idle");
  const first = await idle(bench, empty);
  const later = await idle(bench, empty);
  const server = await serve(bench, data);
  const readings = await withServers([server], async () => {
    let sent = 0;
    const found = [readingOf(server, sent)];
    for (let part = 1; part <= 4; part++) {
      while (sent < part * quarter) sent += (await drive(server, { key: data.key, file }, SECONDS)).requests;
      console.error(`  ${whole(sent)} requests`);
      found.push(readingOf(server, sent));
    }
    return found;
  });
  const grown = (readings[4]?.bytes ?? Number.NaN) - (readings[1]?.bytes ?? Number.NaN);
  return section(
    "Memory: lists, single animals and writes with 64 connections",
    `Resident memory of the executable (VmRSS). An idle server has been alone for ${IDLE_MS / 1000} s.`,
    [
      ["after requests", "memory", "target"],
      row("idle, after the first start", first, MAX_IDLE_MEGABYTES),
      row("idle, after a later start", later, MAX_IDLE_MEGABYTES),
      ...readings.map(({ sent, bytes }) => row(whole(sent), bytes, MAX_MEGABYTES)),
      row("growth from the second reading to the last", grown, FLAT_MEGABYTES),
      row("the executable itself, on the disk", statSync(bench.executable).size, MAX_EXECUTABLE_MEGABYTES),
    ],
  );
};
