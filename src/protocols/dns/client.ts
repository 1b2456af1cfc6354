import type { Clock } from "../../lib/time.ts";
import { concurrencyLimiter, type IsUrgent } from "./limiter.ts";
import {
  encodeQuery,
  lacksEdns,
  readMessage,
  UDP_SIZE,
  type Answer,
  type Question,
  type RejectReason,
} from "./message.ts";
import type { Network, Server } from "./network.ts";

export type FailureKind =
  | "timeout"
  | "refused"
  | "network"
  | "malformed"
  | "spoofed"
  | "oversized"
  /** The address must not be asked, and was not. */
  | "forbidden";

export interface Failure {
  kind: "failure";
  failure: FailureKind;
  detail: string;
}

/** One question to one server, and what came of it. */
export interface Exchange {
  server: Server;
  question: Question;
  /** True if the server was asked to find out what it does not hold. */
  recursive: boolean;
  transport: "udp" | "tcp";
  outcome: Answer | Failure;
  milliseconds: number;
  /** Packets that came and were not the answer. */
  ignored: RejectReason[];
}

/** Asks one question; never throws. What is urgent, as all is that nothing is said of, has its turn first. */
export type SendQuery = (
  server: Server,
  question: Question,
  recursive: boolean,
  isUrgent?: IsUrgent,
) => Promise<Exchange>;

export interface DnsClientOptions {
  /** Milliseconds for one attempt. */
  timeoutMs: number;
  /** How often a server is asked that does not answer. */
  attempts: number;
}

export interface DnsClientDependencies {
  network: Network;
  clock: Clock;
  /** Cryptographically random bytes. */
  random: (count: number) => Uint8Array;
}

const AT_ONCE = 8;
/** Of these, for what somebody waits for: silent servers of other domains must not hold that up. */
const RESERVED = 3;
/** A flood of packets that are not the answer ends the attempt. */
const MAX_STRAYS = 32;
/** More than any answer that verification needs; what is larger is not read, for its compression could cost seconds. */
const TCP_SIZE = 16_384;

const KIND_OF_STRAY: Record<RejectReason, FailureKind> = {
  wrong_id: "spoofed",
  wrong_question: "spoofed",
  not_a_response: "spoofed",
  malformed: "malformed",
  oversized: "oversized",
};

type Asked = Pick<Exchange, "server" | "question" | "recursive">;

/** How a question is put. */
interface Way {
  transport: Exchange["transport"];
  edns: boolean;
}

interface Attempt {
  outcome: Answer | Failure | { kind: "truncated" };
  ignored: RejectReason[];
}

const failureOf = (failure: FailureKind, detail: string): Failure => ({ kind: "failure", failure, detail });

/** Silence is a timeout; silence but for packets that are not the answer is named after the last of them. */
const silence = (ignored: RejectReason[], timeoutMs: number): Failure => {
  const last = ignored.at(-1);
  const detail = `no answer within ${timeoutMs} ms`;
  return last ? failureOf(KIND_OF_STRAY[last], `${detail}, but: ${last}`) : failureOf("timeout", detail);
};

const attempt = (
  { network, random }: DnsClientDependencies,
  timeoutMs: number,
  { server, question, recursive }: Asked,
  { transport, edns }: Way,
): Promise<Attempt> => {
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  const id = Buffer.from(random(2)).readUInt16BE(0);
  const mostBytes = transport === "udp" ? UDP_SIZE : TCP_SIZE;
  const mostStrays = transport === "udp" ? MAX_STRAYS : 1;
  const ignored: RejectReason[] = [];
  const end = (outcome: Attempt["outcome"]) => {
    clearTimeout(timer);
    channel.close();
    resolve({ outcome, ignored });
  };
  const ignore = (stray: RejectReason) => {
    ignored.push(stray);
    if (ignored.length >= mostStrays) end(failureOf(KIND_OF_STRAY[stray], `not an answer: ${stray}`));
  };
  const timer = setTimeout(() => end(silence(ignored, timeoutMs)), timeoutMs);
  // A receiver is never called before `channel` is there: Network promises it.
  const channel = network[transport](server, encodeQuery(question, id, { recursive, edns }), {
    onMessage(packet) {
      if (packet.length > mostBytes) return ignore("oversized");
      const message = readMessage(packet, question, id);
      if (message.kind === "stray") return ignore(message.stray);
      // RFC 7766: over TCP there is nothing to fall back on.
      if (message.kind === "truncated" && transport === "tcp") return ignore("malformed");
      end(message);
    },
    onError: (code) => end(failureOf(code === "ECONNREFUSED" ? "refused" : "network", code)),
  });
  return promise;
};

/** The next way to put a question, from the whole to the plain: there are four at most. */
const wayAfter = ({ transport, edns }: Way, { outcome }: Attempt): Way | undefined => {
  if (outcome.kind === "truncated" && transport === "udp") return { transport: "tcp", edns };
  return edns && lacksEdns(outcome) ? { transport, edns: false } : undefined;
};

/** Puts a question in every way that it takes. */
const askOnce = async (surroundings: DnsClientDependencies, timeoutMs: number, asked: Asked) => {
  const ignored: RejectReason[] = [];
  let way: Way = { transport: "udp", edns: true };
  for (;;) {
    const result = await attempt(surroundings, timeoutMs, asked, way);
    ignored.push(...result.ignored);
    const next = wayAfter(way, result);
    const { transport } = way;
    if (next) way = next;
    else if (result.outcome.kind !== "truncated") return { transport, outcome: result.outcome, ignored };
    else return { transport, outcome: failureOf("malformed", "truncated over TCP"), ignored };
  }
};

const always: IsUrgent = () => true;

const serverKey = ({ address, port }: Server): string => `${address} ${port}`;

/**
 * A DNS client: every attempt has a socket, a port and an id of its own (RFC 5452), so that what comes late meets
 * nobody; a truncated answer is asked for again over TCP, and a server without EDNS without it; at most 8 questions at
 * once go to one server.
 */
export const dnsClient = (
  surroundings: DnsClientDependencies,
  { timeoutMs, attempts }: DnsClientOptions,
): SendQuery => {
  const inTurn = concurrencyLimiter(AT_ONCE, RESERVED);
  return (server, question, recursive, isUrgent = always) =>
    inTurn(serverKey(server), isUrgent, async () => {
      const asked = { server, question, recursive };
      const begin = surroundings.clock.now();
      let result = await askOnce(surroundings, timeoutMs, asked);
      const { ignored } = result;
      for (let left = attempts - 1; left > 0 && result.outcome.kind === "failure"; left -= 1) {
        result = await askOnce(surroundings, timeoutMs, asked);
        ignored.push(...result.ignored);
      }
      return { ...asked, ...result, ignored, milliseconds: surroundings.clock.now() - begin };
    });
};
