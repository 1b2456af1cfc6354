import { isWithin } from "../../lib/hostname.ts";
import type { Answer } from "./answer.ts";
import { parentOf, type OwnedSet, type RecordData, TYPE } from "./records.ts";
import { HEADER_BYTES, type Query } from "./query.ts";

/** The largest message over UDP that we send and accept: it is not fragmented on any usual path. */
export const MAX_UDP_BYTES = 1232;
/** The largest message over TCP: RFC 1035 section 4.2.2. */
export const MAX_TCP_BYTES = 65_535;
/** RFC 1035 section 4.1.4: a pointer has 14 bits. */
const MAX_POINTER = 0x3fff;

const CLASS_IN = 1;
const QR = 0x8000;
const AA = 0x0400;
const TC = 0x0200;
const RD = 0x0100;
const DO = 0x8000;

/** Every response is written here first. Nothing else runs meanwhile. */
const scratch = Buffer.allocUnsafe(MAX_TCP_BYTES);

/** The message that is being written. */
interface Message {
  offset: number;
  limit: number;
  /** Canonical; "" without a question. */
  question: string;
  /** The offset of each name that was written after the question. */
  offsets: Map<string, number>;
}

/** Thrown when a record does not fit. */
const FULL = new Error("the message is full");

const reserve = (message: Message, bytes: number): number => {
  const at = message.offset;
  if (at + bytes > message.limit) throw FULL;
  message.offset += bytes;
  return at;
};

const writeBytes = (message: Message, bytes: Uint8Array) => {
  scratch.set(bytes, reserve(message, bytes.length));
};

/** The offset of a written name. In the question its letters may have another case, which does not matter: RFC 4343 section 3. */
const offsetOf = ({ question, offsets }: Message, name: string): number | undefined =>
  isWithin(question, name) ? HEADER_BYTES + question.length - name.length : offsets.get(name);

/** Writes a name. If an earlier name has the same end, a pointer to it replaces that end. */
const writeName = (message: Message, name: string) => {
  for (let rest = name; rest !== ""; rest = parentOf(rest)) {
    const earlier = offsetOf(message, rest);
    if (earlier !== undefined) {
      scratch.writeUInt16BE(0xc000 | earlier, reserve(message, 2));
      return;
    }
    if (message.offset <= MAX_POINTER) message.offsets.set(rest, message.offset);
    const dot = rest.indexOf(".");
    const length = dot < 0 ? rest.length : dot;
    const at = reserve(message, 1 + length);
    scratch[at] = length;
    scratch.write(rest, at + 1, length, "latin1");
  }
  scratch[reserve(message, 1)] = 0;
};

const writeRecord = (message: Message, { name, set }: OwnedSet, data: RecordData) => {
  writeName(message, name);
  const fields = reserve(message, 10);
  scratch.writeUInt16BE(set.type, fields);
  scratch.writeUInt16BE(CLASS_IN, fields + 2);
  scratch.writeUInt32BE(set.ttl, fields + 4);
  for (const part of data)
    if (typeof part === "string") writeName(message, part);
    else writeBytes(message, part);
  scratch.writeUInt16BE(message.offset - fields - 10, fields + 8);
};

/** @returns the number of records */
const writeSets = (message: Message, sets: readonly OwnedSet[]): number => {
  let count = 0;
  for (const owned of sets)
    for (const data of owned.set.data) {
      writeRecord(message, owned, data);
      count += 1;
    }
  return count;
};

/** RFC 6891 section 6.1: the root, OPT, our size, the upper bits of the response code, version 0, DO, the options. */
const writeOpt = (message: Message, rcode: number, dnssecOk: boolean, options: Uint8Array) => {
  const at = reserve(message, 11);
  scratch[at] = 0;
  scratch.writeUInt16BE(TYPE.OPT, at + 1);
  scratch.writeUInt16BE(MAX_UDP_BYTES, at + 3);
  scratch[at + 5] = rcode >> 4;
  scratch[at + 6] = 0;
  scratch.writeUInt16BE(dnssecOk ? DO : 0, at + 7);
  scratch.writeUInt16BE(options.length, at + 9);
  writeBytes(message, options);
};

interface EncodeOptions {
  /** The largest response. */
  maxBytes: number;
  /** The options of the OPT record, which a response to a query with EDNS has. */
  options?: Uint8Array;
  /** Omits all records and sets TC, so that the client retries over TCP. */
  truncated?: boolean;
}

const NO_OPTIONS = new Uint8Array();

const write = (
  query: Query,
  answer: Answer,
  { maxBytes, options = NO_OPTIONS }: EncodeOptions,
  tc: number,
) => {
  const { question, edns } = query;
  // A response always has room for the parts of the query: header, question and OPT.
  const tail = edns ? 11 + options.length : 0;
  const message: Message = {
    offset: HEADER_BYTES,
    limit: maxBytes - tail,
    question: question?.name ?? "",
    offsets: new Map(),
  };
  if (question) writeBytes(message, question.bytes);
  const answers = writeSets(message, answer.answers);
  const authorities = writeSets(message, answer.authorities);
  const additionals = writeSets(message, answer.additionals);
  message.limit = maxBytes;
  if (edns) writeOpt(message, answer.rcode, edns.dnssecOk, options);
  const aa = answer.authoritative ? AA : 0;
  const rd = query.recursionDesired ? RD : 0;
  scratch.writeUInt16BE(query.id, 0);
  scratch.writeUInt16BE(QR | (query.opcode << 11) | aa | tc | rd | (answer.rcode & 0x0f), 2);
  scratch.writeUInt16BE(question ? 1 : 0, 4);
  scratch.writeUInt16BE(answers, 6);
  scratch.writeUInt16BE(authorities, 8);
  scratch.writeUInt16BE(additionals + (edns ? 1 : 0), 10);
  return Buffer.copyBytesFrom(scratch, 0, message.offset);
};

/** The response; undefined if it does not fit. */
const tryWrite = (query: Query, answer: Answer, options: EncodeOptions): Buffer | undefined => {
  try {
    return write(query, answer, options, 0);
  } catch (error) {
    if (error !== FULL) throw error;
    return undefined;
  }
};

/**
 * Encodes a response. Additional records are omitted if they do not fit. A response that still does not fit gets TC and no
 * records (RFC 2181 section 9), so that the client retries over TCP. `maxBytes` must have room for header, question and OPT.
 */
export const encodeResponse = (query: Query, answer: Answer, options: EncodeOptions): Buffer => {
  const whole = options.truncated
    ? undefined
    : (tryWrite(query, answer, options) ?? tryWrite(query, { ...answer, additionals: [] }, options));
  const bare = { ...answer, answers: [], authorities: [], additionals: [] };
  return whole ?? write(query, bare, options, TC);
};
