import type { Exchange, FailureKind, SendQuery } from "./client.ts";
import { isUsable, type Resolve } from "./cname-chain.ts";
import type { Server } from "./network.ts";

/** A query that fails without being sent. */
export const failWithoutSending =
  (failure: FailureKind, detail: string): SendQuery =>
  async (server, question, recursive) => ({
    server,
    question,
    recursive,
    transport: "udp",
    outcome: { kind: "failure", failure, detail },
    milliseconds: 0,
    ignored: [],
  });

const skipSilent = failWithoutSending("timeout", "it was silent about this name before, so it was not asked");
const skipLate = failWithoutSending("timeout", "the check had waited for too long, so it was not asked");

/**
 * Sends a server no more queries about a name after a timeout: each timeout occupies a slot for seconds. So the first query
 * goes alone, and concurrent ones wait for its outcome.
 */
export const skipSilentServers = (send: SendQuery): SendQuery => {
  const firstQueries = new Map<string, Promise<unknown>>();
  const silent = new Set<string>();
  return async (...query) => {
    const [{ address, port }, { name }] = query;
    const key = `${address} ${port} ${name}`;
    const sendAndNote = async () => {
      const exchange = await send(...query);
      const { outcome } = exchange;
      if (outcome.kind === "failure" && outcome.failure === "timeout") silent.add(key);
      return exchange;
    };
    const first = firstQueries.get(key);
    if (first) {
      await first;
      return silent.has(key) ? skipSilent(...query) : sendAndNote();
    }
    const exchange = sendAndNote();
    firstQueries.set(key, exchange);
    return exchange;
  };
};

/** Sends the same query once, records every exchange, and sends no more once they have waited `maxWaitMs` in all. */
export const recordExchanges = (send: SendQuery, maxWaitMs: number) => {
  const exchanges: Exchange[] = [];
  const sent = new Map<string, Promise<Exchange>>();
  let waitedMs = 0;
  const record: SendQuery = async (...query) => {
    const exchange = await (waitedMs < maxWaitMs ? send : skipLate)(...query);
    waitedMs += exchange.milliseconds;
    exchanges.push(exchange);
    return exchange;
  };
  const sendOnce: SendQuery = (...query) => {
    const [server, question, recursive] = query;
    const key = JSON.stringify([server, question, recursive]);
    const exchange = sent.get(key) ?? record(...query);
    sent.set(key, exchange);
    return exchange;
  };
  return { send: sendOnce, exchanges };
};

/**
 * Asks one server after the other until one has a usable answer. If none does, it returns the last exchange.
 * @param servers at least one
 * @param isRecursive false for authoritative servers
 */
export const firstUsable = (send: SendQuery, servers: Server[], isRecursive = true): Resolve => {
  let order = servers;
  return async (question) => {
    let last: Exchange | undefined;
    for (const server of order) {
      last = await send(server, question, isRecursive);
      if (isUsable(last)) return last;
      // A server that failed is queried again only if no other has an answer.
      if (last.outcome.kind === "failure") order = [...order.filter((one) => one !== server), server];
    }
    if (!last) throw new Error("no server");
    return last;
  };
};
