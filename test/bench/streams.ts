import type { Socket } from "bun";
import { type Bench, serve, withServers } from "./bench.ts";
import { allowedCores, pin } from "./cores.ts";
import type { DataDir } from "./databases.ts";
import { Refused } from "./options.ts";
import { type Server, cpuSeconds, resident } from "./processes.ts";
import { atMost, megabytes, section, whole } from "./table.ts";

const STREAMS = 2000;
const EVENTS = 50;
/** Between events: each is delivered to all before the next. */
const PAUSE_MS = 200;
/** Streams that are opened together. */
const BATCH = 100;
const MAX_KILOBYTES = 40;
const MAX_MILLISECONDS = 500;
/** For all streams to open, and for an event to arrive on all. */
const DEADLINE_MS = 60_000;

/** Waits until `done` streams are all. @throws Refused */
const untilAll = async (what: string, done: () => number): Promise<void> => {
  for (const deadline = performance.now() + DEADLINE_MS; done() < STREAMS; await Bun.sleep(1))
    if (performance.now() > deadline)
      throw new Refused(`${what} only ${done()} of ${STREAMS} streams within ${DEADLINE_MS / 1000} seconds`);
};

/** Streams on their own connections, and the times at which events arrive on them. */
const openStreams = async ({ url }: Server, { key }: DataDir) => {
  const { hostname, port, host } = new URL(url);
  const sockets: Socket[] = [];
  const seen = { opened: 0, refused: "", arrivals: [] as number[] };
  const request = `GET /v1/pets/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const socket = {
    open: (one: Socket) => void one.write(request),
    data(_: Socket, bytes: Buffer) {
      const text = bytes.toString("latin1");
      if (text.startsWith("HTTP/1.1 200")) seen.opened++;
      else if (text.startsWith("HTTP/")) seen.refused = text;
      if (text.includes("event: ")) seen.arrivals.push(performance.now());
    },
  };
  for (let at = 0; at < STREAMS; at += BATCH) {
    const batch = Array.from({ length: BATCH }, () => Bun.connect({ hostname, port: Number(port), socket }));
    sockets.push(...(await Promise.all(batch)));
  }
  await untilAll("the server opened", () => (seen.refused === "" ? seen.opened : STREAMS));
  if (seen.refused !== "") throw new Refused(`a stream was refused:\n${seen.refused}`);
  return {
    /** Waits until an event has arrived on all streams. @returns the times */
    async arrived(): Promise<number[]> {
      await untilAll("an event arrived on", () => seen.arrivals.length);
      return seen.arrivals.splice(0);
    },
    close: () => sockets.forEach((one) => one.end()),
  };
};

const addAnimal = async ({ url }: Server, { key }: DataDir, name: string) => {
  const response = await fetch(`${url}/v1/pets`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  if (response.status !== 201) throw new Error(`adding an animal: ${response.status}`);
};

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const measure = async (server: Server, data: DataDir, events: number) => {
  await addAnimal(server, data, "Warm-up");
  const before = resident(server.pid);
  const streams = await openStreams(server, data);
  const bytes = (resident(server.pid) - before) / STREAMS;
  const delays: number[] = [];
  let cpu = 0;
  for (let event = 1; event <= events; event++) {
    const busy = cpuSeconds(server.pid);
    const sent = performance.now();
    await addAnimal(server, data, `Rex ${event}`);
    for (const at of await streams.arrived()) delays.push(at - sent);
    cpu += cpuSeconds(server.pid) - busy;
    await Bun.sleep(PAUSE_MS);
  }
  const held = resident(server.pid);
  streams.close();
  delays.sort((a, b) => a - b);
  return { bytes, held, cpu: cpu / events, half: quantile(delays, 0.5), most: quantile(delays, 0.99) };
};

const inMilliseconds = (value: number): string => `${value.toFixed(0)} ms`;

/** Memory of open event streams, and how long an event takes to reach them all. */
export const streams = async (bench: Bench): Promise<string> => {
  const data = bench.databases.make("streams", 1000);
  const settings = {
    EVENT_STREAMS: String(STREAMS),
    EVENT_STREAMS_PER_KEY: String(STREAMS),
    // All connections come from one address.
    TRUST_PROXY: "1",
  };
  const server = await serve(bench, data, settings);
  const { bytes, held, cpu, half, most } = await withServers([server], async () => {
    const cores = allowedCores();
    // One core, which no client shares.
    pin(server.pid, cores.slice(0, 1));
    pin(process.pid, cores.slice(1));
    try {
      return await measure(server, data, bench.quick ? 10 : EVENTS);
    } finally {
      // The parts that follow use all cores again.
      pin(process.pid, cores);
    }
  });
  return section(
    `Event streams: ${whole(STREAMS)} open on one core`,
    "A request adds an animal. The time is measured from this request to the event on each stream. Each stream has a separate HTTP connection. The server looks for changes every 25 ms.",
    [
      ["figure", "value", "target"],
      [
        "memory for each stream",
        `${(bytes / 1000).toFixed(1)} kB`,
        atMost(bytes / 1000, MAX_KILOBYTES, " kB"),
      ],
      ["memory of the server with all streams", megabytes(held), ""],
      ["delivery, median of all streams", inMilliseconds(half), ""],
      ["delivery, 99th percentile", inMilliseconds(most), atMost(most, MAX_MILLISECONDS, " ms")],
      ["CPU time for an event to all streams", inMilliseconds(cpu * 1000), ""],
    ],
  );
};
