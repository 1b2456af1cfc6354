import { RCODE } from "./answer.ts";
import { readName, skipName, TYPE } from "./records.ts";

export interface Query {
  id: number;
  opcode: number;
  /** RD, which is copied into the response. */
  recursionDesired: boolean;
  question: ReturnType<typeof readQuestion>;
  edns: Exclude<ReturnType<typeof readEdns>, "malformed"> | undefined;
  /** FORMERR or NOTIMP for a query that has no other response; otherwise NOERROR. */
  rcode: number;
}

export const HEADER_BYTES = 12;
/** A query has OPT and at most a signature. */
const MAX_ADDITIONALS = 4;
const COOKIE_OPTION = 10;

const isCookieLength = (length: number): boolean => length === 8 || (length >= 16 && length <= 40);

const readQuestion = (packet: Buffer) => {
  const read = readName(packet, HEADER_BYTES);
  if (!read || read.end + 4 > packet.length) return undefined;
  return {
    /** Canonical. */
    name: read.name,
    type: packet.readUInt16BE(read.end),
    class: packet.readUInt16BE(read.end + 2),
    /** The section as it was sent, for the response: resolvers mix the case of letters to detect forged responses. */
    bytes: packet.subarray(HEADER_BYTES, read.end + 4),
  };
};

/** The cookie among the options; `malformed` if their lengths, or that of the cookie, are wrong. */
const readCookie = (options: Buffer): Buffer | undefined | "malformed" => {
  let cookie: Buffer | undefined;
  for (let at = 0; at < options.length;) {
    if (at + 4 > options.length) return "malformed";
    const end = at + 4 + options.readUInt16BE(at + 2);
    if (end > options.length) return "malformed";
    // RFC 7873 section 5.2: the first one counts.
    if (options.readUInt16BE(at) === COOKIE_OPTION) cookie ??= options.subarray(at + 4, end);
    at = end;
  }
  return cookie && !isCookieLength(cookie.length) ? "malformed" : cookie;
};

/** RFC 6891 section 6.1. */
const readEdns = (packet: Buffer, fields: number, data: Buffer) => {
  const cookie = readCookie(data);
  if (cookie === "malformed") return "malformed";
  return {
    /** The largest response over UDP that the client accepts. */
    payloadSize: packet.readUInt16BE(fields + 2),
    version: packet.readUInt8(fields + 5),
    /** DO, which is copied into the response: RFC 3225 section 3. */
    dnssecOk: (packet.readUInt8(fields + 6) & 0x80) !== 0,
    /** The COOKIE option: RFC 7873 section 4. */
    cookie,
  };
};

/** Reads the OPT record; other additional records are skipped. RFC 6891 section 6.1.1: a second OPT is an error. */
const readAdditionals = (packet: Buffer, start: number, count: number) => {
  let edns: Query["edns"] | "malformed";
  let offset = start;
  for (let left = count; left > 0; left -= 1) {
    const fields = skipName(packet, offset);
    if (fields === undefined || fields + 10 > packet.length) return "malformed";
    const end = fields + 10 + packet.readUInt16BE(fields + 8);
    if (end > packet.length) return "malformed";
    if (packet.readUInt16BE(fields) === TYPE.OPT) {
      // The owner of OPT is the root.
      if (edns || fields !== offset + 1) return "malformed";
      edns = readEdns(packet, fields, packet.subarray(fields + 10, end));
    }
    offset = end;
  }
  return edns;
};

const readSections = (packet: Buffer): Pick<Query, "question" | "edns"> | undefined => {
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => packet.readUInt16BE(at));
  if (questions !== 1 || answers !== 0 || authorities !== 0) return undefined;
  if (additionals === undefined || additionals > MAX_ADDITIONALS) return undefined;
  const question = readQuestion(packet);
  if (!question) return undefined;
  const edns = readAdditionals(packet, HEADER_BYTES + question.bytes.length, additionals);
  return edns === "malformed" ? undefined : { question, edns };
};

/**
 * Reads an untrusted packet; never throws. `dns-packet` is not used for that: it decodes labels as UTF-8, so two names become
 * one, and it throws for packets that deserve FORMERR.
 * @returns undefined for a packet that gets no response: one without a header, and a response
 */
export const readQuery = (packet: Buffer): Query | undefined => {
  if (packet.length < HEADER_BYTES || (packet.readUInt8(2) & 0x80) !== 0) return undefined;
  const opcode = (packet.readUInt8(2) >> 3) & 0x0f;
  const header = {
    id: packet.readUInt16BE(0),
    opcode,
    recursionDesired: (packet.readUInt8(2) & 0x01) !== 0,
  };
  const nothing = { question: undefined, edns: undefined };
  if (opcode !== 0) return { ...header, ...nothing, rcode: RCODE.NOTIMP };
  const sections = readSections(packet);
  return sections
    ? { ...header, ...sections, rcode: RCODE.NOERROR }
    : { ...header, ...nothing, rcode: RCODE.FORMERR };
};
