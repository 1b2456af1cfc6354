import { createHmac, timingSafeEqual } from "node:crypto";

/** As `tsig-keygen` prints it, and `named` reads it. */
const KEY_BLOCK = /^\s*key\s+"?([a-z0-9._-]{1,253})"?\s*\{([^{}]*)\}\s*;?\s*$/i;
const ALGORITHM_STATEMENT = /^algorithm\s+"?hmac-sha256"?$/i;
const SECRET_STATEMENT = /^secret\s+"?([a-z0-9+/]{22,684}={0,2})"?$/i;

/** Parses `key "name" { algorithm hmac-sha256; secret "..."; };`. Undefined for anything else, and for other algorithms. */
export const parseTsigKey = (text: string) => {
  const [, name, body = ""] = KEY_BLOCK.exec(text.replaceAll(/^\s*(?:\/\/|#).*$/gm, "")) ?? [];
  const statements = body.split(";").map((one) => one.trim());
  const [, secret] = statements.map((one) => SECRET_STATEMENT.exec(one)).find((match) => match) ?? [];
  if (name === undefined || secret === undefined || !statements.some((one) => ALGORITHM_STATEMENT.test(one)))
    return undefined;
  return { name: name.replace(/\.$/, ""), secret: Buffer.from(secret, "base64") };
};

/** A key for TSIG, HMAC-SHA256 (RFC 8945). */
export type TsigKey = NonNullable<ReturnType<typeof parseTsigKey>>;

/** The wire format of names and records (RFC 1035 sections 3.1 and 4.1), as far as dynamic updates need it. */

export const uint16 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, index) => bytes.writeUInt16BE(value, 2 * index));
  return bytes;
};

/** A name without compression, in lower case (RFC 8945 section 4.3.3). */
export const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .toLowerCase()
      .replace(/\.$/, "")
      .split(".")
      .map((label) => Buffer.from(label, "latin1"))
      .flatMap((label) => (label.length > 0 ? [Buffer.of(label.length), label] : [])),
    Buffer.of(0),
  ]);

/** The offset after a name. @throws RangeError past the end of the message */
const afterName = (message: Buffer, start: number): number => {
  let at = start;
  for (;;) {
    const length = message.readUInt8(at);
    // A pointer ends a name (RFC 1035 section 4.1.4).
    if (length >= 0xc0) return at + 2;
    at += length + 1;
    if (length === 0) return at;
  }
};

/** The last record of a message, if it has any: its start, type and data. @throws RangeError for a message that is cut off */
const lastRecord = (message: Buffer) => {
  const count = (section: number) => message.readUInt16BE(4 + 2 * section);
  let at = 12;
  for (let left = count(0); left > 0; left -= 1) at = afterName(message, at) + 4;
  let last: { start: number; type: number; data: Buffer } | undefined;
  for (let left = count(1) + count(2) + count(3); left > 0; left -= 1) {
    const start = at;
    const head = afterName(message, at);
    const end = head + 10 + message.readUInt16BE(head + 8);
    if (end > message.length) throw new RangeError("the record is cut off");
    last = { start, type: message.readUInt16BE(head), data: message.subarray(head + 10, end) };
    at = end;
  }
  return last;
};

/** Signatures of DNS messages: RFC 8945, with HMAC-SHA256. */

const ALGORITHM = encodeName("hmac-sha256");
const MAC_BYTES = 32;
const TSIG = 250;
const ANY = 255;
/** RFC 8945 section 10: the recommended tolerance between the clocks, in seconds. */
const FUDGE = 300;

const RCODES: Readonly<Record<number, string>> = {
  0: "NOERROR",
  1: "FORMERR",
  2: "SERVFAIL",
  3: "NXDOMAIN",
  4: "NOTIMP",
  5: "REFUSED",
  9: "NOTAUTH",
  10: "NOTZONE",
  16: "BADSIG",
  17: "BADKEY",
  18: "BADTIME",
  22: "BADTRUNC",
};

const rcodeOf = (code: number): string => RCODES[code] ?? `RCODE_${code}`;

