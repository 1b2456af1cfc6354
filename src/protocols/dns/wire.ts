/** The wire format of names and records (RFC 1035 sections 3.1 and 4.1), as far as dynamic updates need it. */

/** A record, by its place in a message. */
export interface RecordAt {
  /** Where it starts. */
  start: number;
  type: number;
  /** Its data. */
  data: Buffer;
}

export const uint16 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, at) => bytes.writeUInt16BE(value, 2 * at));
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

/** The offset behind a name. @throws RangeError behind the end of the message */
const behindName = (message: Buffer, start: number): number => {
  let at = start;
  for (;;) {
    const length = message.readUInt8(at);
    // A pointer ends a name (RFC 1035 section 4.1.4).
    if (length >= 0xc0) return at + 2;
    at += length + 1;
    if (length === 0) return at;
  }
};

/** The last record of a message, if it has any. @throws RangeError for a message that is cut off */
export const lastRecord = (message: Buffer): RecordAt | undefined => {
  const count = (section: number) => message.readUInt16BE(4 + 2 * section);
  let at = 12;
  for (let left = count(0); left > 0; left -= 1) at = behindName(message, at) + 4;
  let last: RecordAt | undefined;
  for (let left = count(1) + count(2) + count(3); left > 0; left -= 1) {
    const start = at;
    const head = behindName(message, at);
    const end = head + 10 + message.readUInt16BE(head + 8);
    if (end > message.length) throw new RangeError("the record is cut off");
    last = { start, type: message.readUInt16BE(head), data: message.subarray(head + 10, end) };
    at = end;
  }
  return last;
};
