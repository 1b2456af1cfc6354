import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { createWorkers } from "../../../src/app/workers.ts";
import { databasePath, workersSocketPath } from "../../../src/data/data-dir/paths.ts";
import { readProcessRecord } from "../../../src/data/data-dir/process-record.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { findStatus } from "../../../src/cli/status.ts";
import { bundledProgram } from "../../support/program.ts";
import { startServer } from "../../../src/app/server.ts";
import { atEnd, faultOf, openOnce, temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { isAlive, serveWithWorkers } from "./serving.ts";

const shared = openOnce(() => serveWithWorkers());

const statusesOf = (responses: readonly Response[]): number[] => [
  ...new Set(responses.map(({ status }) => status)),
];

/** A key that holds `pets:read` only. */
const createKey = async (fields: object = {}) => {
  const response = await shared().post("/platform/keys", {
    name: "reader",
    scopes: ["pets:read"],
    ...fields,
  });
  return (await response.json()) as { id: number; secret: string };
};

/** Waits until something holds. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await Bun.sleep(10);
};

test("all workers serve once the server has started", async () => {
  await until(() => shared().workers().length === 2);
  expect(shared().workers().every(isAlive)).toBe(true);
});

test("workers have the name of the program", () => {
  for (const pid of shared().workers())
    expect(readFileSync(`/proc/${pid}/comm`, "utf8")).toBe("adoption-store\n");
});

test("an acknowledged write is in every later response, over any connection", async () => {
  for (let round = 0; round < 10; round++) {
    const id = await shared().add(`round ${round}`);
    const pages = await Promise.all(
      (await shared().callAll("/v1/pets?sort=-id&limit=1")).map((page) => page.json()),
    );
    expect(pages.every((page) => (page as { id: number }[])[0]?.id === id)).toBe(true);
    expect(statusesOf(await shared().callAll(`/v1/pets/${id}`))).toEqual([200]);
    await shared().call(`/v1/pets/${id}`, { method: "DELETE" });
    expect(statusesOf(await shared().callAll(`/v1/pets/${id}`))).toEqual([404]);
  }
});

test("a search and its counts have every animal that any connection has added", async () => {
  for (let round = 0; round < 10; round++) {
    const name = `Żółw ${crypto.randomUUID()}`;
    const id = await shared().add(name);
    const found = await Promise.all(
      (await shared().callAll(`/v1/pets?q=${encodeURIComponent(name)}`)).map((page) => page.json()),
    );
    expect(found.every((pets) => (pets as { id: number }[])[0]?.id === id)).toBe(true);
    const counted = await Promise.all(
      (await shared().callAll(`/v1/statistics?q=${encodeURIComponent(name)}`)).map((counts) => counts.json()),
    );
    expect(counted.every((counts) => (counts as { total: number }).total === 1)).toBe(true);
  }
});

test("every process refuses a revoked key immediately", async () => {
  const { id, secret } = await createKey();
  expect(statusesOf(await shared().callAll("/v1/pets", { key: secret }))).toEqual([200]);
  expect((await shared().call(`/platform/keys/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(statusesOf(await shared().callAll("/v1/pets", { key: secret }))).toEqual([401]);
});

test("the limit of a key holds for all processes together", async () => {
  const { secret } = await createKey({ rateLimit: "10/h" });
  const responses = await shared().callAll("/v1/pets", { key: secret });
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = responses.find(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(refused && (await faultOf(refused))).toBe("429 rate_limited");
});

test("a retry with the same Idempotency-Key over another connection gets the same response", async () => {
  const headers = { "idempotency-key": "one" };
  const responses = [];
  for (let attempt = 0; attempt < 12; attempt++)
    responses.push(await shared().post("/v1/pets", { name: "Once", categoryId: 1 }, { headers }));
  const ids = await Promise.all(responses.map(async (one) => ((await one.json()) as { id: number }).id));
  expect(new Set(ids).size).toBe(1);
  expect(responses.slice(1).every((one) => one.headers.get("idempotency-replayed") === "true")).toBe(true);
});

test("a stream of events resumes after the last event over another connection", async () => {
  const next = async (lastEventId: string | undefined): Promise<string> => {
    const response = await shared().call("/v1/pets/events", {
      headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
    });
    let text = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const id = /^id: (\d+)/m.exec(text)?.[1];
      if (id) return id;
    }
    return "";
  };
  let last = await next(undefined);
  for (let round = 0; round < 8; round++) {
    await shared().add("Event");
    const id = await next(last);
    expect(Number(id)).toBe(Number(last) + 1);
    last = id;
  }
});

test("the metrics and the last use of a key count the requests of all processes", async () => {
  const { id, secret } = await createKey();
  const countOf = async () => {
    const text = await (await shared().call("/metrics")).text();
    const counts = text.matchAll(
      /^http_server_request_duration_seconds_count{.*"\/v1\/pets\/:petId".*} (\d+)$/gm,
    );
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await countOf();
  const responses = await shared().callAll("/v1/pets/1", { key: secret });
  expect((await countOf()) - before).toBe(responses.length);
  const key = (await (await shared().call(`/platform/keys/${id}`)).json()) as { deprecatedCalls: number };
  expect(key.deprecatedCalls).toBe(responses.length);
});

test("headers, statuses and bodies are those of a single process", async () => {
  const paths = [
    "/v1/pets?limit=1",
    "/v1/pets/999999",
    "/v1/store/orders?limit=1",
    "/v1/store/orders/1",
    "/readyz",
    "/docs",
    "/v1/nothing",
    "/v1/pets?wrong=1",
  ];
  for (const path of paths)
    for (const method of ["GET", "HEAD"]) {
      const seen = (await shared().callAll(path, { method })).map(async (response) => {
        const headers = [...response.headers].filter(([name]) => !["x-request-id", "date"].includes(name));
        return JSON.stringify([response.status, headers.toSorted(), await response.text()]);
      });
      expect([path, method, new Set(await Promise.all(seen)).size]).toEqual([path, method, 1]);
    }
});

test("every process keeps a request id, and refuses a host that nothing serves", async () => {
  const kept = await shared().callAll("/platform/keys", { headers: { "x-request-id": "mine" } });
  expect(kept.every(({ headers }) => headers.get("x-request-id") === "mine")).toBe(true);
  expect(statusesOf(await shared().callAll("/", { headers: { host: "unknown.example" } }))).toEqual([421]);
});

test("every process refuses a body that is too large with 413", async () => {
  const body = JSON.stringify({ name: "x".repeat(2 ** 21), categoryId: 1 });
  for (let attempt = 0; attempt < 12; attempt++) {
    const response = await shared().call("/v1/pets", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(await faultOf(response)).toBe("413 payload_too_large");
  }
});

test("only this user can open the socket for forwarded requests", () => {
  const path = workersSocketPath(shared().config.dataDir);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a killed worker is replaced, and no acknowledged write is lost", async () => {
  const { config, add, callAll, workers } = shared();
  await until(() => workers().length === 2);
  const killed = workers();
  const id = await add("Kept");
  for (const pid of killed) process.kill(pid, "SIGKILL");
  await until(() => readProcessRecord(config.dataDir)?.missingWorkers !== undefined);
  await until(() => workers().length === 2 && !workers().some((pid) => killed.includes(pid)));
  expect(readProcessRecord(config.dataDir)?.missingWorkers).toBeUndefined();
  expect(statusesOf(await callAll(`/v1/pets/${id}`))).toEqual([200]);
  expect(await add("Next")).toBe(id + 1);
});

test("status lists the workers and their memory", async () => {
  const { config, workers } = shared();
  await until(() => workers().length === 2);
  const { server } = await findStatus(config, undefined, Date.now());
  expect(server.workers?.map(({ pid }) => pid)).toEqual([...workers()]);
  for (const { memoryBytes } of server.workers ?? []) expect(memoryBytes).toBeGreaterThan(10_000_000);
});

test("a second server on the same port is refused", async () => {
  const { config, server } = shared();
  const other = { ...config, dataDir: temporaryDirectory(), port: Number(new URL(server.url).port) };
  expect(await outcomeOf(startServer(other))).toThrow("the port is in use");
});

test("a server waits until the workers of a killed one have left its port", async () => {
  const { config } = shared();
  const other = { ...config, dataDir: temporaryDirectory() };
  // A killed server leaves the file, and for a moment a process that listens.
  await Bun.write(workersSocketPath(other.dataDir), "");
  const leaving = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = Number(leaving.port);
  const starting = startServer({ ...other, port }, { program: await bundledProgram() });
  await Bun.sleep(100);
  await leaving.stop(true);
  const server = await starting;
  atEnd(() => server.stop());
  expect(Number(new URL(server.url).port)).toBe(port);
});

/** Sends a write without its body, and waits until a process has read the headers. */
const beginWrite = async (port: number, key: string) => {
  const body = JSON.stringify({ name: "Bella", categoryId: 1 });
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [interim] = (await once(socket, "data")) as [string];
  expect(interim).toStartWith("HTTP/1.1 100");
  return async (): Promise<string> => {
    socket.write(body);
    const [response] = (await once(socket, "data")) as [string];
    socket.destroy();
    return response.slice(0, "HTTP/1.1 201".length);
  };
};

test("a stop lets every process finish the writes that it has begun, ends the workers and removes the socket", async () => {
  const { server, config, key, workers } = await serveWithWorkers();
  await until(() => workers().length === 2);
  const pids = workers();
  const port = Number(new URL(server.url).port);
  const finish = await Promise.all(Array.from({ length: 12 }, () => beginWrite(port, key)));
  const stopped = server.stop();
  expect(new Set(await Promise.all(finish.map((one) => one())))).toEqual(new Set(["HTTP/1.1 201"]));
  await stopped;
  expect(pids.some(isAlive)).toBe(false);
  expect(existsSync(workersSocketPath(config.dataDir))).toBe(false);
});

test("no worker counts as missing before all have been started", async () => {
  const { config } = shared();
  const log = { warn() {} } as unknown as Logger;
  const starting = createWorkers({ ...config, dataDir: temporaryDirectory() }, log, () => new Response());
  atEnd(starting.close);
  expect(starting.others.missing()).toBeUndefined();
});

test("a worker that cannot start is reported as missing, with the time and the reason", async () => {
  const { config } = shared();
  const log = { warn() {} } as unknown as Logger;
  const alone = { ...config, workers: 2, dataDir: temporaryDirectory() };
  const failing = createWorkers(alone, log, () => new Response());
  const changes: unknown[] = [];
  await failing.start(
    { limiters: {}, pets: { indexing: {} } } as never,
    alone,
    (pids, missing) => void changes.push([pids, missing]),
  );
  await until(() => changes.length > 0);
  const missing = { count: 1, since: expect.any(String), reason: expect.stringContaining("DATA_DIR") };
  expect(changes[0]).toEqual([[], missing]);
  expect(failing.others.missing()).toEqual(missing);
  await failing.stop(50);
});

test("workers end when their server is killed, even a worker that hangs", async () => {
  const dataDir = temporaryDirectory();
  const command = [...(await bundledProgram()), "serve"];
  const server = Bun.spawn([...command, "--port", "0", "--data-dir", dataDir, "--workers", "3"], {
    stdout: "pipe",
    stderr: "ignore",
  });
  atEnd(() => server.kill("SIGKILL"));
  const pids = () => readProcessRecord(dataDir)?.workers ?? [];
  await until(() => pids().length === 2);
  const [hanging = 0] = pids();
  process.kill(hanging, "SIGSTOP");
  atEnd(() => void (isAlive(hanging) && process.kill(hanging, "SIGKILL")));
  server.kill("SIGKILL");
  await until(() => !pids().some(isAlive));
  // No other process holds its standard output.
  await server.stdout.text();
});

test("the audit log counts the adopters in the responses of all processes", async () => {
  const { server, config, post, callAll } = await serveWithWorkers();
  const pet = await post("/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  const { id: petId } = (await pet.json()) as { id: number };
  await post("/v1/store/orders", { petId, adopter: { name: "Ada Byron", email: "ada@example.org" } });
  const responses = await callAll("/v1/store/orders");
  await server.stop();
  using database = new Database(databasePath(config.dataDir), { readonly: true });
  const rows = database
    .query<{ rows: string }, []>(
      "SELECT changes ->> '$[0][2]' AS rows FROM audit_entries WHERE action = 'adopter.read'",
    )
    .all()
    .map((entry) => Number(entry.rows));
  expect(rows.reduce((sum, count) => sum + count, 0)).toBe(responses.length);
  expect(rows.length).toBeLessThanOrEqual(2);
});
