import type { Clock } from "../../lib/time.ts";
import { type IsUrgent, keyedLimiter } from "../../lib/limiter.ts";
import { printable } from "../../lib/text.ts";
import {
  type Answer,
  encodeQuery,
  lacksEdns,
  type Question,
  readMessage,
  type RejectReason,
  MAX_UDP_BYTES,
} from "./message.ts";
import type { Server } from "../../lib/name-server.ts";
import type { Network } from "./network.ts";

export type FailureKind =
  | "timeout"
  | "refused"
  | "network"
  | "malformed"
  | "spoofed"
  | "oversized"
  /** The address must not be queried, and was not. */
  | "forbidden";

export interface Failure {
  kind: "failure";
  failure: FailureKind;
  detail: string;
}

/** A question for one server. */
export interface Query {
  server: Server;
  question: Question;
  /** RD (RFC 1035 section 4.1.1): asks the server to resolve names outside its own zones. */
  recursive: boolean;
}

/** The transport of an answer or failure, and the packets that were rejected before it. */
interface Result {
  transport: "udp" | "tcp";
  outcome: Answer | Failure;
  ignored: RejectReason[];
}

export interface DnsClientDependencies {
  network: Network;
  /** Cryptographically random bytes. */
  randomBytes: (count: number) => Uint8Array;
  clock: Clock;
}

/** A flood of rejected packets ends the attempt. */
const MAX_REJECTED = 32;
/** A larger message is not parsed: its name compression could take seconds. */
const MAX_TCP_BYTES = 16_384;

const FAILURE_OF: Record<RejectReason, FailureKind> = {
  wrong_id: "spoofed",
  wrong_question: "spoofed",
  not_a_response: "spoofed",
  malformed: "malformed",
  oversized: "oversized",
};

interface Mode {
  transport: Result["transport"];
  edns: boolean;
}

interface Attempt {
  outcome: Answer | Failure | { kind: "truncated" };
  ignored: RejectReason[];
}

const failureOf = (failure: FailureKind, detail: string): Failure => ({ kind: "failure", failure, detail });

/** Silence is a timeout; after rejected packets, the last of them names the failure. */
const timeoutFailure = (ignored: RejectReason[], timeoutMs: number): Failure => {
  const last = ignored.at(-1);
  const detail = `no answer within ${timeoutMs} ms`;
  return last ? failureOf(FAILURE_OF[last], `${detail}, but: ${last}`) : failureOf("timeout", detail);
};

const attempt = (
  { network, randomBytes }: DnsClientDependencies,
  timeoutMs: number,
  { server, question, recursive }: Query,
  { transport, edns }: Mode,
): Promise<Attempt> => {
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  const id = Buffer.from(randomBytes(2)).readUInt16BE(0);
  const maxBytes = transport === "udp" ? MAX_UDP_BYTES : MAX_TCP_BYTES;
  const maxRejected = transport === "udp" ? MAX_REJECTED : 1;
  const ignored: RejectReason[] = [];
  const end = (outcome: Attempt["outcome"]) => {
    clearTimeout(timer);
    channel.close();
    resolve({ outcome, ignored });
  };
  const reject = (reason: RejectReason) => {
    ignored.push(reason);
    if (ignored.length >= maxRejected) end(failureOf(FAILURE_OF[reason], `not an answer: ${reason}`));
  };
  const timer = setTimeout(() => end(timeoutFailure(ignored, timeoutMs)), timeoutMs);
  // The network calls no callback before it has returned `channel`.
  const channel = network[transport](server, encodeQuery(question, id, { recursive, edns }), {
    onMessage(packet) {
      if (packet.length > maxBytes) return reject("oversized");
      const message = readMessage(packet, question, id);
      if (message.kind === "rejected") return reject(message.reason);
      // RFC 7766: no other transport is left after TCP.
      if (message.kind === "truncated" && transport === "tcp") return reject("malformed");
      end(message);
    },
    onError: (code) => end(failureOf(code === "ECONNREFUSED" ? "refused" : "network", code)),
  });
  return promise;
};

