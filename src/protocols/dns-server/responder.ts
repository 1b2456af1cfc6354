import { type Answer, answerQuestion, emptyAnswer, RCODE } from "./answer.ts";
import type { CookieCheck, DnsCookies } from "./cookies.ts";
import { type Query, type QueryQuestion, readQuery } from "./query.ts";
import { TYPE } from "./records.ts";
import { encodeResponse, MAX_TCP_BYTES, MAX_UDP_BYTES } from "./response.ts";
import type { ResponseLimiter } from "./response-limiter.ts";
import type { Zone } from "./zone.ts";

export interface Client {
  address: string;
  transport: "udp" | "tcp";
}

export interface ResponderDependencies {
  zones: readonly Zone[];
  cookies: DnsCookies;
  limiter: ResponseLimiter;
  /** Called for each response, and with undefined for each packet without one. */
  onResponse?: (client: Client, rcode: number | undefined) => void;
}

/** The response to a packet; undefined if it gets none. Never throws. */
export type Respond = (packet: Buffer, client: Client) => Buffer | undefined;

const CLASS_IN = 1;
/** RFC 1035 section 4.2.1: what a client without EDNS accepts over UDP. */
const MIN_UDP_BYTES = 512;
/** The responses to an address that may be forged are at most so many times as large as the questions. */
export const MAX_AMPLIFICATION = 3;
const COOKIE_OPTION = 10;

const isTransfer = (type: number): boolean => type === 251 || type === 252;
/** RFC 6895 section 3.1: types that no record has, such as TKEY and MAILA. */
const isMetaType = (type: number): boolean => type === TYPE.OPT || (type >= 128 && type < TYPE.ANY);

const answerTo = (
  { rcode, edns }: Query,
  question: QueryQuestion | undefined,
  zones: readonly Zone[],
): Answer => {
  if (rcode !== RCODE.NOERROR || !question) return emptyAnswer(rcode);
  if (edns && edns.version > 0) return emptyAnswer(RCODE.BADVERS);
  if (question.class !== CLASS_IN || isTransfer(question.type)) return emptyAnswer(RCODE.REFUSED);
  return isMetaType(question.type) ? emptyAnswer(RCODE.NOTIMP) : answerQuestion(question, zones);
};

const cookieOption = (cookie: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0, COOKIE_OPTION, 0, cookie.length]), cookie]);

/** The largest response to a client. */
const maxBytesFor = (
  { edns }: Query,
  bytes: number,
  transport: Client["transport"],
  isVerified: boolean,
): number => {
  if (transport === "tcp") return MAX_TCP_BYTES;
  const accepted = Math.min(MAX_UDP_BYTES, Math.max(MIN_UDP_BYTES, edns?.payloadSize ?? 0));
  return isVerified ? accepted : Math.min(accepted, MAX_AMPLIFICATION * bytes);
};

/** A DNS server without its sockets: it takes a packet and returns the response. */
export const dnsResponder = ({
  zones,
  cookies,
  limiter,
  onResponse = () => undefined,
}: ResponderDependencies): Respond => {
  const respond = (packet: Buffer, query: Query, client: Client, check: CookieCheck | undefined) => {
    const isVerified = client.transport === "tcp" || check?.isVerified === true;
    const verdict = isVerified ? "answer" : limiter.take(client.address);
    if (verdict === "drop") return undefined;
    const answer = answerTo(query, query.question, zones);
    onResponse(client, answer.rcode);
    return encodeResponse(query, answer, {
      maxBytes: maxBytesFor(query, packet.length, client.transport, isVerified),
      truncated: verdict === "truncate",
      ...(check && { options: cookieOption(check.cookie) }),
    });
  };
  return (packet, client) => {
    const query = readQuery(packet);
    const cookie = query?.edns?.cookie;
    const response = query && respond(packet, query, client, cookie && cookies.check(cookie, client.address));
    if (!response) onResponse(client, undefined);
    return response;
  };
};
