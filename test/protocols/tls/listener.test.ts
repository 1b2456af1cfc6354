import { expect, test } from "bun:test";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { listenTls } from "../../../src/protocols/tls/listener.ts";
import {
  askHttp1,
  askHttp2,
  testCa,
  closed,
  eventually,
  listenerFor,
  http2To,
  PAIRS,
  REFUSALS,
  received,
  tcpTo,
  tlsTo,
} from "./listeners.ts";
import { TWO_NAMES, madeOf, nameOf, u16, vector } from "./client-hellos.ts";
import { outcomeOf } from "../../support/outcome.ts";

test("a client that keeps opening and resetting streams is disconnected, and one that cancels now and then is not", async () => {
  const { port, listener } = await listenerFor();
  const calm = await http2To(port, "a.test");
  const wild = await http2To(port, "a.test");
  const reset = (session: typeof calm) => {
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    stream.close(8);
  };
  for (let times = 0; times < 20; times++) reset(calm);
  for (let times = 0; times < 5000 && !wild.destroyed; times++) {
    reset(wild);
    if (times % 100 === 0) await Bun.sleep(1);
  }
  await eventually(() => listener.connections() === 1);
  expect((await askHttp2(calm, { ":path": "/" })).status).toBe(200);
});

test("a request over HTTP/1.1 has an https URL and its client's address", async () => {
  const { port } = await listenerFor();
  const responseText = await askHttp1(port, "a.test", { path: "/x?y=1" });
  expect(responseText).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(responseText).toEndWith("\r\nGET https://a.test/x?y=1 127.0.0.1");
});

test("a request over HTTP/2 has an https URL and its client's address", async () => {
  const { port } = await listenerFor();
  const session = await http2To(port, "a.test");
  expect(await askHttp2(session, { ":path": "/x?y=1" })).toEqual({
    status: 200,
    text: "GET https://a.test/x?y=1 127.0.0.1",
  });
});

test.each(["http2", "http1.1"] as const)(
  "a request of Bun's fetch over %s gets its response",
  async (protocol) => {
    const { port } = await listenerFor();
    const url = `https://localhost:${port}/fetched`;
    const responseText = await fetch(url, { protocol, method: "POST", body: "x", tls: { ca: testCa.root } });
    expect(await responseText.text()).toBe(`POST ${url} 127.0.0.1`);
  },
);

test.each(["http/1.1", "h2"])("a request over %s with port 443 has no port in its URL", async (protocol) => {
  const { port } = await listenerFor();
  const host = "a.test:443";
  const url = "GET https://a.test/x:443 127.0.0.1";
  if (protocol === "h2") {
    const session = await http2To(port, "a.test");
    expect((await askHttp2(session, { ":authority": host, ":path": "/x:443" })).text).toBe(url);
  } else expect(await askHttp1(port, "a.test", { host, path: "/x:443" })).toEndWith(url);
});

test("a request with the host in another case, with a port and a final dot is for the same host", async () => {
  const { port } = await listenerFor();
  expect(await askHttp1(port, "A.Test", { host: "A.test.:443" })).toStartWith("HTTP/1.1 200 OK\r\n");
});

test.each(["b.test", "a.test, b.test", "a.test.b.test", "", "a.test@b.test"])(
  "a request for host '%s' over a connection for another host gets 421",
  async (host) => {
    const { port } = await listenerFor();
    expect(await askHttp1(port, "a.test", { host })).toStartWith("HTTP/1.1 421 ");
  },
);

test("a request over HTTP/2 for another authority gets 421, and the connection stays open", async () => {
  const { port } = await listenerFor();
  const session = await http2To(port, "a.test");
  expect((await askHttp2(session, { ":authority": "b.test" })).status).toBe(421);
  expect((await askHttp2(session)).status).toBe(200);
});

test("a request for another host gets the response of `misdirected`", async () => {
  const { port } = await listenerFor();
  expect(await askHttp1(port, "a.test", { host: "b.test" })).toEndWith("\r\nelsewhere");
});

test("a request whose handler throws gets 500 without details", async () => {
  const { port } = await listenerFor({
    fetch: () => {
      throw new Error("secret");
    },
  });
  const responseText = await askHttp1(port, "a.test");
  expect(responseText).toStartWith("HTTP/1.1 500 ");
  expect(responseText).not.toContain("secret");
});

test("a handshake presents the whole chain", async () => {
  const { port } = await listenerFor();
  const socket = await tlsTo(port, "b.test");
  expect(socket.authorized).toBe(true);
  expect(socket.getPeerCertificate(true).issuerCertificate.subject.CN).toBe("Test Intermediate");
});

