import { expect } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Answer, readAnswer } from "./answer.ts";
import { publishDocs } from "./console.ts";
import { connect } from "./socket.ts";
import { type Server, real, run, serve, within } from "./support.ts";

const test = real();
const withCurl = real("curl");

const keyed = ({ key }: Server) => `Authorization: Bearer ${key}`;

/** Calls the server with curl, which takes the path as it is. */
const curl = async (server: Server, path: string, ...options: string[]): Promise<Answer> => {
  const argv = ["curl", "--silent", "--show-error", "--include", "--path-as-is", "--max-time", "20"];
  const { stdout, stderr } = await run([...argv, ...options, `${server.url}${path}`]);
  if (stderr !== "") throw new Error(stderr);
  return readAnswer(stdout);
};

/** Sends these lines as the head of a request that closes its connection, and this body. */
const send = async (port: number, lines: string[], body = ""): Promise<Answer> => {
  using socket = await connect(port);
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
  await socket.closed();
  return readAnswer(socket.received());
};

const expectError = ({ status, headers, body }: Answer, expected: number, code: string): void => {
  expect({ status, type: headers.get("content-type") }).toEqual({
    status: expected,
    type: "application/json",
  });
  expect(JSON.parse(body)).toEqual({ code, message: expect.any(String), status });
};

withCurl("HEAD has the status and headers of GET and no body", async () => {
  const server = await serve();
  await server.add("Bella");
  for (const [path, status] of [
    ["/v1/pets", 200],
    ["/v1/pets/1", 200],
    ["/v1/pets/2", 404],
    ["/livez", 200],
    ["/docs", 200],
    ["/openapi.json", 200],
    ["/nothing", 404],
  ] as const) {
    const head = await curl(server, path, "--head", "--header", keyed(server));
    const get = await curl(server, path, "--header", keyed(server));
    expect([path, head.status, get.status, head.body]).toEqual([path, status, status, ""]);
    for (const name of ["content-type", "content-length", "cache-control", "sunset"])
      expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
  }
});

withCurl("every way to write a path answers sensibly, and none gets around the key", async () => {
  const server = await serve();
  await server.add("Bella");
  for (const [path, withKey, without] of [
    ["/v1/pets/", 200, 401],
    ["/v1/pets/1/", 200, 401],
    ["/v1/pets/%31", 200, 401],
    ["/v1/pets/%ff", 404, 401],
    ["/v1/pets/%zz", 404, 401],
    ["/v1/pets/1%2F..", 404, 401],
    ["/v1/p%65ts", 404, 401],
    ["/v1//pets", 404, 401],
    ["/v1/nothing", 404, 401],
    ["/v1", 404, 401],
    ["/platform/nothing", 404, 401],
    ["//v1/pets", 404, 404],
    ["/V1/pets", 404, 404],
    ["/v1/../livez", 200, 200],
    ["/livez/../v1/pets", 200, 401],
    ["/docs/", 200, 200],
    ["/docs/../../../etc/passwd", 404, 404],
  ] as const) {
    const answers = [await curl(server, path, "--header", keyed(server)), await curl(server, path)];
    expect([path, ...answers.map(({ status }) => status)]).toEqual([path, withKey, without]);
    for (const answer of answers.filter(({ status }) => status >= 400))
      expect(JSON.parse(answer.body)).toMatchObject({ status: answer.status });
  }
});

test("every Host on the wire is answered sensibly, also two, none, and a hostile one", async () => {
  const server = await serve();
  await publishDocs(server);
  const hosts: [host: string, status: number][] = [
    ["localhost", 200],
    ["127.0.0.1", 200],
    ["[::1]:3000", 200],
    ["pi.local", 200],
    ["pi", 200],
    ["a", 200],
    ["pi:3000", 200],
    ["", 200],
    // The site has no such page.
    ["docs.localhost", 404],
    ["DOCS.LocalHost.:3000", 404],
    ["evil.example", 421],
    ["none.localhost", 421],
    ["docs.localhost.evil.example", 421],
    ["0x7f.1", 421],
    ["me@docs.localhost", 400],
    ["docs.localhost, localhost", 400],
    ["docs.localhost:99999", 400],
    ["docs.localhost:x", 400],
    ["%64ocs.localhost", 400],
    ["b\u00C3\u00BCcher.example", 400],
    ["docs..localhost", 400],
    [".", 400],
    ["[::1", 400],
    ["*.localhost", 400],
    ["a b", 400],
    ["a/b", 400],
    ["x".repeat(300), 400],
  ];
  for (const [host, status] of hosts) {
    const answer = await send(server.port, ["GET /livez HTTP/1.1", `Host: ${host}`]);
    expect([host, answer.status]).toEqual([host, status]);
    expect(answer.headers.get("x-request-id")).toBeTruthy();
    if (status === 400 || status === 421) expect(JSON.parse(answer.body)).toMatchObject({ status });
  }
  for (const two of [
    ["localhost", "localhost"],
    ["localhost", "docs.localhost"],
    ["docs.localhost", "localhost"],
  ])
    expect(
      (await send(server.port, ["GET /livez HTTP/1.1", ...two.map((host) => `Host: ${host}`)])).status,
    ).toBe(400);
  for (const [line, status, ...fields] of [
    ["GET /livez HTTP/1.0", 200],
    ["CONNECT evil.example:80 HTTP/1.1", 405, "Host: docs.localhost"],
    ["GET /livez HTTP/1.1", 400],
    ["GET http://localhost/livez HTTP/1.1", 200, "Host: localhost"],
  ] as const)
    expect([line, (await send(server.port, [line, ...fields])).status]).toEqual([line, status]);
});

