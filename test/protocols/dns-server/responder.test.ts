import { describe, expect, test } from "bun:test";
import { decode, encode } from "dns-packet";
import { optOf, question, read, TCP, testResponder, UDP } from "../../support/dns-questions.ts";
import { zoneOfLines } from "../../support/served-zones.ts";

const MANY = Array.from({ length: 40 }, (_, index) => `many.example.org A 192.0.2.${index + 1}`);
const ZONES = [
  zoneOfLines("example.org", [
    "example.org NS ns1.example.org",
    ...Array.from({ length: 8 }, (_, index) => `ns1.example.org AAAA 2001:db8::${index + 1}`),
    "www.example.org A 192.0.2.80",
    ...Array.from({ length: 5 }, (_, index) => `long.example.org TXT ${index}${"x".repeat(250)}`),
    ...MANY,
  ]),
];
const CLIENT_COOKIE = Buffer.from("01234567");
const { respond } = testResponder(ZONES);

const withHeader = (packet: Buffer, at: number, value: number): Buffer => {
  const copy = Buffer.from(packet);
  copy.writeUInt16BE(value, at);
  return copy;
};

const cookieIn = (response: Buffer | undefined): Buffer => {
  const opt = response && optOf(decode(response));
  const cookie = opt?.type === "OPT" ? opt.options.find(({ code }) => code === (10 as number)) : undefined;
  return (cookie as { data?: Buffer } | undefined)?.data ?? Buffer.alloc(0);
};

const WHOLE = question("www.example.org", "A");

test.each([
  ["of no bytes", Buffer.alloc(0)],
  ["without a whole header", WHOLE.subarray(0, 11)],
  ["that is a response", withHeader(WHOLE, 2, 0x8000)],
])("a packet %s gets no response", (_fact, packet) => {
  expect(respond(packet, UDP)).toBeUndefined();
});

const COOKIE_41 = question("www.example.org", "A", { edns: { cookie: Buffer.alloc(41) } });

test.each([
  ["that is malformed", WHOLE.subarray(0, -2), "FORMERR"],
  ["with a malformed cookie", COOKIE_41, "FORMERR"],
  ["with another opcode", withHeader(WHOLE, 2, 2 << 11), "NOTIMP"],
  ["of another class", withHeader(WHOLE, WHOLE.length - 2, 3), "REFUSED"],
])("a packet %s is refused", (_fact, packet, rcode) => {
  expect(read(respond(packet, UDP))).toMatchObject({ rcode, aa: false });
});

test("additional records other than OPT are ignored", () => {
  const packet = encode({
    type: "query",
    questions: [{ name: "www.example.org", type: "A" }],
    additionals: Array.from({ length: 4 }, () => ({ name: "x", type: "A", data: "192.0.2.1" })),
  });
  expect(read(respond(packet, UDP))).toMatchObject({ rcode: "NOERROR" });
});

test("a response has the id, the question with its case, and RD, but never RA", () => {
  const response = respond(question("wWw.eXample.org", "A", { id: 4711, flags: 0x0100 }), UDP);
  expect(response?.toString("latin1")).toContain("wWw\u0007eXample\u0003org");
  expect(decode(response ?? Buffer.alloc(0))).toMatchObject({
    id: 4711,
    flag_rd: true,
    flag_ra: false,
    flag_aa: true,
  });
});

test("a response has no RD if the query has none", () => {
  const response = respond(question("www.example.org", "A"), UDP);
  expect(decode(response ?? Buffer.alloc(0)).flag_rd).toBe(false);
});

test("a response omits the addresses of name servers if there is no room for them", () => {
  const packet = question("example.org", "NS");
  expect(read(respond(packet, TCP))?.additionals.length).toBe(8);
  expect(read(respond(packet, UDP))).toMatchObject({
    tc: false,
    answers: ["example.org 300 NS ns1.example.org"],
    additionals: [],
  });
});

test("a response has EDNS and DO only if the query has them", () => {
  const optFor = (edns?: { flags?: number }) =>
    optOf(
      decode(respond(question("www.example.org", "A", { ...(edns && { edns }) }), UDP) ?? Buffer.alloc(0)),
    );
  expect(optFor()).toBeUndefined();
  expect(optFor({})).toMatchObject({ udpPayloadSize: 1232, ednsVersion: 0, flag_do: false, options: [] });
  expect(optFor({ flags: 0x8000 })).toMatchObject({ flag_do: true });
});

test("the response to a later version of EDNS is BADVERS with ours", () => {
  const response = respond(question("www.example.org", "A", { edns: { ednsVersion: 1 } }), UDP);
  expect(read(response)).toMatchObject({ rcode: "RCODE 16", answers: [], aa: false });
  expect(optOf(decode(response ?? Buffer.alloc(0)))).toMatchObject({ ednsVersion: 0 });
});

