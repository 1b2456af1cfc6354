import { CHECKING_DISABLED, decode, encode, RECURSION_DESIRED, type Answer as WireAnswer } from "dns-packet";
import { canonicalName } from "../../lib/hostname.ts";
import { isSameName } from "./name.ts";
import { formatServiceBinding } from "./service-binding.ts";

export type QuestionType = "A" | "AAAA" | "CNAME" | "NS" | "CAA" | "TXT" | "MX" | "DS" | "HTTPS";

export interface Question {
  name: string;
  type: QuestionType;
  /** CD (RFC 4035 section 3.2.2): a resolver responds even if DNSSEC shows that the records are forged. */
  checkingDisabled?: true;
}

interface RecordFields {
  /** In lower case, without a final dot. */
  name: string;
  /** Seconds. */
  ttl: number;
}

/** The data of a TXT record is the concatenation of its strings. That of a DS record is the key tag. */
export type TextRecord = RecordFields & {
  type: "A" | "AAAA" | "CNAME" | "NS" | "TXT" | "MX" | "DS" | "HTTPS";
  data: string;
};
export type CaaRecord = RecordFields & {
  type: "CAA";
  data: { critical: boolean; tag: string; value: string };
};
/** Only the SOA record's lifetime of a cached absence: RFC 2308 section 5. */
export type SoaRecord = RecordFields & { type: "SOA"; data: { minimum: number } };
export type DnsRecord = TextRecord | CaaRecord | SoaRecord;

/** Why a response is an error: RFC 8914. */
interface ExtendedError {
  code: number;
  text: string;
}

export interface Answer {
  kind: "answer";
  /** NOERROR, NXDOMAIN, SERVFAIL, REFUSED, ..., or `RCODE_<number>`. */
  rcode: string;
  /** AA: true if the server holds the zone. */
  authoritative: boolean;
  records: DnsRecord[];
  /** The authority section: the SOA of an absence, the NS of a referral. */
  authorities: DnsRecord[];
  /** Addresses in the additional section, such as those of a referral's name servers. */
  glue?: DnsRecord[];
  extendedErrors?: ExtendedError[];
}

/** Why a packet is not the response to the query. */
export type RejectReason = "wrong_id" | "wrong_question" | "not_a_response" | "malformed" | "oversized";

type Message = Answer | { kind: "truncated" } | { kind: "rejected"; reason: RejectReason };

/** The largest UDP message that we accept (RFC 6891): below the MTU of every usual path. */
export const MAX_UDP_BYTES = 1232;
const HEADER_BYTES = 12;
const TRUNCATED = 0x02;
const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

const EDNS: WireAnswer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: MAX_UDP_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/** The name of HTTPS in `dns-packet`, which does not know the type. */
const HTTPS = "UNKNOWN_65";

const wireType = (type: QuestionType) => (type === "HTTPS" ? (HTTPS as "NULL") : type);

/** A query with one question. */
export const encodeQuery = (
  { name, type, checkingDisabled }: Question,
  id: number,
  { recursive, edns }: { recursive: boolean; edns: boolean },
): Uint8Array =>
  encode({
    type: "query",
    id,
    flags: (recursive ? RECURSION_DESIRED : 0) | (checkingDisabled ? CHECKING_DISABLED : 0),
    questions: [{ name, type: wireType(type), class: "IN" }],
    additionals: edns ? [EDNS] : [],
  });

/** RFC 2181 section 8: a TTL with its highest bit set counts as 0. */
const ttlOf = (ttl = 0): number => (ttl > 0x7fffffff ? 0 : ttl);

const recordOf = (wire: WireAnswer): DnsRecord | undefined => {
  if (wire.type === "OPT" || wire.class !== "IN") return undefined;
  const owned = { name: canonicalName(wire.name), ttl: ttlOf(wire.ttl) };
  if (wire.type === wireType("HTTPS"))
    return { ...owned, type: "HTTPS", data: formatServiceBinding(wire.data as Buffer) };
  switch (wire.type) {
    case "A":
    case "AAAA":
      return { ...owned, type: wire.type, data: wire.data };
    case "CNAME":
    case "NS":
      return { ...owned, type: wire.type, data: canonicalName(wire.data) };
    case "TXT":
      return { ...owned, type: "TXT", data: [wire.data].flat().map(String).join("") };
    case "MX": {
      const { preference = 0, exchange } = wire.data;
      return { ...owned, type: "MX", data: `${preference} ${canonicalName(exchange)}` };
    }
    case "DS":
      return { ...owned, type: "DS", data: String(wire.data.keyTag) };
    case "SOA":
      return { ...owned, type: "SOA", data: { minimum: ttlOf(wire.data.minimum) } };
    case "CAA": {
      const { issuerCritical: critical = false, tag, value } = wire.data;
      return { ...owned, type: "CAA", data: { critical, tag: tag.toLowerCase(), value } };
    }
    default:
      return undefined;
  }
};