test.each(["TLSv1.2", "TLSv1.3"] as const)("a handshake may use %s", async (version) => {
  const { port } = await listenerFor();
  const socket = await tlsTo(port, "a.test", { minVersion: version, maxVersion: version });
  expect(socket.getProtocol()).toBe(version);
});

test("a handshake with TLS 1.1 is refused for its version", async () => {
  const { port } = await listenerFor();
  const socket = await tcpTo(port);
  // With supported_groups and ec_point_formats, as TLS 1.1 needs them for elliptic curves.
  socket.write(
    madeOf(
      [
        [0, nameOf("a.test")],
        [10, vector(u16(23))],
        [11, [1, 0]],
      ],
      2,
    ),
  );
  const alert = Buffer.from(await received(socket), "latin1");
  // RFC 8446 section 6.2: a fatal alert, protocol_version.
  expect([alert[0], alert[5], alert[6]]).toEqual([21, 2, 70]);
});

test.each(["unknown.test", undefined])(
  "a handshake for the name %p is refused, and leaves nothing open",
  async (name) => {
    const { port, listener } = await listenerFor();
    expect(await outcomeOf(tlsTo(port, name))).toThrow();
    await eventually(() => listener.connections() === 0);
    expect(await askHttp1(port, "a.test")).toStartWith("HTTP/1.1 200 OK\r\n");
  },
);

test("a handshake with unknown protocols only is refused", async () => {
  const { port, listener } = await listenerFor();
  expect(await outcomeOf(tlsTo(port, "a.test", { ALPNProtocols: ["spdy/3"] }))).toThrow();
  await eventually(() => listener.connections() === 0);
});

test("a handshake in single bytes succeeds", async () => {
  const { port } = await listenerFor();
  const relay = async (inner: Socket) => {
    const outer = await tcpTo(port);
    outer.setNoDelay(true);
    inner.on("data", (chunk: Buffer) => {
      for (const byte of chunk) outer.write(Buffer.from([byte]));
    });
    outer.pipe(inner);
  };
  const relayed = createServer((inner) => {
    relay(inner).catch((error: Error) => inner.destroy(error));
  });
  await new Promise<void>((listening) => relayed.listen(0, "127.0.0.1", listening));
  const { port: through } = relayed.address() as AddressInfo;
  expect(await askHttp1(through, "a.test")).toStartWith("HTTP/1.1 200 OK\r\n");
  relayed.close();
});

test("a handshake gives no session ticket, which would outlive the certificate", async () => {
  const { port } = await listenerFor();
  for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
    const socket = await tlsTo(port, "a.test", { maxVersion, ALPNProtocols: ["http/1.1"] });
    const sessions: Buffer[] = [];
    socket.on("session", (session) => sessions.push(session));
    socket.write("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
    await received(socket);
    const [session] = sessions;
    if (!session) continue;
    const again = await tlsTo(port, "a.test", { maxVersion, session });
    expect(again.isSessionReused()).toBe(false);
  }
});

/** A fatal alert "decode_error" in one record (RFC 8446 sections 5.1 and 6.2). */
const DECODE_ERROR = Buffer.from([21, 3, 3, 0, 2, 2, 50]).toString("latin1");

test.each<[string, Buffer]>([
  ["an SSLv2 hello", Buffer.from([0x80, 0x2e, 1, 3, 1])],
  ["a ClientHello with a repeated extension", TWO_NAMES],
])("a first message that is not a ClientHello gets the alert decode_error: %s", async (_what, bytes) => {
  const { port, listener } = await listenerFor();
  const socket = await tcpTo(port);
  socket.write(bytes);
  expect(await received(socket)).toBe(DECODE_ERROR);
  await eventually(() => listener.connections() === 0);
});

test("plain HTTP gets a 400 with the advice to use https, and the connection closes", async () => {
  const { port, listener } = await listenerFor();
  const socket = await tcpTo(port);
  socket.write("GET /path HTTP/1.1\r\nHost: a.test\r\n\r\n");
  const [head, body] = (await received(socket)).split("\r\n\r\n");
  expect(head).toStartWith("HTTP/1.1 400 Bad Request\r\n");
  expect(head).toContain("\r\nConnection: close");
  expect(head).toContain(`\r\nContent-Length: ${body!.length}`);
  expect(body).toContain("https://");
  await eventually(() => listener.connections() === 0);
});

test("plain HTTP in single bytes gets the 400 too", async () => {
  const { port } = await listenerFor();
  const socket = await tcpTo(port);
  socket.setNoDelay(true);
  for (const byte of "GET / HTTP/1.1\r\n\r\n") socket.write(byte);
  expect(await received(socket)).toStartWith("HTTP/1.1 400 ");
});