test("a request without a Host is routed by its path as any other", async () => {
  const server = await serve();
  for (const [line, status] of [
    ["GET /v1/pets/1", 401],
    ["GET /v1/pets?limit=1", 401],
    ["POST /livez", 405],
    ["OPTIONS /livez", 204],
    ["GET /about.html", 404],
    ["GET /aaaaaaaaaaaaa/livez", 404],
    ["GET //livez", 404],
    ["GET /livez", 200],
  ] as const)
    for (const head of [[`${line} HTTP/1.0`], [`${line} HTTP/1.1`, "Host:"]])
      expect([head[0], (await send(server.port, head)).status]).toEqual([head[0], status]);
});

test("input that is not HTTP is refused, its connection closed, and the server continues", async () => {
  const server = await serve();
  const get = "GET /v1/pets HTTP/1.1";
  const post = ["POST /v1/pets HTTP/1.1", "Host: a", "Content-Type: application/json", keyed(server)];
  for (const [status, lines, body] of [
    [400, ["GARBAGE"]],
    [400, [get, keyed(server)]],
    [400, [get, "Host: a", "Bad Header: x"]],
    [400, [get, "Host: a", " folded: x"]],
    [400, [...post, "Content-Length: -3"], "abc"],
    [400, [...post, "Content-Length: 3", "Content-Length: 4"], "abcd"],
    [400, [...post, "Content-Length: 3", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    [400, [...post, "Transfer-Encoding: chunked"], "zz\r\nabc\r\n0\r\n\r\n"],
    [505, ["GET /v1/pets HTTP/2.0", "Host: a"]],
    [431, [get, "Host: a", `X-Long: ${"x".repeat(100_000)}`]],
  ] as [number, string[], string?][])
    expect([lines, (await send(server.port, lines, body)).status]).toEqual([lines, status]);
  expect((await server.call("/v1/pets")).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(await server.stderr).toBe("");
});

test("requests that do not wait for each other's answers are answered in their order, as far as they are", async () => {
  const server = await serve();
  await server.add("Bella");
  using socket = await connect(server.port);
  const paths = ["/v1/pets", "/livez", "/v1/pets/1", "/v1/pets/2", "/v1/pets?limit=1"];
  const heads = paths.map(
    (path, index) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${keyed(server)}\r\nX-Request-Id: ${index}`,
  );
  socket.write(`${heads.join("\r\n\r\n")}\r\nConnection: close\r\n\r\n`);
  await socket.closed();
  // Bun closes a connection with a request behind one whose response waits.
  const answered = [...socket.received().matchAll(/HTTP\/1\.1 ([0-9]+) |^x-request-id: (.+)$/gim)];
  const all = ["200", "200", "200", "404", "200"].flatMap((status, index) => [status, String(index)]);
  expect(answered.map(([, status, id]) => status ?? id?.trim())).toEqual(all.slice(0, answered.length));
  expect((await server.call("/v1/pets/1")).status).toBe(200);
});

test("a client that does not wait for the answer to its write loses only its connection", async () => {
  const server = await serve();
  using socket = await connect(server.port);
  const body = '{"name":"Bella","categoryId":1}';
  const head = ["POST /v1/pets HTTP/1.1", "Host: a", keyed(server), "Content-Type: application/json"];
  const write = `${[...head, `Content-Length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`;
  socket.write(write + write);
  await socket.closed();
  // Bun closes a connection with a request behind one whose response waits. Nothing was written: the second came in time.
  expect(socket.received()).toBe("");
  expect(await server.read("/v1/pets")).toEqual([]);
  expect((await server.add("Rex")).status).toBe(201);
});

withCurl("a body over 64 KiB is 413, announced or not; one of exactly 64 KiB is read", async () => {
  const server = await serve();
  const file = join(server.cwd, "body.json");
  const json = (bytes: number) => {
    const body = JSON.stringify({ name: "Bella", categoryId: 1 });
    writeFileSync(file, body.padEnd(bytes));
  };
  const post = (...options: string[]) =>
    curl(
      server,
      "/v1/pets",
      "--header",
      keyed(server),
      "--json",
      `@${file}`,
      "--header",
      "Expect:",
      ...options,
    );
  for (const way of [[], ["--header", "Transfer-Encoding: chunked"]]) {
    json(65_536);
    expect((await post(...way)).status).toBe(201);
    json(65_537);
    expectError(await post(...way), 413, "payload_too_large");
    json(1_000_000);
    expectError(await post(...way), 413, "payload_too_large");
  }
});

withCurl("a client that waits for 100 Continue gets it, and its answer", async () => {
  const server = await serve();
  const body = '{"name":"Bella","categoryId":1}';
  const start = performance.now();
  const post = ["--json", body, "--header", "Expect: 100-continue", "--expect100-timeout", "10"];
  expect((await curl(server, "/v1/pets", "--header", keyed(server), ...post)).status).toBe(201);
  expectError(await curl(server, "/v1/pets", ...post), 401, "missing_api_key");
  expect(performance.now() - start).toBeLessThan(5000);
});

const HUGE = 200_000_000;

/** The most memory that the server has used so far, in bytes. */
const peakMemory = ({ pid }: Server): number =>
  Number(/VmHWM:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

/** Sends all of a huge body, whatever is answered, as long as the connection is open. @returns what was received */
const pour = async (port: number, head: string): Promise<string> => {
  const socket = createConnection(port, "127.0.0.1");
  let received = "";
  socket.on("data", (bytes: Buffer) => void (received += bytes.toString("latin1")));
  const block = Buffer.alloc(1_000_000);
  const blocks = function* () {
    yield Buffer.from(head);
    for (let sent = 0; sent < HUGE; sent += block.length) yield block;
  };
  // The server may well close the connection before it has all.
  await pipeline(Readable.from(blocks()), socket).catch(() => {});
  socket.destroy();
  return received;
};

withCurl("200 MB without a key are refused immediately and never stored", async () => {
  const server = await serve();
  const file = join(server.cwd, "huge");
  writeFileSync(file, "");
  truncateSync(file, HUGE);
  const before = peakMemory(server);
  const start = performance.now();
  const head = [
    "POST /v1/pets HTTP/1.1",
    "Host: a",
    "Content-Type: application/json",
    `Content-Length: ${HUGE}`,
  ];
  using waiting = await connect(server.port);
  waiting.write(`${head.join("\r\n")}\r\n\r\n`);
  await waiting.until(/^HTTP\/1\.1 401 /, 3000);
  const upload = ["--header", "Content-Type: application/json", "--upload-file", file, "--request", "POST"];
  expectError(await curl(server, "/v1/pets", ...upload), 401, "missing_api_key");
  expect(performance.now() - start).toBeLessThan(10_000);
  const poured = await within(
    "200 MB to be refused",
    20_000,
    pour(server.port, `${head.join("\r\n")}\r\n\r\n`),
  );
  expect(poured).toMatch(/^(HTTP\/1\.1 401 |$)/);
  expect(peakMemory(server) - before).toBeLessThan(50_000_000);
});

test("a connection that stalls is closed within 40 seconds, wherever it stalls, even when it trickles", async () => {
  const server = await serve({ flags: ["--log-level", "warn"] });
  const post = `POST /v1/pets HTTP/1.1\r\nHost: a\r\n${keyed(server)}\r\nContent-Type: application/json\r\n`;
  const stalls: [first: string, trickle: string][] = [
    ["", ""],
    ["GET /livez HTTP/1.1\r\nHost: a", ""],
    ["GET /livez HTTP/1.1\r\nX-Slow: ", "x"],
    [`${post}Content-Length: 1000\r\n\r\n{`, ""],
    [`${post}Content-Length: 1000\r\n\r\n{`, " "],
    [`${post}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"],
    ["GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", ""],
  ];
  const stall = async ([first, trickle]: [string, string]) => {
    using socket = await connect(server.port);
    socket.write(first);
    const timer = setInterval(() => trickle && !socket.isClosed() && socket.write(trickle), 1000);
    await socket.closed(40_000).finally(() => clearInterval(timer));
  };
  await Promise.all(stalls.map(stall));
  expect((await server.call("/v1/pets")).status).toBe(200);
});