const recordsOf = (wire: WireAnswer[] = []): DnsRecord[] =>
  wire.map(recordOf).filter((record) => record !== undefined);

const EXTENDED_ERROR = 15;

/** An option of the OPT record. The library's types know its own codes only. */
interface WireOption {
  code: unknown;
  data?: Buffer;
}

/** RFC 8914 section 2: two bytes of code, then text in UTF-8. */
const extendedErrorsOf = (options: readonly WireOption[]): ExtendedError[] =>
  options.flatMap(({ code, data }) =>
    code === EXTENDED_ERROR && data && data.length >= 2
      ? [{ code: data.readUInt16BE(0), text: data.subarray(2).toString("utf8") }]
      : [],
  );

/** Compares only header and question, which a truncated packet has whole. */
const isFor = (bytes: Buffer, question: Question): boolean => {
  const head = Buffer.from(bytes);
  head.fill(0, 6, HEADER_BYTES);
  const { questions = [] } = decode(head);
  const [first] = questions;
  return (
    questions.length === 1 &&
    first?.type === wireType(question.type) &&
    first.class === "IN" &&
    isSameName(first.name, question.name)
  );
};

/** RFC 6891 section 7: a server without EDNS answers FORMERR; before that RFC some answered NOTIMP. */
export const lacksEdns = ({ kind, rcode }: { kind: string; rcode?: string }): boolean =>
  kind === "answer" && (rcode === "FORMERR" || rcode === "NOTIMP");

/** A server that could not parse the query may send only its id with FORMERR or NOTIMP, and no question to compare. */
const readHeaderOnly = (bytes: Buffer): Answer | undefined => {
  if (bytes.readUInt16BE(4) !== 0) return undefined;
  const rcode = RCODES[bytes.readUInt8(3) & 0x0f] ?? "";
  const refusal: Answer = { kind: "answer", rcode, authoritative: false, records: [], authorities: [] };
  return lacksEdns(refusal) ? refusal : undefined;
};

const readAnswer = (bytes: Buffer): Answer => {
  const { flags = 0, flag_aa, answers, authorities, additionals } = decode(bytes);
  const opt = additionals?.find((one) => one.type === "OPT");
  const rcode = (flags & 0x0f) | ((opt?.extendedRcode ?? 0) << 4);
  const glue = recordsOf(additionals);
  const extendedErrors = opt ? extendedErrorsOf(opt.options as readonly WireOption[]) : [];
  return {
    kind: "answer",
    rcode: RCODES[rcode] ?? `RCODE_${rcode}`,
    authoritative: flag_aa,
    records: recordsOf(answers),
    authorities: recordsOf(authorities),
    ...(glue.length > 0 && { glue }),
    ...(extendedErrors.length > 0 && { extendedErrors }),
  };
};

const rejected = (reason: RejectReason): Message => ({ kind: "rejected", reason });

/**
 * Parses an untrusted packet as the response to this question with this id. Never throws. Checks the id and the question
 * before anything else (RFC 5452 section 9.1).
 */
export const readMessage = (packet: Uint8Array, question: Question, id: number): Message => {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  if (bytes.length < HEADER_BYTES) return rejected("malformed");
  if (bytes.readUInt16BE(0) !== id) return rejected("wrong_id");
  const flags = bytes.readUInt8(2);
  if ((flags & 0x80) === 0) return rejected("not_a_response");
  const headerOnly = readHeaderOnly(bytes);
  if (headerOnly) return headerOnly;
  try {
    if (!isFor(bytes, question)) return rejected("wrong_question");
    return (flags & TRUNCATED) === 0 ? readAnswer(bytes) : { kind: "truncated" };
  } catch {
    return rejected("malformed");
  }
};