test("HEAD over plain HTTP gets a 400 without a body", async () => {
  const { port } = await listenerFor();
  const socket = await tcpTo(port);
  socket.write("HEAD / HTTP/1.1\r\nHost: a.test\r\n\r\n");
  expect(await received(socket)).toEndWith("\r\n\r\n");
});

test("the client of a plain HTTP upload reads the whole 400", async () => {
  const { port } = await listenerFor();
  const url = `http://127.0.0.1:${port}/`;
  const response = await fetch(url, { method: "POST", body: new Uint8Array(4_000_000) });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("https://");
});

test("a connection that keeps sending plain HTTP is closed", async () => {
  const { port, listener } = await listenerFor({ limits: { handshakeMs: 100 } });
  const socket = await tcpTo(port);
  socket.write("GET / HTTP/1.1\r\n\r\n");
  const dripping = setInterval(() => socket.write("x"), 10);
  await eventually(() => listener.connections() === 0);
  clearInterval(dripping);
});

test("a certificate can be replaced under load without a failed request", async () => {
  const { port, contexts, stored } = await listenerFor();
  const pairs = [await testCa.issue(["a.test"]), await testCa.issue(["a.test"]), PAIRS["a.test"]!];
  const fingerprints = new Set<string>();
  let swaps = 0;
  const swapping = setInterval(() => {
    stored["a.test"] = pairs[swaps % pairs.length]!;
    contexts.drop("a.test");
    swaps += 1;
  }, 20);
  const session = await http2To(port, "a.test");
  const reuseConnection = async () => {
    for (let left = 300; left > 0; left -= 1) expect((await askHttp2(session)).status).toBe(200);
  };
  const fresh = async () => {
    for (let left = 40; left > 0; left -= 1) {
      const socket = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
      fingerprints.add(socket.getPeerCertificate().fingerprint256);
      socket.write("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
      expect(await received(socket)).toStartWith("HTTP/1.1 200 OK\r\n");
    }
  };
  await Promise.all([reuseConnection(), reuseConnection(), fresh(), fresh(), fresh(), fresh()]);
  // On a fast machine the last replacements may come after the requests: send more.
  while (fingerprints.size < 2) await fresh();
  clearInterval(swapping);
  expect(fingerprints.size).toBeGreaterThan(1);
});

test("a certificate that is dropped closes its 64 connections, and not those of other names", async () => {
  let isDropped = false;
  let late = 0;
  const { port, listener, contexts, stored } = await listenerFor({
    fetch: (request) => {
      if (isDropped && request.url.startsWith("https://a.test/")) late += 1;
      return new Response("ok");
    },
  });
  const other = await http2To(port, "b.test");
  const sessions = await Promise.all(Array.from({ length: 64 }, () => http2To(port, "a.test")));
  let requestCount = 0;
  let answeredLate = 0;
  const load = sessions.map(async (session) => {
    for (;;) {
      await askHttp2(session);
      requestCount += 1;
      if (isDropped) answeredLate += 1;
    }
  });
  await eventually(() => requestCount > 1000);
  delete stored["a.test"];
  contexts.drop("a.test");
  listener.drop("a.test");
  isDropped = true;
  const ends = await Promise.allSettled(load);
  expect(ends.every(({ status }) => status === "rejected")).toBe(true);
  expect(late).toBe(0);
  // Responses sent before may still arrive.
  expect(answeredLate).toBeLessThanOrEqual(sessions.length);
  expect(await outcomeOf(tlsTo(port, "a.test"))).toThrow();
  await eventually(() => listener.connections() === 1);
  expect((await askHttp2(other)).status).toBe(200);
});

test("a client that sends nothing, or half of a ClientHello, is disconnected", async () => {
  const { port, listener } = await listenerFor({ limits: { handshakeMs: 100 } });
  const silent = await tcpTo(port);
  const half = await tcpTo(port);
  half.write(Buffer.from([22, 3, 1, 2]));
  await Promise.all([closed(silent), closed(half)]);
  await eventually(() => listener.connections() === 0);
});

test("a connection without a request is closed after the idle timeout, not before", async () => {
  const { port } = await listenerFor({ limits: { headersMs: 1, idleMs: 300 } });
  const socket = await tlsTo(port, "a.test");
  const begin = performance.now();
  await closed(socket);
  expect(performance.now() - begin).toBeGreaterThan(250);
});

test.each(["http/1.1", "h2"])(
  "a client that drips headers over %s is disconnected, and others get responses meanwhile",
  async (protocol) => {
    const { port } = await listenerFor({ limits: { headersMs: 200 } });
    const socket = await tlsTo(port, "a.test", { ALPNProtocols: [protocol] });
    socket.write(protocol === "h2" ? "PRI * HTTP/2.0\r\n\r\n" : "GET / HTTP/1.1\r\nHost: a.test\r\nX: ");
    const drip = setInterval(() => socket.write(protocol === "h2" ? "" : "x"), 20);
    const end = closed(socket);
    expect(await askHttp1(port, "a.test")).toStartWith("HTTP/1.1 200 OK\r\n");
    await end;
    clearInterval(drip);
  },
);

test("a body may take longer than headers", async () => {
  const { port } = await listenerFor({
    limits: { headersMs: 50 },
    fetch: async (request) => new Response(String((await request.bytes()).length)),
  });
  const socket = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
  socket.write("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 20\r\nConnection: close\r\n\r\n");
  for (let left = 20; left > 0; left -= 1) {
    socket.write("x");
    await Bun.sleep(10);
  }
  expect(await received(socket)).toEndWith("\r\n20");
});

test("a response may take longer than headers", async () => {
  const { port } = await listenerFor({
    limits: { headersMs: 50 },
    fetch: async () => {
      await Bun.sleep(400);
      return new Response("done");
    },
  });
  expect(await askHttp1(port, "a.test")).toEndWith("\r\ndone");
});

test("a slow handler exceeds the idle timeout only with withoutIdleTimeout", async () => {
  const { port } = await listenerFor({
    limits: { idleMs: 100 },
    fetch: async (request, { withoutIdleTimeout }) => {
      const work = () => Bun.sleep(500);
      await (request.url.endsWith("/patient") ? withoutIdleTimeout(work) : work());
      return new Response("done");
    },
  });
  expect(await askHttp1(port, "a.test", { path: "/patient" })).toEndWith("\r\ndone");
  expect(await askHttp1(port, "a.test", { path: "/hasty" })).toBe("");
});

test.each(["connections", "connectionsPerClient"])(
  "a new connection beyond %s is closed immediately",
  async (limit) => {
    const { port, listener } = await listenerFor({ limits: { [limit]: 2 } });
    const first = await tlsTo(port, "a.test");
    await tlsTo(port, "b.test");
    expect(await received(await tcpTo(port))).toBe("");
    first.destroy();
    await eventually(() => listener.connections() === 1);
    expect(await askHttp1(port, "a.test")).toStartWith("HTTP/1.1 200 OK\r\n");
  },
);

test("the request of a client that disconnects is aborted", async () => {
  const aborted = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  const { port } = await listenerFor({
    fetch: (request) => {
      request.signal.addEventListener("abort", () => aborted.resolve());
      requested.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const socket = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
  socket.write("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
  await requested.promise;
  socket.destroy();
  await aborted.promise;
});

test("a client that closes its side, or disconnects, leaves nothing open", async () => {
  const { port, listener } = await listenerFor({
    fetch: async () => (await Bun.sleep(100), new Response("late")),
  });
  const half = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
  half.write("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
  half.end();
  const gone = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
  gone.write("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
  gone.destroy();
  const during = await tcpTo(port);
  during.destroy();
  await eventually(() => listener.connections() === 0);
});

test("a port in use throws EADDRINUSE", async () => {
  const { port, contexts } = await listenerFor();
  const second = listenTls({ host: "127.0.0.1", port, contexts, fetch: () => new Response(), ...REFUSALS });
  expect(await outcomeOf(second)).toThrow("EADDRINUSE");
});

test("a listener that stops completes requests in flight, and accepts no connection", async () => {
  let requests = 0;
  const { promise: stopping, resolve: stop } = Promise.withResolvers<void>();
  const { port, listener } = await listenerFor({
    async fetch() {
      requests += 1;
      await stopping;
      return new Response("done");
    },
  });
  const idle = await tlsTo(port, "a.test");
  const session = await http2To(port, "a.test");
  const responseTexts = [askHttp1(port, "a.test"), askHttp2(session).then(({ text }) => text)];
  await eventually(() => requests === 2);
  const stopped = listener.stop(30_000);
  stop();
  for (const responseText of await Promise.all(responseTexts)) expect(responseText).toEndWith("done");
  await stopped;
  await closed(idle);
  expect(listener.connections()).toBe(0);
  expect(await outcomeOf(tcpTo(port))).toThrow();
});

test("a listener that stops destroys connections that do not end in time", async () => {
  const requested = Promise.withResolvers<void>();
  const { port, listener } = await listenerFor({
    fetch: () => {
      requested.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const responseText = askHttp1(port, "a.test").catch(() => "");
  await requested.promise;
  await listener.stop(50);
  expect(await responseText).toBe("");
  expect(listener.connections()).toBe(0);
});
