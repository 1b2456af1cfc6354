import type { Clock } from "../../lib/time.ts";
import { exchange, type ExchangeDependencies, type Query, type Result } from "./exchange.ts";
import { concurrencyLimiter, type IsUrgent } from "./limiter.ts";
import type { Question } from "./message.ts";
import type { Server } from "./network.ts";

export type { Failure, FailureKind } from "./exchange.ts";

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

export interface DnsClientDependencies extends ExchangeDependencies {
  clock: Clock;
}

/** Concurrent queries to one server. */
const MAX_CONCURRENT = 8;
/** Of these, for urgent queries: silent servers of other domains must not delay them. */
const RESERVED_FOR_URGENT = 3;

const always: IsUrgent = () => true;

/**
 * A DNS client. Every attempt has its own socket, port and id (RFC 5452), so late packets are lost. At most 8 queries at once go
 * to one server.
 */
export const dnsClient = (
  dependencies: DnsClientDependencies,
  { timeoutMs, attempts }: DnsClientOptions,
): SendQuery => {
  const limit = concurrencyLimiter(MAX_CONCURRENT, RESERVED_FOR_URGENT);
  const { clock } = dependencies;
  return (server, question, recursive, isUrgent = always) =>
    limit(`${server.address} ${server.port}`, isUrgent, async () => {
      const query = { server, question, recursive };
      const startedAt = clock.now();
      let result = await exchange(dependencies, timeoutMs, query);
      const { ignored } = result;
      for (let tried = 1; tried < attempts && result.outcome.kind === "failure"; tried += 1) {
        result = await exchange(dependencies, timeoutMs * 2 ** tried, query);
        ignored.push(...result.ignored);
      }
      return { ...query, ...result, ignored, milliseconds: clock.now() - startedAt };
    });
};
