import { expect, test } from "bun:test";
import { handshakeTrialOpener } from "../../src/certificates/probes.ts";
import { type KeyAndCertificate, alpnCertificate } from "../../src/protocols/acme/tls-alpn.ts";

const NAME = "docs.example.org";
const clock = { now: () => Date.now() };

const openTrials = () => {
  const pending = new Map<string, KeyAndCertificate>();
  return { pending, open: handshakeTrialOpener({ acmeTlsPort: 1, dnsPrivate: true }, pending, clock) };
};

const ofOrder = () => alpnCertificate(NAME, "token.thumbprint", Date.now());

test("a trial presents a certificate until it ends", async () => {
  const { pending, open } = openTrials();
  const trial = await open(NAME);
  expect(pending.has(NAME)).toBe(true);
  trial.end();
  expect(pending.has(NAME)).toBe(false);
});

test("a trial leaves the challenge of an order alone, whichever is first", async () => {
  const { pending, open } = openTrials();
  const order = await ofOrder();
  pending.set(NAME, order);
  const second = await open(NAME);
  expect(pending.get(NAME)).toBe(order);
  second.end();
  expect(pending.get(NAME)).toBe(order);
  pending.delete(NAME);
  const first = await open(NAME);
  pending.set(NAME, order);
  first.end();
  expect(pending.get(NAME)).toBe(order);
});

test("of two trials of a name, the end of one leaves the other's certificate", async () => {
  const { pending, open } = openTrials();
  const [one, other] = await Promise.all([open(NAME), open(NAME)]);
  one.end();
  expect(pending.has(NAME)).toBe(true);
  other.end();
  expect(pending.has(NAME)).toBe(false);
});
