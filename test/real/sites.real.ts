import { expect } from "bun:test";
import { Database } from "bun:sqlite";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { askAllTheTime } from "../edge/visitors.ts";
import { tarGzOf } from "../platform/deploys/archives.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { publishDocs } from "./console.ts";
import { connect } from "./socket.ts";
import { type Server, directory, real, serve } from "./support.ts";

const test = real();

const HOST = "docs.example.com";
const CONNECTIONS = 64;
const ROUNDS = 20;

const serveSites = async (cwd: string) => {
  const server = await serve({ cwd, flags: ["--log-level", "warn"] });
  await publishDocs(server);
  return server;
};

const deploy = async (server: Server, files: Record<string, string>): Promise<void> => {
  const answer = await server.call("/platform/projects/docs/deploys", {
    method: "POST",
    headers: { "content-type": "application/gzip" },
    body: tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content }))),
  });
  expect(await answer.json()).toMatchObject({ status: "succeeded", active: true });
};

const databaseOf = (cwd: string): Database => {
  const database = new Database(`${cwd}/data/adoption-store.db`);
  database.run("PRAGMA busy_timeout = 5000");
  return database;
};

const add = (database: Database, hostname: string, role = "served"): void =>
  void database.run(
    `insert into domains (project_id, hostname, stage, role, created_at, waiting_since, verified_at, findings)
    select id, ?1, 'live', ?2, 0, 0, 0, '[]' from projects where slug = 'docs'`,
    [hostname, role],
  );

/** Sends the head of a request as it stands here, and closes the connection behind its answer. */
const send = async ({ port }: Server, ...lines: string[]): Promise<Answer> => {
  using socket = await connect(port);
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  await socket.closed();
  return readAnswer(socket.received());
};

test("a removed domain is served not once more, to 64 connections that ask all the time", async () => {
  const place = directory();
  await using server = await serveSites(place);
  await deploy(server, { "index.html": "home" });
  using database = databaseOf(place);
  const byApi = async () => {
    const path = `/platform/projects/docs/domains/${HOST}`;
    expect((await server.call(path, { method: "DELETE" })).status).toBe(204);
  };
  const byAnotherProcess = () => void database.run("delete from domains");
  const visitors = await askAllTheTime({ port: server.port, host: HOST, connections: CONNECTIONS });
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const remove of [byApi, byAnotherProcess]) {
        add(database, HOST);
        await visitors.untilStatus(200);
        await remove();
        visitors.mark();
        await visitors.untilStatus(421);
        expect(visitors.servedAfterMark()).toBe(0);
      }
  } finally {
    visitors.stop();
  }
  expect(visitors.connections()).toBe(CONNECTIONS);
});

test("a site is served by its Host: pages, codings, tags, ranges, its own 404", async () => {
  const place = directory();
  await using server = await serveSites(place);
  const page = "<p>A line that compresses.</p>\n".repeat(400);
  await deploy(server, {
    "index.html": "home",
    "guide.html": page,
    "404.html": "nothing here",
    "app-3f2a9c1b.js": "x",
    ".env": "secret",
  });
  const host = `docs.localhost:${server.port}`;
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${server.url}${path}`, {
      method,
      redirect: "manual",
      decompress: false,
      headers: { host, ...headers },
    });
  expect(await (await get("/")).text()).toBe("home");
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Uint8Array) => bytes };
  for (const [coding, decode] of Object.entries(decoders))
    for (const _ of ["made", "kept"]) {
      const answer = await get("/guide", { "accept-encoding": coding });
      expect(answer.headers.get("content-encoding") ?? "identity").toBe(coding);
      expect(Buffer.from(decode(await answer.bytes())).toString()).toBe(page);
      const etag = answer.headers.get("etag") ?? "";
      const known = await get("/guide", { "accept-encoding": coding, "if-none-match": etag });
      expect([known.status, known.headers.get("etag"), await known.text()]).toEqual([304, etag, ""]);
      const head = await get("/guide", { "accept-encoding": coding }, "HEAD");
      expect(head.headers.get("content-length")).toBe(answer.headers.get("content-length"));
    }
  const part = await get("/guide", { range: "bytes=0-2" });
  expect([part.status, await part.text()]).toEqual([206, "<p>"]);
  expect((await get("/app-3f2a9c1b.js")).headers.get("cache-control")).toContain("immutable");
  expect((await get("/guide.html?a=b")).headers.get("location")).toBe("/guide?a=b");
  for (const path of ["/nothing", "/.env", "/v1/pets", "/livez"]) {
    const answer = await get(path, { authorization: `Bearer ${server.key}` });
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, "nothing here"]);
  }
  expect((await get("/", {}, "POST")).status).toBe(405);
});

test("a redirect keeps path and query, for every method, and the project's own name leads on temporarily", async () => {
  const place = directory();
  await using server = await serveSites(place);
  using database = databaseOf(place);
  add(database, HOST, "primary");
  add(database, "old.example.com", "redirect");
  for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const old = await send(server, `${method} /a%2Fb?x=%zz&y HTTP/1.1`, "Host: old.example.com:3000");
    expect([old.status, old.headers.get("location")]).toEqual([301, `http://${HOST}:3000/a%2Fb?x=%zz&y`]);
    const own = await send(server, `${method} /a?x HTTP/1.1`, "Host: docs.localhost");
    expect([own.status, own.headers.get("location")]).toEqual([302, `http://${HOST}/a?x`]);
  }
});

test("every Host on the wire is answered sensibly, also two, none, and a hostile one", async () => {
  const place = directory();
  await using server = await serveSites(place);
  const hosts: [host: string, status: number][] = [
    ["localhost", 200],
    ["127.0.0.1", 200],
    ["[::1]:3000", 200],
    ["pi.local", 200],
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
    const answer = await send(server, "GET /livez HTTP/1.1", `Host: ${host}`);
    expect([host, answer.status]).toEqual([host, status]);
    expect(answer.headers.get("x-request-id")).toBeTruthy();
    if (status === 400 || status === 421) expect(JSON.parse(answer.body)).toMatchObject({ status });
  }
  for (const two of [
    ["localhost", "localhost"],
    ["localhost", "docs.localhost"],
    ["docs.localhost", "localhost"],
  ])
    expect((await send(server, "GET /livez HTTP/1.1", ...two.map((host) => `Host: ${host}`))).status).toBe(
      400,
    );
  expect((await send(server, "GET /livez HTTP/1.0")).status).toBe(200);
  expect((await send(server, "CONNECT evil.example:80 HTTP/1.1", "Host: docs.localhost")).status).toBe(405);
  expect((await send(server, "GET /livez HTTP/1.1")).status).toBe(400);
  expect((await send(server, "GET http://localhost/livez HTTP/1.1", "Host: localhost")).status).toBe(200);
});
