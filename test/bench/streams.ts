import { spawnSync, type Socket } from "bun";
import { type Bench, serve, withServers } from "./bench.ts";
import type { DataDir } from "./databases.ts";
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
  while (seen.opened < STREAMS && seen.refused === "") await Bun.sleep(10);
  if (seen.refused !== "") throw new Error(`a stream was refused:\n${seen.refused}`);
  return {
    /** Waits until an event has arrived on all streams. @returns the times */
    async arrived(): Promise<number[]> {
      while (seen.arrivals.length < STREAMS) await Bun.sleep(1);
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
  delays.sort((one, other) => one - other);
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
    // One core, which no client shares.
    spawnSync(["taskset", "--all-tasks", "--pid", "--cpu-list", "0", String(server.pid)]);
    spawnSync(["taskset", "--all-tasks", "--pid", "--cpu-list", "1-", String(process.pid)]);
    return measure(server, data, bench.quick ? 10 : EVENTS);
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
