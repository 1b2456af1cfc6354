import { createHmac } from "node:crypto";
import { describe, expect, test } from "bun:test";
import { decode } from "dns-packet";
import type { Network } from "../../../src/protocols/dns/network.ts";
import { parseTsigKey } from "../../../src/protocols/dns/tsig.ts";
import { encodeUpdate, updateTxt } from "../../../src/protocols/dns/update.ts";

const SECRET = Buffer.alloc(32, 7);
const KEY = { name: "Acme.Key", secret: SECRET };
const NOW = Date.UTC(2026, 10, 23);
const SERVER = { address: "192.0.2.53", port: 53 };
const ADD = {
  zone: "example.net",
  name: "_acme-challenge.example.net",
  value: "abc",
  action: "add",
} as const;

const hex = (text: string) => Buffer.from(text.replaceAll(/[\s|]/g, ""), "hex");
const ALGORITHM = Buffer.concat([Buffer.of(11), Buffer.from("hmac-sha256"), Buffer.of(0)]);
/** The key's name in lower case, class ANY, TTL 0 (RFC 8945 section 4.3.3). */
const KEY_NAME = hex("04 61636d65 03 6b6579 00");

const uint48 = (seconds: number) => {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(seconds, 0, 6);
  return bytes;
};

interface Reply {
  rcode?: number;
  error?: number;
  secret?: Buffer;
  signedAt?: number;
  isUnsigned?: boolean;
  id?: number;
  flags?: number;
  change?: (message: Buffer) => Buffer;
}

/** What a server with the key sends back, made from RFC 8945 without our code. */
const replyTo = (
  request: Buffer,
  { rcode = 0, error = 0, secret = SECRET, signedAt = NOW / 1000, ...more }: Reply,
) => {
  const header = Buffer.from(request.subarray(0, 12));
  header.writeUInt16BE(more.id ?? header.readUInt16BE(0), 0);
  header.writeUInt16BE((more.flags ?? 0xa800) | rcode, 2);
  header.fill(0, 4);
  if (more.isUnsigned) return header;
  const times = Buffer.concat([uint48(signedAt), hex("012c")]);
  const tail = Buffer.from([0, error, 0, 0]);
  // The request's MAC follows its algorithm, time, fudge and its own length of 32.
  const mac = request.subarray(-38, -6);
  const signed = createHmac("sha256", secret)
    .update(Buffer.concat([hex("0020"), mac, header, KEY_NAME, hex("00ff 00000000"), ALGORITHM, times, tail]))
    .digest();
  const shownMac = error === 0 ? Buffer.concat([hex("0020"), signed]) : hex("0000");
  const data = Buffer.concat([ALGORITHM, times, shownMac, request.subarray(0, 2), tail]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length);
  const counted = Buffer.from(header);
  counted.writeUInt16BE(1, 10);
  const message = Buffer.concat([counted, KEY_NAME, hex("00fa 00ff 00000000"), length, data]);
  return more.change?.(message) ?? message;
};

/** RFC 8945 section 5.2.2.1 allows a truncated MAC, whose length precedes it; the lengths of data and MAC are adjusted. */
const withShortMac = (message: Buffer): Buffer => {
  const macAt = message.length - 6 - 32;
  const dataAt = macAt - 10 - ALGORITHM.length;
  const short = Buffer.concat([message.subarray(0, macAt + 1), message.subarray(-6)]);
  short.writeUInt16BE(1, macAt - 2);
  short.writeUInt16BE(short.length - dataAt, dataAt - 2);
  return short;
};

/** Sends an update to a server with this reply, or with none. */
const send = async (reply: Reply | "silence" | "refusal", update: Parameters<typeof updateTxt>[0] = ADD) => {
  const sent: Buffer[] = [];
  const network: Pick<Network, "tcp"> = {
    tcp(_server, packet, receiver) {
      sent.push(Buffer.from(packet));
      setTimeout(() => {
        if (reply === "refusal") receiver.onError("ECONNREFUSED");
        else if (reply !== "silence") receiver.onMessage(replyTo(Buffer.from(packet), reply));
      }, 0);
      return { close: () => {} };
    },
  };
  const dependencies = { network, randomBytes: () => Buffer.of(0x12, 0x34), now: () => NOW, timeoutMs: 20 };
  const outcome = await updateTxt(update, { server: SERVER, key: KEY }, dependencies).then(
    () => "changed",
    (error: unknown) => (error as Error).message,
  );
  return { outcome, sent };
};

test("an addition is one TXT record of class IN in the zone, with a TTL of one second", () => {
  expect(encodeUpdate(0x1234, ADD).toString("hex")).toBe(
    hex(`1234 2800 0001 0000 0001 0000
      07 6578616d706c65 03 6e6574 00 | 0006 0001
      0f 5f61636d652d6368616c6c656e6765 07 6578616d706c65 03 6e6574 00 | 0010 0001 00000001 0004 | 03 616263`).toString(
      "hex",
    ),
  );
});

test("a removal is the same record of class NONE without a TTL, and other records of the name stay", () => {
  const bytes = encodeUpdate(1, { ...ADD, action: "remove" }).toString("hex");
  expect(bytes.endsWith(hex("0010 00fe 00000000 0004 03 616263").toString("hex"))).toBe(true);
});

