import { type Answer as WireRecord, encode } from "dns-packet";
import { lowerName, canonicalName } from "../../lib/hostname.ts";

/** RFC 1035 section 2.3.4: the bytes of a name on the wire, with the length of each label and the root's. */
const MAX_NAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;

/** Stands for a dot inside a label: no other byte becomes this character. */
const INNER_DOT = "\u0100";

/**
 * Reads a name of a question into its canonical form, with a character for each byte.
 * @returns undefined for a malformed or compressed name: a question has nothing before it to point at
 */
export const readName = (packet: Buffer, start: number): { name: string; end: number } | undefined => {
  const ends: number[] = [];
  let offset = start;
  for (let length = packet[offset]; length !== 0; length = packet[offset]) {
    if (length === undefined || length > MAX_LABEL_BYTES) return undefined;
    offset += 1 + length;
    ends.push(offset);
  }
  const end = offset + 1;
  if (end - start > MAX_NAME_BYTES) return undefined;
  const text = packet.toString("latin1", start, offset);
  const labels = ends.map((at, index) => text.slice((ends[index - 1] ?? start) - start + 1, at - start));
  const name = labels.map((label) => (label.includes(".") ? label.replaceAll(".", INNER_DOT) : label));
  return { name: lowerName(name.join(".")), end };
};

/** Finds the end of a name that is not read: a record's, which may be compressed. */
export const skipName = (packet: Buffer, start: number): number | undefined => {
  for (let offset = start; ;) {
    const length = packet[offset];
    if (length === undefined) return undefined;
    // RFC 1035 section 4.1.4: a pointer has two bytes and ends the name.
    if (length >= 0xc0) return offset + 2;
    if (length > MAX_LABEL_BYTES) return undefined;
    offset += 1 + length;
    if (length === 0) return offset;
  }
};

/** The name without its first label; "" for a name of one label. */
export const parentOf = (name: string): string => {
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
};

/** Codes of record types: RFC 1035 section 3.2.2, RFC 3596, RFC 6891, RFC 8659, RFC 9460. */
export const TYPE = {
  A: 1,
  NS: 2,
  SOA: 6,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  HTTPS: 65,
  ANY: 255,
  CAA: 257,
} as const;

/**
 * The data of one record. A text is a name, which a response may compress: only types of RFC 1035 have such names (RFC 3597
 * section 4).
 */
export type RecordData = readonly (string | Uint8Array)[];

/** The records of one name and type, which share a TTL: RFC 2181 section 5.2. */
export interface RecordSet {
  type: number;
  /** Seconds. */
  ttl: number;
  data: readonly RecordData[];
}

/** A record set and the name that has it. */
export interface OwnedSet {
  name: string;
  set: RecordSet;
}

/** RFC 1035 section 3.3.13. */
export interface Soa {
  ttl: number;
  mname: string;
  rname: string;
  serial: number;
  refresh: number;
  retry: number;
  expire: number;
  minimum: number;
}

/** Header, the root as owner, type, class, TTL and length precede the data of the only record in a message. */
const DATA_OFFSET = 12 + 1 + 10;
const MAX_TEXT_BYTES = 255;

/** The library encodes messages only, so the data is cut out of one. */
const encodeData = (record: WireRecord): RecordData => [
  encode({ type: "response", answers: [record] }).subarray(DATA_OFFSET),
];

const addressSet =
  (type: "A" | "AAAA") =>
  (ttl: number, addresses: readonly string[]): RecordSet => ({
    type: TYPE[type],
    ttl,
    data: addresses.map((data) => encodeData({ name: ".", type, data })),
  });

export const aSet = addressSet("A");
export const aaaaSet = addressSet("AAAA");

export const nsSet = (ttl: number, names: readonly string[]): RecordSet => ({
  type: TYPE.NS,
  ttl,
  data: names.map((name) => [canonicalName(name)]),
});

/** One record for each text; a text of more than 255 bytes becomes several strings of its record. */
export const txtSet = (ttl: number, texts: Iterable<string>): RecordSet => ({
  type: TYPE.TXT,
  ttl,
  data: Array.from(texts, (text) => {
    const bytes = Buffer.from(text);
    const count = Math.max(1, Math.ceil(bytes.length / MAX_TEXT_BYTES));
    const data = Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * MAX_TEXT_BYTES, (index + 1) * MAX_TEXT_BYTES),
    );
    return encodeData({ name: ".", type: "TXT", data });
  }),
});

/** RFC 8659 section 4.2: the CAs that may issue for the name and those below it. */
export const caaSet = (ttl: number, issuers: readonly string[]): RecordSet => ({
  type: TYPE.CAA,
  ttl,
  data: issuers.map((value) =>
    encodeData({ name: ".", type: "CAA", data: { flags: 0, tag: "issue", value } }),
  ),
});

const ALPN_KEY = 1;

/** RFC 9460 sections 2.2 and 7.1.1: the protocols of this very name, in a record of ServiceMode. The library lacks the type. */
export const httpsSet = (ttl: number, protocols: readonly string[]): RecordSet => {
  const value = Buffer.concat(protocols.flatMap((id) => [Buffer.of(id.length), Buffer.from(id)]));
  const head = Buffer.from([0, 1, 0, 0, ALPN_KEY, 0, value.length]);
  return { type: TYPE.HTTPS, ttl, data: [[Buffer.concat([head, value])]] };
};

export const soaSet = ({ ttl, mname, rname, ...times }: Soa): RecordSet => {
  const numbers = Buffer.alloc(20);
  [times.serial, times.refresh, times.retry, times.expire, times.minimum].forEach((value, index) =>
    numbers.writeUInt32BE(value, index * 4),
  );
  return { type: TYPE.SOA, ttl, data: [[canonicalName(mname), canonicalName(rname), numbers]] };
};
