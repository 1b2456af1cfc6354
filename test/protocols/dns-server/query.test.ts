import { expect, test } from "bun:test";
import { readQuery } from "../../../src/protocols/dns-server/query.ts";

/** `www.example.org A IN`. */
const QUESTION = Buffer.from("\u0003wWw\u0007example\u0003org\0\0\u0001\0\u0001", "latin1");

const header = ({ flags = 0, counts = [1, 0, 0, 0] } = {}): Buffer => {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(0x1234);
  bytes.writeUInt16BE(flags, 2);
  counts.forEach((count, index) => bytes.writeUInt16BE(count, 4 + 2 * index));
  return bytes;
};

/** A record with data. @param fields class and TTL, which OPT uses for itself */
const record = (owner: number[], type: number, data: Buffer, fields = [0, 1, 0, 0, 0, 0]): Buffer =>
  Buffer.concat([
    Buffer.from([...owner, type >> 8, type & 255, ...fields, data.length >> 8, data.length & 255]),
    data,
  ]);

const OPT_FIELDS = [0x04, 0xd0, 0, 2, 0x80, 0];
const opt = (data: Buffer = Buffer.alloc(0), fields = OPT_FIELDS) => record([0], 41, data, fields);

const option = (code: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([code >> 8, code & 255, data.length >> 8, data.length & 255]), data]);

const withAdditionals = (...records: Buffer[]): Buffer =>
  Buffer.concat([header({ counts: [1, 0, 0, records.length] }), QUESTION, ...records]);

/** A query for a name with labels of these lengths. */
const asked = (...lengths: number[]): Buffer => {
  const labels = lengths.map((length) => Buffer.concat([Buffer.of(length), Buffer.alloc(length, "x")]));
  return Buffer.concat([header(), ...labels, Buffer.from([0, 0, 1, 0, 1])]);
};

const OTHER = record([1, 120, 0], 1, Buffer.from([192, 0, 2, 1]));

test("a query is read with its id, RD and question, whose bytes stay unchanged", () => {
  expect(readQuery(Buffer.concat([header({ flags: 0x0100 }), QUESTION]))).toEqual({
    id: 0x1234,
    opcode: 0,
    recursionDesired: true,
    question: { name: "www.example.org", type: 1, class: 1, bytes: QUESTION },
    edns: undefined,
    rcode: 0,
  });
});

test("the EDNS options of a query are read", () => {
  expect(readQuery(withAdditionals(opt()))).toMatchObject({
    recursionDesired: false,
    edns: { payloadSize: 1232, version: 2, dnssecOk: true, cookie: undefined },
  });
  expect(readQuery(withAdditionals(opt(Buffer.alloc(0), [2, 0, 0, 0, 0x7f, 1])))?.edns).toMatchObject({
    payloadSize: 512,
    version: 0,
    dnssecOk: false,
  });
});

test("EDNS after other records is read, and the others are skipped, also with compressed names", () => {
  const pointer = record([0xc0, 12], 250, Buffer.alloc(3));
  const long = record([2, 97, 98, 0xc0, 16], 1, Buffer.from([192, 0, 2, 1]));
  expect(readQuery(withAdditionals(OTHER, pointer, long, opt()))).toMatchObject({
    rcode: 0,
    edns: { payloadSize: 1232 },
  });
});

test.each([8, 16, 24, 40])("a cookie of %d bytes is read", (length) => {
  const cookie = Buffer.alloc(length, 7);
  expect(readQuery(withAdditionals(opt(option(10, cookie))))?.edns?.cookie).toEqual(cookie);
});

test("the first of two cookies is read, after other options", () => {
  const options = [
    option(3, Buffer.alloc(0)),
    option(15, Buffer.from("x")),
    option(10, Buffer.from("01234567")),
  ];
  const all = Buffer.concat([...options, option(10, Buffer.from("second.."))]);
  expect(readQuery(withAdditionals(opt(all)))?.edns?.cookie?.toString()).toBe("01234567");
});

test("an option without data at the end of a query is read", () => {
  expect(readQuery(withAdditionals(opt(option(3, Buffer.alloc(0)))))).toMatchObject({ rcode: 0 });
});

