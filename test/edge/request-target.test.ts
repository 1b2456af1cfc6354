import { describe, expect, test } from "bun:test";
import { connect as connectHttp2 } from "node:http2";
import { NAME, openListening, statusesOf } from "./listening.ts";
import { atEnd } from "../support/store.ts";
import { testCa } from "../protocols/tls/listeners.ts";

const METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as unknown;

describe.each(["HTTP", "HTTPS"] as const)("over %s", (over) => {
  test.each([
    ["host:1", "host:1"],
    ["host:1", NAME],
    // Text that begins as a URL does.
    ["https.example.org:443", NAME],
    [`${NAME}:443`, NAME],
    ["/v1/pets", NAME],
  ])("CONNECT %s with Host %s gets 405 with a body, a request id and a log line", async (target, host) => {
    const { store, send } = await openListening();
    const head = `CONNECT ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n`;
    const text = await send(over, head);
    expect(statusesOf(text)).toEqual([405]);
    expect(text).toMatch(/^x-request-id: mine\r$/im);
    expect(text).toMatch(new RegExp(`^allow: ${METHODS}\r$`, "im"));
    expect(bodyOf(text)).toEqual({ code: "method_not_allowed", message: expect.any(String), status: 405 });
    expect(store.log.at(-1)).toMatchObject({ requestId: "mine", method: "other", route: "", status: 405 });
  });

  test("the response to CONNECT ends its connection, so that no later request waits forever", async () => {
    const { send } = await openListening();
    const text = await send(over, `CONNECT host:1 HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`);
    expect(statusesOf(text)).toEqual([405]);
    expect(text).toMatch(/^connection: close\r$/im);
  });

  test("TRACE gets 405, and the response does not repeat the request", async () => {
    const { store, send } = await openListening();
    const head = `TRACE /livez HTTP/1.1\r\nHost: ${NAME}\r\nX-Secret: Wanda\r\nConnection: close\r\n\r\n`;
    const text = await send(over, head);
    expect(statusesOf(text)).toEqual([405]);
    expect(text).not.toContain("Wanda");
    expect(store.log.at(-1)).toMatchObject({ method: "other", status: 405 });
  });

  test.each([
    [`Host: ${NAME}\r\nHost: ${NAME}`],
    [`Host: ${NAME}\r\nHost: other.example.org`],
    [`Host: me:secret@${NAME}`],
    [`Host: ${NAME}/x?`],
  ])("%j gets 400 with a request id and a log line", async (hosts) => {
    const { store, send } = await openListening();
    const text = await send(over, `GET /livez HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
    expect(statusesOf(text)).toEqual([400]);
    expect(text).toMatch(/^x-request-id: .+\r$/im);
    expect(bodyOf(text)).toMatchObject({ code: "invalid_request" });
    expect(store.log.at(-1)).toMatchObject({ route: "", status: 400 });
  });
});

test("a request for another host than its connection's gets 421, a request id and a log line", async () => {
  const { store, send } = await openListening();
  const text = await send(
    "HTTPS",
    "GET /livez HTTP/1.1\r\nHost: other.example.org\r\nConnection: close\r\n\r\n",
  );
  expect(statusesOf(text)).toEqual([421]);
  expect(text).toMatch(/^x-request-id: .+\r$/im);
  expect(store.log.at(-1)).toMatchObject({ route: "", status: 421 });
});

test("OPTIONS * over HTTP/2 names the server's methods, with a request id and a log line", async () => {
  const { store, https } = await openListening();
  const session = connectHttp2(`https://${NAME}:${https.port}`, {
    ca: testCa.root,
    servername: NAME,
    lookup: (_name, _options, found) => found(null, [{ address: "127.0.0.1", family: 4 }]),
  });
  atEnd(() => session.destroy());
  const stream = session.request({
    ":method": "OPTIONS",
    ":path": "*",
    ":authority": NAME,
    "x-request-id": "mine",
  });
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  stream.on("response", resolve).on("error", reject);
  const headers = await promise;
  expect(headers).toMatchObject({ ":status": 204, allow: METHODS, "x-request-id": "mine" });
  expect(store.log.at(-1)).toMatchObject({ requestId: "mine", route: "", status: 204 });
});
