import { type Socket, connect } from "node:net";
import { join } from "node:path";
import { expect } from "bun:test";
import { compareNodes } from "./cluster/equality.ts";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { settableClock } from "./faults/clock.ts";
import { atEnd, directory, kept, real, until } from "./support.ts";

const test = real(...ETCD, "gcc");

const STREAMS = Number(process.env["CLUSTER_STREAMS"] ?? 1000);
const ADDED = 100;
/** How long all streams may take to have the last event, after its animal was added. */
const MAX_MS = 5000;
const HOUR_S = 3600;
/** Connections that are opened at a time. */
const AT_ONCE = 50;

const EVENT = "event: added\n";

/** An open event stream, which counts the animals that were added. */
interface Stream {
  isOpen: boolean;
  isEnded: boolean;
  added: number;
}

/** One address may have 256 connections. */
const PER_ADDRESS = 200;

/** @param index of the stream */
const openStream = ({ port }: Node, key: string, index: number): Stream => {
  const stream: Stream = { isOpen: false, isEnded: false, added: 0 };
  const socket: Socket = connect({
    host: "127.0.0.1",
    port,
    localAddress: `127.0.0.${2 + Math.floor(index / PER_ADDRESS)}`,
  });
  atEnd(() => void socket.destroy());
  socket.write(`GET /v1/pets/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`);
  let rest = "";
  socket.setEncoding("latin1").on("data", (data: string) => {
    stream.isOpen ||= data.startsWith("HTTP/1.1 200");
    const text = rest + data;
    stream.added += text.split(EVENT).length - 1;
    rest = text.slice(1 - EVENT.length);
  });
  socket.on("close", () => (stream.isEnded = true)).on("error", () => (stream.isEnded = true));
  return stream;
};

const openStreams = async (at: Node, key: string): Promise<Stream[]> => {
  const streams: Stream[] = [];
  while (streams.length < STREAMS) {
    const some = Array.from({ length: Math.min(AT_ONCE, STREAMS - streams.length) }, (_, index) =>
      openStream(at, key, streams.length + index),
    );
    await until("the streams are open", () => some.every(({ isOpen }) => isOpen));
    streams.push(...some);
  }
  return streams;
};

test(`${STREAMS} event streams of a replica miss nothing while the clocks of the nodes jump by hours`, async () => {
  const place = directory();
  await using etcd = await startEtcd(3);
  const env = { DATABASE_URL: etcd.url("streams"), EVENT_STREAMS: "5000", EVENT_STREAMS_PER_KEY: "5000" };
  const clocks = await Promise.all(["a", "b"].map(() => settableClock(directory())));
  const [a, b] = ["a", "b"].map((name, index) =>
    kept(node({ place: join(place, name), env: { ...env, ...clocks[index]?.env } })),
  ) as [Node, Node];
  await a.start();
  await b.start();
  const key = a.adminKey();
  const add = (at: Node, name: string) =>
    fetch(`${at.url}/v1/pets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name, categoryId: 1 }),
    });
  const streams = await openStreams(b, key);

  const times: number[] = [];
  for (let count = 0; count < ADDED; count++) {
    if (count === ADDED / 4) clocks[0]?.jump(5 * HOUR_S);
    if (count === ADDED / 2) clocks[1]?.jump(-3 * HOUR_S);
    if (count === (3 * ADDED) / 4) clocks[0]?.jump(-5 * HOUR_S);
    const begun = performance.now();
    expect((await add(count % 2 === 0 ? a : b, `animal ${count}`)).status).toBe(201);
    times.push(performance.now() - begun);
  }
  const written = performance.now();
  await until("every stream has every event", () => streams.every(({ added }) => added >= ADDED), MAX_MS);
  const took = performance.now() - written;
  expect(streams.filter(({ isEnded, added }) => isEnded || added !== ADDED)).toEqual([]);
  expect((await compareNodes([a, b])).differences).toEqual([]);
  const median = times.toSorted((one, other) => one - other)[times.length / 2] ?? 0;
  console.log(
    `    ${STREAMS} streams had the last of ${ADDED} events ${took.toFixed(0)} ms after it was confirmed; a write took ${median.toFixed(1)} ms in the median`,
  );
});