/** The response code of a message. */
export const readRcode = (message: Buffer): string => rcodeOf(message.readUInt8(3) & 0x0f);

/** Seconds in 48 bits. */
const uint48 = (value: number): Buffer => {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
};

/** RFC 8945 section 4.3.3. */
const digest = (
  key: TsigKey,
  parts: readonly Buffer[],
  { signedAt, fudge, error, other }: { signedAt: number; fudge: number; error: number; other: Buffer },
): Buffer =>
  createHmac("sha256", key.secret)
    .update(
      Buffer.concat([
        ...parts,
        encodeName(key.name),
        uint16(ANY),
        Buffer.alloc(4),
        ALGORITHM,
        uint48(signedAt),
        uint16(fudge, error, other.length),
        other,
      ]),
    )
    .digest();

/** The message with another number of additional records. */
const withAdditionals = (message: Buffer, change: number): Buffer => {
  const changed = Buffer.from(message);
  changed.writeUInt16BE(message.readUInt16BE(10) + change, 10);
  return changed;
};

/** Signs a request. @param now milliseconds UTC @returns the message with its TSIG record, and the MAC that the response is bound to */
export const signRequest = (message: Buffer, key: TsigKey, now: number) => {
  const signedAt = Math.floor(now / 1000);
  const mac = digest(key, [message], { signedAt, fudge: FUDGE, error: 0, other: Buffer.alloc(0) });
  const data = Buffer.concat([
    ALGORITHM,
    uint48(signedAt),
    uint16(FUDGE, mac.length),
    mac,
    // The original id, no error, no other data.
    message.subarray(0, 2),
    uint16(0, 0),
  ]);
  const head = [encodeName(key.name), uint16(TSIG, ANY), Buffer.alloc(4), uint16(data.length)];
  return { message: Buffer.concat([withAdditionals(message, 1), ...head, data]), mac };
};

/** Reads the TSIG record of a message: undefined without one that can be read. */
const signatureOf = (message: Buffer) => {
  try {
    // RFC 8945 section 5.1: it is the last additional record.
    const last = message.readUInt16BE(10) > 0 ? lastRecord(message) : undefined;
    if (last?.type !== TSIG || !last.data.subarray(0, ALGORITHM.length).equals(ALGORITHM)) return undefined;
    const data = last.data.subarray(ALGORITHM.length);
    const afterMac = 10 + data.readUInt16BE(8);
    if (afterMac + 6 + data.readUInt16BE(afterMac + 4) !== data.length) return undefined;
    return {
      start: last.start,
      signedAt: data.readUIntBE(0, 6),
      fudge: data.readUInt16BE(6),
      mac: data.subarray(10, afterMac),
      originalId: data.subarray(afterMac, afterMac + 2),
      error: data.readUInt16BE(afterMac + 2),
      other: data.subarray(afterMac + 6),
    };
  } catch {
    return undefined;
  }
};

/**
 * Checks that a response was made by the holder of the key, for this request (RFC 8945 section 5.3).
 * @param requestMac the MAC of the request @param now milliseconds UTC
 * @returns why it cannot be trusted: the server's own error, or `unsigned`; undefined if it can
 */
export const verifyResponse = (
  message: Buffer,
  requestMac: Buffer,
  key: TsigKey,
  now: number,
): string | undefined => {
  const signature = signatureOf(message);
  if (!signature) return readRcode(message) === "NOERROR" ? "unsigned" : readRcode(message);
  const { start, signedAt, fudge, mac, originalId, error } = signature;
  // RFC 8945 section 5.2: a server that cannot check the key or the MAC signs nothing.
  if (error !== 0) return rcodeOf(error);
  const unsigned = withAdditionals(message.subarray(0, start), -1);
  originalId.copy(unsigned);
  const expected = digest(key, [uint16(requestMac.length), requestMac, unsigned], signature);
  if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, expected)) return "BADSIG";
  return Math.abs(now / 1000 - signedAt) > fudge ? "BADTIME" : undefined;
};
