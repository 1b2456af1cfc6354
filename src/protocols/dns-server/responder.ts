import { createHmac, timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../../lib/random.ts";
import type { Clock } from "../../lib/time.ts";
import { clientNetwork } from "../../lib/client-address.ts";
import { type Answer, answerQuestion, emptyAnswer, RCODE } from "./answer.ts";
import { type Query, readQuery } from "./query.ts";
import { TYPE } from "./records.ts";
import { encodeResponse, MAX_TCP_BYTES, MAX_UDP_BYTES } from "./response.ts";
import type { Zone } from "./zone.ts";

const CLIENT_BYTES = 8;
/** RFC 9018 section 4: version, 3 reserved bytes, timestamp, hash. */
const SERVER_BYTES = 16;
const STAMP_BYTES = 8;
/** Version 1 means SipHash. 240 to 254 are for private use, and mean here the first 8 bytes of HMAC-SHA-256. */
const VERSION = 240;

/** RFC 9018 section 4.3: a cookie is valid for an hour, clocks may differ by five minutes, and half an hour is fresh. */
const MAX_AGE_SECONDS = 3600;
const MAX_AHEAD_SECONDS = 300;
const FRESH_SECONDS = 1800;

/**
 * DNS cookies (RFC 7873): a client that returns our cookie has proved its address. The secret lasts as long as the process;
 * afterwards clients get new cookies with their next question.
 */
export const dnsCookies = ({ clock, randomBytes }: { clock: Clock; randomBytes: RandomBytes }) => {
  const secret = randomBytes(32);

  const cookieFor = (client: Buffer, stamp: Buffer, address: string): Buffer => {
    const hmac = createHmac("sha256", secret).update(client).update(stamp).update(address);
    return Buffer.concat([client, stamp, hmac.digest().subarray(0, SERVER_BYTES - STAMP_BYTES)]);
  };

  return {
    /**
     * Checks a COOKIE option of 8 to 40 bytes. `isVerified` is true if this client has received a cookie of ours at its address,
     * so the address is not forged. `cookie` is the option for the response: the client's part and ours.
     */
    check(option: Buffer, address: string) {
      const now = Math.floor(clock.now() / 1000);
      const client = option.subarray(0, CLIENT_BYTES);
      const fresh = () => {
        const stamp = Buffer.from([VERSION, 0, 0, 0, 0, 0, 0, 0]);
        stamp.writeUInt32BE(now, 4);
        return cookieFor(client, stamp, address);
      };
      if (option.length !== CLIENT_BYTES + SERVER_BYTES) return { isVerified: false, cookie: fresh() };
      const stamp = option.subarray(CLIENT_BYTES, CLIENT_BYTES + STAMP_BYTES);
      const age = now - stamp.readUInt32BE(4);
      const isCurrent = age <= MAX_AGE_SECONDS && age >= -MAX_AHEAD_SECONDS;
      const isVerified = isCurrent && timingSafeEqual(cookieFor(client, stamp, address), option);
      return { isVerified, cookie: isVerified && age < FRESH_SECONDS ? option : fresh() };
    },
  };
};

type DnsCookies = ReturnType<typeof dnsCookies>;

/** Responses in a second to one address, or to one /64 network of IPv6. */
export const MAX_RESPONSES = 100;
/** Networks to count. In a flood from more networks, clients without a cookie must use TCP. */
const MAX_NETWORKS = 50_000;

/** How to respond to a query whose source address may be forged. */
type Verdict = "answer" | "truncate" | "drop";

/**
 * Response rate limiting: a query with a forged source address makes us send to a victim. Above the limit, every second query
 * gets a truncated response, so that a real client retries over TCP. The others get no response.
 */
export const responseLimiter = (clock: Clock) => {
  const counts = new Map<string, number>();
  let current = 0;
  return {
    take(address: string): Verdict {
      const second = Math.floor(clock.now() / 1000);
      if (second !== current) counts.clear();
      current = second;
      const network = clientNetwork(address);
      const count = (counts.get(network) ?? 0) + 1;
      if (count === 1 && counts.size >= MAX_NETWORKS) return "truncate";
      counts.set(network, count);
      if (count <= MAX_RESPONSES) return "answer";
      return count % 2 === 0 ? "truncate" : "drop";
    },
  };
};

type ResponseLimiter = ReturnType<typeof responseLimiter>;

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
/** RFC 1035 section 4.2.1: the size that a client without EDNS accepts over UDP. */
const MIN_UDP_BYTES = 512;
/** The responses to an address that may be forged are at most so many times as large as the questions. */
export const MAX_AMPLIFICATION = 3;
const COOKIE_OPTION = 10;

/** IXFR and AXFR. */
const TRANSFERS: ReadonlySet<number> = new Set([251, 252]);
/** RFC 6895 section 3.1: types that no record has, such as TKEY and MAILA. */
const isMetaType = (type: number): boolean => type === TYPE.OPT || (type >= 128 && type < TYPE.ANY);

const answerTo = ({ rcode, edns, question }: Query, zones: readonly Zone[]): Answer => {
  if (rcode !== RCODE.NOERROR || !question) return emptyAnswer(rcode);
  if (edns && edns.version > 0) return emptyAnswer(RCODE.BADVERS);
  if (question.class !== CLASS_IN || TRANSFERS.has(question.type)) return emptyAnswer(RCODE.REFUSED);
  return isMetaType(question.type) ? emptyAnswer(RCODE.NOTIMP) : answerQuestion(question, zones);
};

/** A DNS server without its sockets: it takes a packet and returns the response. */
export const dnsResponder = ({
  zones,
  cookies,
  limiter,
  onResponse = () => undefined,
}: ResponderDependencies): Respond => {
  const respond = (
    packet: Buffer,
    query: Query,
    client: Client,
    check: ReturnType<DnsCookies["check"]> | undefined,
  ) => {
    const isVerified = client.transport === "tcp" || check?.isVerified === true;
    const verdict = isVerified ? "answer" : limiter.take(client.address);
    if (verdict === "drop") return undefined;
    const answer = answerTo(query, zones);
    onResponse(client, answer.rcode);
    const accepted = Math.min(MAX_UDP_BYTES, Math.max(MIN_UDP_BYTES, query.edns?.payloadSize ?? 0));
    const maxUdpBytes = isVerified ? accepted : Math.min(accepted, MAX_AMPLIFICATION * packet.length);
    return encodeResponse(query, answer, {
      maxBytes: client.transport === "tcp" ? MAX_TCP_BYTES : maxUdpBytes,
      truncated: verdict === "truncate",
      ...(check && {
        options: Buffer.concat([Buffer.from([0, COOKIE_OPTION, 0, check.cookie.length]), check.cookie]),
      }),
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
