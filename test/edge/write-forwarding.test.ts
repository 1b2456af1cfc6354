import { expect, test } from "bun:test";
import { connectionsOf } from "../../src/edge/connections.ts";
import { listenHttp } from "../../src/edge/http-listener.ts";
import { isReachable, nodeRequests, writeForwarder } from "../../src/edge/write-forwarding.ts";
import { Fault, faultResponse } from "../../src/lib/errors.ts";
import { atEnd } from "../support/ends.ts";

type Respond = (request: Request) => Response | Promise<Response>;

const TOKENS = { a: "token-of-a", b: "token-of-b" };

/** A node whose API describes each request. @param hasWritten whether its requests write something */
const startNode = (name: keyof typeof TOKENS, respond?: Respond, hasWritten = true) => {
  const handled: string[] = [];
  const requests = nodeRequests(TOKENS[name]);
  let target: { url: string; token: string; lost: AbortSignal } | undefined;
  let drops = 0;
  let forwarded = 0;
  const listener = listenHttp({ host: "127.0.0.1", port: 0, fetch: (request) => fetch(request) });
  atEnd(() => listener.stop(0));
  const connections = connectionsOf([listener], undefined, requests);
  const forward = writeForwarder({
    node: name,
    target: () => target,
    drop() {
      drops++;
      target = undefined;
      return undefined;
    },
    onForwarded: () => void forwarded++,
    speculate: async (run) => ({ result: await run(), hasWritten }),
    nodeRequests: requests,
    connections,
    finish: (_, response) => response,
  });
  const describe: Respond = async (request) => {
    const { method, url, headers } = request;
    const about = {
      at: name,
      method,
      url: url.replace(/:\d+/, ""),
      key: headers.get("authorization"),
      host: headers.get("host")?.replace(/:\d+/, ""),
      peer: connections.peerOf(request),
      node: requests.nodeOf(request),
      body: await request.text(),
    };
    return Response.json(about, { status: 201, headers: { "x-handled-by": name } });
  };
  const api: Respond = (request) => {
    handled.push(request.method);
    return (respond ?? describe)(request);
  };
  const fetch = requests.accept(forward(api), connections.keepOpen);
  return {
    url: listener.url,
    handled,
    counts: () => ({ drops, forwarded }),
    sendTo(url: string, token: string, lost = new AbortController().signal) {
      target = { url, token, lost };
    },
  };
};

const pair = (respond?: Respond, hasWritten?: boolean) => {
  const [a, b] = [startNode("a", respond, hasWritten), startNode("b")];
  b.sendTo(a.url, TOKENS.a);
  return { a, b };
};

const send = (url: string, method = "POST", body = '{"name":"Bella"}') =>
  fetch(`${url}/v1/pets?x=%2F`, { method, body, headers: { authorization: "Bearer key" } });

test.each(["POST", "PUT", "PATCH", "DELETE"])(
  "the writer node gets a %s as it was sent, with its client",
  async (method) => {
    const { a, b } = pair();
    const response = await send(b.url, method);
    expect([response.status, response.headers.get("x-handled-by")]).toEqual([201, "a"]);
    expect(await response.json()).toEqual({
      at: "a",
      method,
      url: "http://localhost/v1/pets?x=%2F",
      key: "Bearer key",
      host: "localhost",
      peer: "127.0.0.1",
      node: "b",
      body: '{"name":"Bella"}',
    });
    expect([a.handled, b.handled, b.counts()]).toEqual([[method], [], { drops: 0, forwarded: 1 }]);
  },
);

test("reads, large writes, and requests without credentials are handled where they arrive", async () => {
  const { a, b } = pair();
  await fetch(`${b.url}/v1/pets`);
  await send(b.url, "POST", "x".repeat(20_000));
  await fetch(`${b.url}/v1/pets`, { method: "POST", body: "{}" });
  expect([a.handled, b.handled]).toEqual([[], ["GET", "POST", "POST"]]);
});

test("a request is sent on once", async () => {
  const { a, b } = pair();
  a.sendTo(b.url, TOKENS.b);
  await send(b.url);
  expect([a.handled, b.handled]).toEqual([["POST"], []]);
});

test("without the token of this process, nothing is done", async () => {
  const { a } = pair();
  for (const header of ["", "token-of-b", "token-of-a2", "token-of-b POST b 127.0.0.1"]) {
    const headers = { "x-node-request": header };
    const response = await fetch(`${a.url}/v1/pets`, { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(421);
  }
  expect(a.handled).toEqual([]);
  expect(await isReachable({ url: a.url, token: TOKENS.a })).toBe(true);
  expect(await isReachable({ url: a.url, token: TOKENS.b })).toBe(false);
});

test("a node handles the request itself if the other refuses the connection, or is another process", async () => {
  const { b } = pair();
  b.sendTo("http://127.0.0.1:1", TOKENS.a);
  await send(b.url);
  expect(b.counts()).toEqual({ drops: 1, forwarded: 0 });
  const { a: other, b: sender } = pair();
  sender.sendTo(other.url, "an older process's");
  await send(sender.url);
  expect([b.handled, sender.handled, other.handled]).toEqual([["POST"], ["POST"], []]);
});

test.each([
  [false, 201, 1],
  [true, 503, 0],
])(
  "after a 503 of a request that has written: %p, the node responds %d, and handles the request itself %d times",
  async (hasWritten, status, times) => {
    const { b } = pair(() => faultResponse(new Fault("storage_unavailable")), hasWritten);
    expect([(await send(b.url)).status, b.handled.length]).toEqual([status, times]);
  },
);

test("the outcome of a response without the mark of a node is unknown", async () => {
  const { b } = pair();
  const other = listenHttp({
    host: "127.0.0.1",
    port: 0,
    fetch: () => new Response("a proxy", { status: 502 }),
  });
  atEnd(() => other.stop(0));
  b.sendTo(other.url, TOKENS.a);
  const response = await send(b.url);
  expect([response.status, await response.json(), b.handled]).toMatchObject([
    503,
    { code: "outcome_unknown" },
    [],
  ]);
});

test("if the other node goes away during a request, its outcome is unknown", async () => {
  const losing = new AbortController();
  const { a, b } = pair(() => {
    losing.abort();
    return Bun.sleep(60_000).then(() => new Response());
  });
  b.sendTo(a.url, TOKENS.a, losing.signal);
  const response = await send(b.url);
  expect([response.status, await response.json(), b.handled]).toMatchObject([
    503,
    { code: "outcome_unknown" },
    [],
  ]);
});
