import { clientNetwork } from "../../lib/client-address.ts";
import type { Clock } from "../../lib/time.ts";

/** Responses in a second to one address, or to one /64 network of IPv6. */
export const MAX_RESPONSES = 100;
/** Networks to count. In a flood from more networks, clients without a cookie must use TCP. */
const MAX_NETWORKS = 50_000;

/** How to respond to a query whose source address may be forged. */
export type Verdict = "answer" | "truncate" | "drop";

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

export type ResponseLimiter = ReturnType<typeof responseLimiter>;
