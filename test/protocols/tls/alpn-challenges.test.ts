import { expect, test } from "bun:test";
import { join } from "node:path";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { forwardedChallenges, listenForChallenges } from "../../../src/protocols/tls/alpn-challenges.ts";
import type { KeyPair } from "../../../src/protocols/tls/contexts.ts";
import { askHttp1, testCa, closed, eventually, listenerFor, PAIRS, tlsTo } from "./listeners.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const ACME = "acme-tls/1";
const CHALLENGE = await testCa.issue(["new.test"]);

/** A listener with pending challenges, which a test may remove. */
const challenged = async (
  pending: Record<string, KeyPair> = { "new.test": CHALLENGE, "a.test": CHALLENGE },
) => ({
  pending,
  ...(await listenerFor({ challenge: async (name) => pending[name] })),
});

const forwarding = async (pending: Record<string, KeyPair>) => {
  const path = join(temporaryDirectory(), "challenges.sock");
  const owner = await listenForChallenges(path, async (name) => pending[name], 1000);
  atEnd(() => owner.stop());
  return { owner, ...(await listenerFor({ challenge: forwardedChallenges(path) })) };
};

const validate = (port: number, name: string, protocols = [ACME]) =>
  tlsTo(port, name, { ALPNProtocols: protocols, rejectUnauthorized: false });

test.each([
  ["in this process", challenged],
  ["in another process", () => forwarding({ "new.test": CHALLENGE })],
])(
  "a challenge that is pending %s gets its certificate, also for a name without any other, and the connection closes",
  async (_where, open) => {
    const { port, listener } = await open();
    const socket = await validate(port, "new.test");
    expect(socket.alpnProtocol).toBe(ACME);
    expect(socket.getPeerCertificate().subject.CN).toBe("new.test");
    await closed(socket);
    await eventually(() => listener.connections() === 0);
  },
);

test("visitors get the name's own certificate while a challenge is pending", async () => {
  const { port } = await challenged();
  expect((await validate(port, "a.test")).getPeerCertificate().subject.CN).toBe("new.test");
  expect((await tlsTo(port, "a.test")).getPeerCertificate().subject.CN).toBe("a.test");
  expect(await askHttp1(port, "a.test")).toStartWith("HTTP/1.1 200 OK\r\n");
});

test.each([
  ["http/1.1", ACME],
  [ACME, "http/1.1"],
])("%s together with %s is not a challenge: RFC 8737 section 3", async (first, second) => {
  const protocols = [first, second];
  const { port } = await challenged();
  const socket = await validate(port, "a.test", protocols);
  expect(socket.alpnProtocol).toBe("http/1.1");
  expect(socket.getPeerCertificate().subject.CN).toBe("a.test");
  expect(await outcomeOf(validate(port, "new.test", protocols))).toThrow();
});

test("a challenge that is not or no longer pending is refused, whether the name has a certificate or not", async () => {
  const { port, pending, listener } = await challenged();
  expect(await outcomeOf(validate(port, "b.test"))).toThrow();
  expect(await outcomeOf(validate(port, "unknown.test"))).toThrow();
  delete pending["new.test"];
  expect(await outcomeOf(validate(port, "new.test"))).toThrow();
  await eventually(() => listener.connections() === 0);
});

test("a challenge with an unusable certificate is refused, and the listener continues", async () => {
  const { port } = await challenged({ "a.test": { key: PAIRS["b.test"]!.key, cert: CHALLENGE.cert } });
  expect(await outcomeOf(validate(port, "a.test"))).toThrow();
  expect(await askHttp1(port, "a.test")).toStartWith("HTTP/1.1 200 OK\r\n");
});

test("a validator that does not close its side is disconnected after the handshake timeout", async () => {
  const { port, listener } = await listenerFor({
    challenge: async () => CHALLENGE,
    limits: { handshakeMs: 200 },
  });
  const raw = connectTcp({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  atEnd(() => raw.destroy());
  const secure = connectTls({
    socket: raw,
    servername: "new.test",
    ALPNProtocols: [ACME],
    rejectUnauthorized: false,
  });
  await once(
    secure.on("error", () => {}),
    "secureConnect",
  );
  await eventually(() => listener.connections() === 0);
});

test("a listener that forwards challenges to another process ends a handshake without a pending challenge, or without that process", async () => {
  const { port, owner, listener } = await forwarding({});
  expect(await outcomeOf(validate(port, "new.test"))).toThrow();
  owner.stop();
  expect(await outcomeOf(validate(port, "new.test"))).toThrow();
  await eventually(() => listener.connections() === 0);
  expect(await askHttp1(port, "a.test")).toStartWith("HTTP/1.1 200 OK\r\n");
});