test("a name of 255 bytes is read", () => {
  expect(readQuery(asked(62, 62, 62, 62, 1))).toMatchObject({ rcode: 0 });
});

test("bytes after the message are ignored", () => {
  expect(readQuery(Buffer.concat([withAdditionals(opt()), Buffer.from("more")]))).toMatchObject({
    rcode: 0,
  });
});

test.each([
  ["without a question", header({ counts: [0, 0, 0, 0] })],
  ["with only a header", header()],
  ["with two questions", Buffer.concat([header({ counts: [2, 0, 0, 0] }), QUESTION, QUESTION])],
  ["with a compressed question", Buffer.concat([header(), Buffer.from([0xc0, 12, 0, 1, 0, 1])])],
  ["with a label of 64 bytes in its question", asked(64)],
  ["with a name of 256 bytes in its question", asked(62, 62, 62, 62, 2)],
  ["with an answer", Buffer.concat([header({ counts: [1, 1, 0, 0] }), QUESTION, OTHER])],
  ["with 256 answers", Buffer.concat([header({ counts: [1, 256, 0, 0] }), QUESTION, OTHER])],
  ["with an authority", Buffer.concat([header({ counts: [1, 0, 1, 0] }), QUESTION, OTHER])],
  ["with 256 authorities", Buffer.concat([header({ counts: [1, 0, 256, 0] }), QUESTION, OTHER])],
  ["with five additional records", withAdditionals(OTHER, OTHER, OTHER, OTHER, OTHER)],
  ["without the record that it counts", Buffer.concat([header({ counts: [1, 0, 0, 1] }), QUESTION])],
  ...[1, 2, 3, 4, 5, 12].map(
    (count) =>
      [
        `with ${count} bytes less of its question`,
        Buffer.concat([header(), QUESTION]).subarray(0, -count),
      ] as const,
  ),
  ...[1, 5, 9, 10, 11].map(
    (count) =>
      [`with ${count} bytes less of its OPT record`, withAdditionals(opt()).subarray(0, -count)] as const,
  ),
  ["with a record whose data ends outside", withAdditionals(OTHER).subarray(0, -1)],
  ["with a record whose name ends outside", withAdditionals(Buffer.from([63, 1]))],
  ["with a record whose name has a label of 64 bytes", withAdditionals(record([64, 0], 1, Buffer.alloc(80)))],
  ["with two OPT records", withAdditionals(opt(), opt())],
  ["with an OPT record of a name", withAdditionals(record([1, 120, 0], 41, Buffer.alloc(0)))],
  ...[1, 3].map(
    (count) => [`with an option of ${count} bytes`, withAdditionals(opt(Buffer.alloc(count)))] as const,
  ),
  ["with an option that ends outside", withAdditionals(opt(option(3, Buffer.alloc(4)).subarray(0, -1)))],
  ...[0, 7, 9, 15, 41].map(
    (length) =>
      [`with a cookie of ${length} bytes`, withAdditionals(opt(option(10, Buffer.alloc(length))))] as const,
  ),
])("a packet %s is malformed", (_fact, packet) => {
  expect(readQuery(packet)).toMatchObject({ id: 0x1234, rcode: 1, question: undefined, edns: undefined });
});

test.each([1, 2, 3, 4, 8, 15])(
  "opcode %d is not implemented, regardless of the rest of the packet",
  (opcode) => {
    expect(readQuery(header({ flags: opcode << 11 }))).toMatchObject({
      opcode,
      rcode: 4,
      question: undefined,
    });
  },
);

test("the flags next to the opcode do not change it", () => {
  expect(readQuery(Buffer.concat([header({ flags: 0x07ff }), QUESTION]))).toMatchObject({
    opcode: 0,
    rcode: 0,
  });
});

test("a response and a packet without a whole header are not queries", () => {
  expect(readQuery(Buffer.concat([header({ flags: 0x8000 }), QUESTION]))).toBeUndefined();
  for (const length of [0, 1, 11]) expect(readQuery(Buffer.alloc(length))).toBeUndefined();
});
