import { writeCursor } from "../../src/lib/pagination.ts";
import { type Bench, serve, withServers } from "./bench.ts";
import { type Server, resident } from "./processes.ts";
import { atMost, megabytes, section, whole } from "./table.ts";
import { drive, writeList } from "./wrk.ts";

const ANIMALS = 100_000;
const MAX_MEGABYTES = 120;
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

/** Resident memory over a million requests. */
export const memory = async (bench: Bench): Promise<string> => {
  const quarter = bench.quick ? 50_000 : 250_000;
  const data = bench.databases.make("memory", ANIMALS);
  const file = writeList(bench.directory, "traffic", traffic());
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
    "Resident memory of the executable (VmRSS).",
    [
      ["after requests", "memory", "target"],
      ...readings.map(({ sent, bytes }) => [
        whole(sent),
        megabytes(bytes),
        atMost(bytes / 1e6, MAX_MEGABYTES, " MB"),
      ]),
      [
        "growth from the second reading to the last",
        megabytes(grown),
        atMost(grown / 1e6, FLAT_MEGABYTES, " MB"),
      ],
    ],
  );
};