/** The mode of the next attempt: first TCP, then without EDNS. Four attempts at most. */
const nextMode = ({ transport, edns }: Mode, { outcome }: Attempt): Mode | undefined => {
  if (outcome.kind === "truncated" && transport === "udp") return { transport: "tcp", edns };
  return edns && lacksEdns(outcome) ? { transport, edns: false } : undefined;
};

/** Sends a query over UDP, over TCP after a truncated answer (RFC 7766 section 5), and without EDNS if the server lacks it. */
export const exchange = async (
  dependencies: DnsClientDependencies,
  timeoutMs: number,
  query: Query,
): Promise<Result> => {
  const ignored: RejectReason[] = [];
  let mode: Mode = { transport: "udp", edns: true };
  for (;;) {
    const result = await attempt(dependencies, timeoutMs, query, mode);
    ignored.push(...result.ignored);
    const next = nextMode(mode, result);
    const { transport } = mode;
    if (next) mode = next;
    else if (result.outcome.kind !== "truncated") return { transport, outcome: result.outcome, ignored };
    else return { transport, outcome: failureOf("malformed", "truncated over TCP"), ignored };
  }
};

/** A query, its outcome, and how long it took. */
export interface Exchange extends Query, Result {
  milliseconds: number;
}

/** Asks one question; never rejects. Urgent queries go first; without `isUrgent` a query is urgent. */
export type SendQuery = (
  server: Server,
  question: Question,
  recursive: boolean,
  isUrgent?: IsUrgent,
) => Promise<Exchange>;

export interface DnsClientOptions {
  /** Milliseconds for the first attempt; each retry may take twice as long as the previous attempt. */
  timeoutMs: number;
  /** How often a query is sent to a server that does not answer. */
  attempts: number;
}

/** Concurrent queries to one server. */
const MAX_CONCURRENT = 8;
/** Of these, for urgent queries: silent servers of other domains must not delay them. */
const RESERVED_FOR_URGENT = 3;

/**
 * A DNS client. Every attempt has its own socket, port and id (RFC 5452), so late packets are lost. One server gets at most 8
 * concurrent queries.
 */
export const dnsClient = (
  dependencies: DnsClientDependencies,
  { timeoutMs, attempts }: DnsClientOptions,
): SendQuery => {
  const limit = keyedLimiter<string>(MAX_CONCURRENT, RESERVED_FOR_URGENT);
  const { clock } = dependencies;
  const send = async (query: Query): Promise<Exchange> => {
    const startedAt = clock.now();
    let result = await exchange(dependencies, timeoutMs, query);
    const { ignored } = result;
    for (let tried = 1; tried < attempts && result.outcome.kind === "failure"; tried += 1) {
      result = await exchange(dependencies, timeoutMs * 2 ** tried, query);
      ignored.push(...result.ignored);
    }
    return { ...query, ...result, ignored, milliseconds: clock.now() - startedAt };
  };
  return (server, question, recursive, isUrgent) =>
    limit(`${server.address} ${server.port}`, () => send({ server, question, recursive }), isUrgent);
};

/** RFC 8914 section 4: the findings of a validating resolver. */
const DNSSEC_ERRORS: Readonly<Record<number, string>> = {
  6: "DNSSEC bogus",
  7: "a signature has expired",
  8: "a signature is not valid yet",
  9: "the DNSKEY is missing",
  10: "signatures are missing",
  11: "no key has the zone key bit",
  12: "the NSEC record is missing",
};

/** Why DNSSEC forbids the records, as the resolver explains it; undefined if it names no such reason. */
export const dnssecErrorOf = ({ outcome }: Exchange): string | undefined => {
  if (outcome.kind === "failure" || outcome.rcode !== "SERVFAIL") return undefined;
  const error = outcome.extendedErrors?.find(({ code }) => DNSSEC_ERRORS[code] !== undefined);
  if (!error) return undefined;
  const text = error.text === "" ? "" : `: ${printable(error.text, 100)}`;
  return `${DNSSEC_ERRORS[error.code]}${text}`;
};
