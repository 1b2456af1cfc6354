import { EngineUnavailable } from "./errors.ts";
import type { Head, Log } from "./log.ts";
import { isStorageFailure } from "../lib/storage-errors.ts";

/** How many requests for the head may be on their way. What comes meanwhile shares the next one. */
const MAX_REQUESTS = 4;
/** How long a response may take. */
const PATIENCE_MS = 3000;
/** How long it may take while the engine is known not to respond: requests of clients then fail at once. */
const AWAY_PATIENCE_MS = 500;
const NO_HEAD = "the cluster's engine did not say where the log ends";
/** How long the engine must have failed to count as away: a new leader is elected within that time. */
const AWAY_MS = 2000;

/** Rejects when the work takes longer than this. @param what what has not happened by then */
export const withPatience = <Result>(work: Promise<Result>, ms: number, what: string): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new EngineUnavailable(`${what} within ${ms} ms`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
};

/** Asks for the end of the log, and remembers since when the engine does not respond. */
export const headRequests = (log: Pick<Log, "head">) => {
  let requests = 0;
  let free: (() => void) | undefined;
  let next: Promise<Head | undefined> | undefined;
  let failing: { since: number; error: unknown } | undefined;

  const isAway = () => failing !== undefined && performance.now() - failing.since > AWAY_MS;

  const send = async (): Promise<Head | undefined> => {
    requests++;
    const sentAt = performance.now();
    try {
      const head = await withPatience(log.head(), PATIENCE_MS, NO_HEAD);
      failing = undefined;
      return head;
    } catch (error) {
      if (isStorageFailure(error)) failing = { since: failing?.since ?? sentAt, error };
      throw error;
    } finally {
      requests--;
      free?.();
    }
  };

  /** Sent as soon as another request ends. */
  const sendNext = (): Promise<Head | undefined> =>
    new Promise<void>((resolve) => (free = resolve)).then(() => {
      next = undefined;
      free = undefined;
      return send();
    });

  return {
    /** The end of the log, not older than this call. @throws EngineUnavailable */
    ask(): Promise<Head | undefined> {
      const request = requests < MAX_REQUESTS ? send() : (next ??= sendNext());
      return withPatience(request, isAway() ? AWAY_PATIENCE_MS : PATIENCE_MS, NO_HEAD);
    },
    /** True if the engine has not responded for a while. */
    isAway,
    /** The last failure, until the engine responds. */
    failure: () => failing?.error,
  };
};

export type HeadRequests = ReturnType<typeof headRequests>;
