import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import { serveHttps } from "./https.ts";
import { type Server, real, serve, store, until, within } from "./support.ts";

const test = real();
const withCurl = real("curl");

const CHANGES = Number(process.env["EVENT_CHANGES"] ?? 100_000);
const WRITERS = 16;
const READERS = 3;
/** Events that are there to catch up with. */
const MANY = 200_000;

interface Event {
  id: number;
  kind: string;
  pet: { id: number; name?: string };
}

const eventOf = (block: string): Event | undefined => {
  const [, id, kind, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
  return kind === undefined
    ? undefined
    : { id: Number(id), kind, pet: JSON.parse(data ?? "") as Event["pet"] };
};

/** Reads from behind `last` until it is cut off at a random moment. @returns what came whole */
const readFor = async (server: Server, last: number, ms: number): Promise<Event[]> => {
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(), ms);
  const seen: Event[] = [];
  try {
    const answer = await server.call("/v1/pets/events", {
      headers: { "last-event-id": String(last) },
      signal: cut.signal,
    });
    // The connections that were cut before are counted until the server has seen that they are.
    if (answer.status === 429) return seen;
    expect(answer.status).toBe(200);
    let text = "";
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split("\n\n");
      text = blocks.pop() ?? "";
      seen.push(...blocks.map(eventOf).filter((one) => one !== undefined));
    }
  } catch (error) {
    if (!cut.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return seen;
};

/** Adds and changes in turn. @returns what was acknowledged: the ids that were added */
const write = async (server: Server, prefix: string, count: number): Promise<number[]> => {
  const ids: number[] = [];
  for (let at = 0; at < count; at += 2) {
    const { id } = (await (await server.add(`${prefix}-${at}`)).json()) as { id: number };
    ids.push(id);
    await server.send(`/v1/pets/${id}`, { name: `${prefix}-${at}-changed` }, "PATCH");
  }
  return ids;
};

test(`${READERS} readers cut off at random moments miss and double nothing in ${CHANGES} changes`, async () => {
  const server = await serve({ env: { LOG_LEVEL: "silent" } });
  const each = Math.ceil(CHANGES / WRITERS / 2) * 2;
  const writing = Promise.all(
    Array.from({ length: WRITERS }, (_, index) => write(server, String(index), each)),
  );
  let cuts = 0;
  const reading = Promise.all(
    Array.from({ length: READERS }, async () => {
      const seen: Event[] = [];
      for (; seen.length < each * WRITERS; cuts++)
        seen.push(...(await readFor(server, seen.at(-1)?.id ?? 0, Math.random() * 400)));
      return seen;
    }),
  );
  const added = (await writing).flat().toSorted((a, b) => a - b);
  for (const seen of await reading) {
    expect(seen.length).toBe(each * WRITERS);
    expect(seen.every(({ id }, index) => id === index + 1)).toBe(true);
    const idsOf = (wanted: string) =>
      seen
        .filter(({ kind }) => kind === wanted)
        .map(({ pet }) => pet.id)
        .toSorted((a, b) => a - b);
    expect(idsOf("added")).toEqual(added);
    expect(idsOf("changed")).toEqual(added);
    const lastNames = new Map(seen.map(({ pet }) => [pet.id, pet.name]));
    expect([...lastNames.values()].every((name) => name?.endsWith("-changed"))).toBe(true);
  }
  console.log(`    ${each * WRITERS} changes, ${cuts} connections`);
}, 600_000);

/** A client that asks for all events and reads none. */
const sleeper = (server: Server) =>
  Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    socket: {
      open(socket) {
        socket.write(
          `GET /v1/pets/events?lastEventId=0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
        );
      },
      data(socket) {
        socket.pause();
      },
    },
  });

test("readers that take nothing, and others that catch up, hold nothing up, cost no memory, and do not delay the end", async () => {
  const env = { LOG_LEVEL: "silent" };
  const server = await serve({ env });
  const name = "x".repeat(190);
  const rows = Array.from({ length: MANY }, (_, index) => `${name}${index},1\n`);
  writeFileSync(join(server.cwd, "a.csv"), `name,categoryId\n${rows.join("")}`);
  expect((await store(["import", "a.csv"], { cwd: server.cwd })).code).toBe(0);
  const memory = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${server.pid}/status`).text())?.[1]) / 1024;
  const before = await memory();
  const sleeping = await Promise.all(Array.from({ length: 4 }, () => sleeper(server)));
  const reading = new Set([1, 2, 3, 4, 5]);
  const catchingUp = Array.from(reading, async (one) => {
    let seen = "";
    const answer = await server.call("/v1/pets/events?lastEventId=0");
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      seen = (seen + piece).slice(-1000);
      if (seen.includes(`id: ${MANY}\n`)) break;
    }
    reading.delete(one);
  });
  let answers = 0;
  for (; reading.size > 0; answers += 1) expect((await server.call("/livez")).status).toBe(200);
  await Promise.all(catchingUp);
  // A second and more of reading: a server that reads without a break answers once or twice.
  expect(answers).toBeGreaterThan(20);
  // All that they read is 300 MB and more.
  expect((await memory()) - before).toBeLessThan(100);
  const began = performance.now();
  expect(await within("the end", 6000, server.stop())).toBe(0);
  console.log(`    ${answers} answers meanwhile, ended after ${Math.round(performance.now() - began)} ms`);
  for (const socket of sleeping) socket.terminate();
}, 300_000);

withCurl(
  "a stream over either protocol lives on, silent but for its heartbeat, for longer than an idle connection, and ends immediately at SIGTERM",
  async () => {
    const server = await serveHttps();
    const argv = ["curl", "--silent", "--no-buffer", "--header", `Authorization: Bearer ${server.key}`];
    const streams = [
      ["--http1.1", `${server.url}/v1/pets/events`],
      ["--http2", ...server.trust, `${server.httpsUrl}/v1/pets/events`],
    ].map((protocol) => {
      const reader = Bun.spawn([...argv, ...protocol], { stdout: "pipe" });
      let text = "";
      const reading = (async () => {
        for await (const piece of reader.stdout.pipeThrough(new TextDecoderStream())) text += piece;
      })();
      return { reader, reading, text: () => text };
    });
    for (const { text } of streams)
      await until("three heartbeats", () => text().split(":\n\n").length > 3, 60_000);
    await server.add("Bella");
    for (const { text } of streams) await until("an event", () => text().includes('"name":"Bella"'));
    const ended = server.stop();
    for (const { reader, reading } of streams) {
      await within("the end of the stream", 5000, reading);
      expect(await reader.exited).toBe(0);
    }
    expect(await within("the end of the server", 5000, ended)).toBe(0);
  },
  120_000,
);
