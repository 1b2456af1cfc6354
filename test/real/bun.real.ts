import { expect } from "bun:test";
import { connect } from "./socket.ts";
import { real, serve } from "./support.ts";

const test = real();

/**
 * What Bun 1.4.4's HTTP/1.1 parser does before a request reaches this program. A test that fails here with a later Bun is
 * good news: do what its comment says, then delete it.
 */
const send = async (port: number, text: string): Promise<string> => {
  using socket = await connect(port);
  socket.write(text);
  await socket.closed();
  return socket.received();
};

const head = (line: string, ...fields: string[]): string =>
  [line, "Host: localhost", ...fields, "", ""].join("\r\n");

// Then: remove "One request at a time" from the README, and the two tests of pipelined requests in http.real.ts.
test("Bun drops a request without a response when another one follows, and may have executed it", async () => {
  const server = await serve();
  await server.add("Bella");
  const key = `Authorization: Bearer ${server.key}`;
  const get = head("GET /v1/pets/1 HTTP/1.1", key, "Connection: close");
  expect(await send(server.port, head("DELETE /v1/pets/1 HTTP/1.1", key) + get)).toBe("");
  expect((await server.call("/v1/pets/1")).status).toBe(404);
});

// Then: remove hasAborted and respondToChunked, and take trailer fields.
test("Bun parses trailer fields as another request", async () => {
  const server = await serve();
  const chunked = head("POST /nothing HTTP/1.1", "Transfer-Encoding: chunked");
  const received = await send(server.port, `${chunked}0\r\nX-Checksum: 1\r\n\r\n`);
  expect(received).toBe("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
});

// Then: let the authority of the URL decide in src/edge/dispatch.ts and src/protocols/tls/backend.ts (RFC 9112 section 3.2.2).
test("Bun drops the authority of a target in absolute form", async () => {
  const server = await serve();
  const get = head("GET http://other.example.org/livez HTTP/1.1", "Connection: close");
  expect(await send(server.port, get)).toStartWith("HTTP/1.1 200 OK\r\n");
});

// Then: test `OPTIONS *` over HTTP/1.1 in test/edge/request-target.test.ts; src/edge/dispatch.ts responds to it already.
test("Bun refuses OPTIONS * over HTTP/1.1 with a bare 400", async () => {
  const server = await serve();
  const received = await send(server.port, head("OPTIONS * HTTP/1.1"));
  expect(received).toBe("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
});

// Then: test in http.real.ts that an unknown method is 405.
test("Bun closes the connection of an unknown method without a response", async () => {
  const server = await serve();
  expect(await send(server.port, head("BREW /livez HTTP/1.1"))).toBe("");
});