test("a response that does not fit is truncated over UDP, and whole over TCP", () => {
  const packet = question("many.example.org", "A", { edns: { udpPayloadSize: 4096 } });
  expect(read(respond(packet, UDP))).toMatchObject({ rcode: "NOERROR", aa: true, tc: true, answers: [] });
  const whole = read(respond(packet, TCP));
  expect([whole?.tc, whole?.answers.length]).toEqual([false, 40]);
});

describe("cookies", () => {
  const { clock, respond: answer } = testResponder(ZONES);
  const ask = (cookie: Buffer, client = UDP, size = 1232) =>
    answer(question("many.example.org", "A", { edns: { cookie, udpPayloadSize: size } }), client);
  const isWhole = (cookie: Buffer, client = UDP) => read(ask(cookie, client))?.tc === false;
  const cookie = cookieIn(ask(CLIENT_COOKIE));

  test("a client's cookie is returned with 16 bytes of the server", () => {
    expect(cookie.length).toBe(24);
    expect(cookie.subarray(0, 8)).toEqual(CLIENT_COOKIE);
  });

  test("a cookie of the server lifts the limit of three times the question", () => {
    expect(isWhole(CLIENT_COOKIE)).toBe(false);
    expect(isWhole(cookie)).toBe(true);
  });

  test("a cookie of the server does not lift the client's own limit, nor 1,232 bytes", () => {
    expect(read(ask(cookie, UDP, 512))?.tc).toBe(true);
    expect(read(ask(cookie, UDP, 600))?.tc).toBe(true);
    expect(read(ask(cookie, UDP, 800))?.tc).toBe(false);
    const long = question("long.example.org", "TXT", { edns: { cookie, udpPayloadSize: 4096 } });
    expect(read(answer(long, UDP))?.tc).toBe(true);
  });

  test("a cookie counts only from its address, with its client's part, and unchanged", () => {
    expect(isWhole(cookie, { ...UDP, address: "192.0.2.2" })).toBe(false);
    for (const at of [0, 8, 9, 12, 23]) {
      const changed = Buffer.from(cookie);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(isWhole(changed)).toBe(false);
    }
    expect(isWhole(Buffer.concat([cookie, Buffer.alloc(1)]))).toBe(false);
  });

  test("a cookie is replaced after half an hour, and worthless after an hour", () => {
    const start = clock.time;
    clock.time = start + 1_799_000;
    expect(cookieIn(ask(cookie))).toEqual(cookie);
    clock.time = start + 1_800_000;
    expect(cookieIn(ask(cookie))).not.toEqual(cookie);
    clock.time = start + 3_600_000;
    expect(isWhole(cookie)).toBe(true);
    clock.time = start + 3_601_000;
    expect(isWhole(cookie)).toBe(false);
    clock.time = start - 301_000;
    expect(isWhole(cookie)).toBe(false);
    clock.time = start;
  });
});

describe("clients without a cookie", () => {
  const outcomes = (count: number, ask: () => Buffer | undefined) => {
    const seen = { answered: 0, truncated: 0, dropped: 0 };
    for (let left = count; left > 0; left -= 1) {
      const response = read(ask());
      if (!response) seen.dropped += 1;
      else if (response.tc) seen.truncated += 1;
      else seen.answered += 1;
    }
    return seen;
  };
  const packet = question("www.example.org", "A");

  test("an address without a cookie gets 100 responses a second, and half of the other questions get a truncated one", () => {
    const { clock, respond: answer } = testResponder(ZONES);
    expect(outcomes(300, () => answer(packet, UDP))).toEqual({ answered: 100, truncated: 100, dropped: 100 });
    expect(outcomes(1, () => answer(packet, { ...UDP, address: "192.0.2.2" })).answered).toBe(1);
    expect(outcomes(200, () => answer(packet, TCP)).answered).toBe(200);
    clock.time += 1000;
    expect(outcomes(1, () => answer(packet, UDP)).answered).toBe(1);
  });

  test("the addresses of one IPv6 network are counted together", () => {
    const { respond: answer } = testResponder(ZONES);
    let host = 0;
    const seen = outcomes(102, () =>
      answer(packet, { address: `2001:db8::${(host += 1)}`, transport: "udp" }),
    );
    expect(seen).toEqual({ answered: 100, truncated: 1, dropped: 1 });
  });

  test("a flood from more than 50,000 addresses leads to TCP", () => {
    const { respond: answer } = testResponder(ZONES);
    const addressOf = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    for (let at = 0; at < 50_000; at += 1) answer(packet, { address: addressOf(at), transport: "udp" });
    expect(read(answer(packet, { address: addressOf(50_000), transport: "udp" }))?.tc).toBe(true);
  });
});
