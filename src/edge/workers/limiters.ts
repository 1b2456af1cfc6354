import { Fault, type FaultCode } from "../../lib/errors.ts";
import type { Rate, RateLimiter } from "../../lib/rate-limiter.ts";
import type { Channel } from "./channel.ts";

/** The limiters of the owner, which count for all workers. */
export type Limiters = Readonly<Record<"requests" | "failures", RateLimiter>>;

interface TakeRequest {
  limiter: keyof Limiters;
  client: string;
  rate: Rate;
}

/** The result or the error of a limiter's `take`. */
type TakeResult =
  | { headers: Record<string, string> }
  | { code: FaultCode; message: string; headers: Readonly<Record<string, string>> };

/** In the owner: responds to the limiters of its workers. */
export const takeFor =
  (limiters: Limiters) =>
  async ({ limiter, client, rate }: TakeRequest): Promise<TakeResult> => {
    try {
      return { headers: await limiters[limiter].take(client, rate) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { code, message, headers } = error;
      return { code, message, headers };
    }
  };

const limiterOf = (owner: Channel, limiter: keyof Limiters): RateLimiter => ({
  async take(client: string, rate: Rate) {
    const request: TakeRequest = { limiter, client, rate };
    const result = await owner.ask<TakeResult>("take", request);
    if ("code" in result) throw new Fault(result.code, result.message, result.headers);
    return result.headers;
  },
});

/** In a worker: limiters that count in the owner. */
export const limitersOf = (owner: Channel): Limiters => ({
  requests: limiterOf(owner, "requests"),
  failures: limiterOf(owner, "failures"),
});