test("a message is signed with the key's name in lower case, the time and five minutes of tolerance", async () => {
  const { sent } = await send({});
  const [message = Buffer.alloc(0)] = sent;
  const { additionals = [] } = decode(message);
  expect(additionals.map(({ name, type }) => `${name} ${type}`)).toEqual(["acme.key TSIG"]);
  const unsigned = encodeUpdate(0x1234, ADD);
  const times = Buffer.concat([uint48(NOW / 1000), hex("012c 0000 0000")]);
  const mac = createHmac("sha256", SECRET)
    .update(Buffer.concat([unsigned, KEY_NAME, hex("00ff 00000000"), ALGORITHM, times]))
    .digest();
  expect(message.subarray(-38, -6).toString("hex")).toBe(mac.toString("hex"));
});

test("an update succeeds once the server has signed its success", async () => {
  expect((await send({})).outcome).toBe("changed");
});

test.each([
  [
    "the key may not change the name",
    { rcode: 5 },
    /^REFUSED: the key may not change this name: allow it in/,
  ],
  ["the name is outside the zone", { rcode: 10 }, /^NOTZONE: the name is not in the zone/],
  ["the server does not know the key", { rcode: 9, error: 17 }, /^BADKEY: the server does not know the key/],
  [
    "the secret differs there",
    { rcode: 9, error: 16 },
    /^BADSIG: the server has another secret for this key/,
  ],
  ["the clocks differ", { rcode: 9, error: 18 }, /^BADTIME: the clocks of the two machines differ/],
  ["the code has no name", { rcode: 11 }, /^RCODE_11$/],
  ["another holds the server", { secret: Buffer.alloc(32, 8) }, /^BADSIG/],
  ["the response is not signed", { isUnsigned: true }, /unsigned/],
  ["an unsigned response refuses", { isUnsigned: true, rcode: 5 }, /^REFUSED/],
  ["the response is of another time", { signedAt: NOW / 1000 - 301 }, /^BADTIME/],
  ["the response is to another message", { id: 1 }, /^its response does not belong to the update$/],
  ["the response is to a query", { flags: 0x8000 }, /^its response does not belong to the update$/],
  [
    "the response was changed on its way",
    { change: (m: Buffer) => (m.writeUInt8(m.readUInt8(2) | 4, 2), m) },
    /^BADSIG/,
  ],
  ["the response is cut off", { change: (m: Buffer) => m.subarray(0, -3) }, /unsigned/],
  ["the MAC is shortened to a byte", { change: withShortMac }, /^BADSIG/],
  [
    "the signature is in another section",
    { change: (m: Buffer) => (m.writeUInt16BE(1, 8), m.writeUInt16BE(0, 10), m) },
    /^unsigned/,
  ],
  ["the server is silent", "silence", /^no response within 0.02 seconds$/],
  ["nothing listens", "refusal", /^it cannot be reached \(ECONNREFUSED\)$/],
] as [string, Reply | "silence" | "refusal", RegExp][])(
  "an update that fails has the reason and what to do: %s",
  async (_, reply, expected) => {
    expect((await send(reply)).outcome).toMatch(expected);
  },
);

test("no message contains the secret", async () => {
  for (const reply of [{ rcode: 9, error: 16 }, { isUnsigned: true }] as Reply[])
    expect((await send(reply)).outcome).not.toContain(SECRET.toString("base64"));
});

describe("keys", () => {
  const secret = SECRET.toString("base64");
  test.each([
    ["as tsig-keygen writes it", `key "acme.key" {\n\talgorithm hmac-sha256;\n\tsecret "${secret}";\n};\n`],
    ["on one line, without quotes", `key acme.key { algorithm hmac-sha256; secret ${secret}; };`],
    [
      "with comments",
      `# for acme\n// key\nkey "acme.key." { secret "${secret}"; algorithm "HMAC-SHA256"; };`,
    ],
  ])("a key is read %s", (_, text) => {
    expect(parseTsigKey(text)).toEqual({ name: "acme.key", secret: SECRET });
  });

  test("a key may have slashes in its secret", () => {
    const slashes = Buffer.from("ff".repeat(32), "hex").toString("base64");
    expect(
      parseTsigKey(`key k { algorithm hmac-sha256;\nsecret "${slashes}"; };`)?.secret.toString("hex"),
    ).toBe("ff".repeat(32));
  });

  test.each([
    ["of another algorithm", `key "k" { algorithm hmac-md5; secret "${secret}"; };`],
    ["without an algorithm", `key "k" { secret "${secret}"; };`],
    ["without a secret", 'key "k" { algorithm hmac-sha256; };'],
    ["with a short secret", 'key "k" { algorithm hmac-sha256; secret "YWJj"; };'],
    ["that is one of two", `key "k" { algorithm hmac-sha256; secret "${secret}"; }; key "l" { };`],
    ["that is only a secret", secret],
    ["that is empty", ""],
  ])("a key %s is refused", (_, text) => {
    expect(parseTsigKey(text)).toBeUndefined();
  });
});
