import { once } from "node:events";
import { expect, test } from "bun:test";
import type { TLSSocket } from "node:tls";
import { listenHttps } from "../../src/edge/https-listener.ts";
import { certificateStore, watchCertificates } from "../../src/edge/certificate-store.ts";
import { atEnd } from "../support/store.ts";
import { testCa, tlsTo } from "../protocols/tls/listeners.ts";
import { outcomeOf } from "../support/outcome.ts";

const NAME = "docs.example.org";
const DAY = 86_400;

/** Listens under one name. A test may change its certificate and whether it is served, as this process or another. */
const openHttps = async ({ hstsMaxAge = 365 * DAY } = {}) => {
  const stored = { ...(await testCa.issue([NAME])), notBefore: 0, notAfter: Infinity, renewals: 0 };
  const served = new Set([NAME]);
  let own = 0;
  let foreign = 0;
  const certificates = certificateStore({
    read: (name) => (name === NAME ? { ...stored } : undefined),
    hstsMaxAge,
    isServed: (name) => served.has(name),
    version: () => own + foreign,
    now: Date.now,
    onError: (_, error) => {
      throw error;
    },
  });
  const https = await listenHttps({
    host: "127.0.0.1",
    port: 0,
    certificates,
    challenge: async () => undefined,
    fetch: () => new Response("here"),
    misdirected: () => new Response("elsewhere", { status: 421 }),
  });
  const watch = watchCertificates(
    certificates,
    { recent: async () => {}, version: () => own + foreign, foreignVersion: () => foreign },
    (error) => {
      throw error;
    },
  );
  watch.start();
  atEnd(async () => {
    await watch.stop();
    await https.stop(0);
  });
  const connect = () => tlsTo(https.port, NAME, { ALPNProtocols: ["http/1.1"] });
  return {
    https,
    certificates,
    stored,
    served,
    connect,
    /** Acts as if another process had written. */
    writeElsewhere: () => void foreign++,
    write: () => void own++,
  };
};

const ask = async (socket: TLSSocket, host = NAME): Promise<string> => {
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const [response] = (await once(socket, "data")) as [Buffer];
  return response.toString();
};

const closed = async (socket: TLSSocket) => {
  if (!socket.closed) await once(socket, "close");
};

test.each(["this process", "another process"])(
  "when %s removes a name, its open connections end and the next handshake fails",
  async (who) => {
    const { https, certificates, served, connect, writeElsewhere } = await openHttps();
    const sockets = await Promise.all(Array.from({ length: 64 }, connect));
    for (const socket of sockets) expect(await ask(socket)).toContain("here");
    served.delete(NAME);
    if (who === "this process") certificates.withdraw();
    else writeElsewhere();
    await Promise.all(sockets.map(closed));
    expect(https.connections()).toBe(0);
    expect(await outcomeOf(connect())).toThrow();
  },
);

test("a name that is still served keeps its connections after other writes", async () => {
  const { connect, write, writeElsewhere } = await openHttps();
  const socket = await connect();
  write();
  writeElsewhere();
  await Bun.sleep(150);
  expect(await ask(socket)).toContain("here");
});

test.each(["this process", "another process"])(
  "a certificate that %s renews is used by the next connection, and open ones stay",
  async (who) => {
    const { certificates, stored, connect, writeElsewhere } = await openHttps();
    const before = await connect();
    const { serialNumber } = before.getPeerCertificate();
    Object.assign(stored, await testCa.issue([NAME]));
    if (who === "this process") certificates.refresh(NAME);
    else writeElsewhere();
    await Bun.sleep(who === "this process" ? 0 : 150);
    expect((await connect()).getPeerCertificate().serialNumber).not.toBe(serialNumber);
    expect(await ask(before)).toContain("here");
  },
);

test.each([
  [0, 365 * DAY, undefined],
  [1, 365 * DAY, DAY],
  [2, 365 * DAY, 2 * DAY],
  [30, 365 * DAY, 365 * DAY],
  [3, DAY, DAY],
  [3, 0, undefined],
])(
  "after %d renewals and with a maximum of %d seconds, Strict-Transport-Security is %p",
  async (renewals, hstsMaxAge, seconds) => {
    const { stored, connect } = await openHttps({ hstsMaxAge });
    stored.renewals = renewals;
    const response = await ask(await connect());
    // For the name alone: neither includeSubDomains nor preload.
    expect(/strict-transport-security: (.*)\r/i.exec(response)?.[1]).toBe(
      seconds === undefined ? undefined : `max-age=${seconds}`,
    );
  },
);

test("plain HTTP on the HTTPS port gets an Error with the advice to use https", async () => {
  const { https } = await openHttps();
  const response = await fetch(`http://127.0.0.1:${https.port}/v1/pets`);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      code: "invalid_request",
      message: "This port speaks HTTPS: use https:// instead of http://.",
      status: 400,
    },
  ]);
});
