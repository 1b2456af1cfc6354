import { ApiError, errorOf } from "./api-error.ts";
import { parseExactly } from "./exact.ts";
import { isOutcomeUnknown, retryDelay } from "./retry.ts";
import { deadline, wait } from "./wait.ts";

/** The parts of `fetch` that are used. */
export type Fetch = (url: string, init: OutgoingInit) => Promise<Response>;

/** A body that can be sent again. */
export type Body = string | Blob;

export interface OutgoingInit {
  method: string;
  headers: Headers;
  body?: Body;
  signal: AbortSignal;
}

export interface Outgoing extends Omit<OutgoingInit, "signal"> {
  url: string;
}

/** Why a request is sent again, and when. */
export interface Retry {
  error: ApiError;
  /** The attempts that have failed. */
  failures: number;
  delayMs: number;
}

export interface TransportOptions {
  /** Sends a request. By default the global `fetch`. */
  fetch?: Fetch;
  /** How often a failed request is sent again, at most. Default: 5. */
  maxRetries?: number;
  /** Milliseconds for one attempt, with its body; 0 for no limit. Default: 30,000. */
  timeoutMs?: number;
  /** Called before each wait for another attempt. */
  onRetry?: (retry: Retry) => void;
  /** Called with each error that is about to be thrown. */
  onError?: (error: ApiError) => void;
}

export interface SendOptions {
  /** Ends the request and its retries. */
  signal?: AbortSignal | undefined;
  /** Overrides the client's. */
  timeoutMs?: number | undefined;
}

/** A response with its body, as a value if it is JSON. */
export interface Reply<Data> {
  data: Data;
  response: Response;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 5;

const globalFetch: Fetch = (url, init) => fetch(url, init);

const unreachable = (cause: unknown): ApiError =>
  new ApiError(0, "unreachable", "The server did not respond. Check its address and your connection.", {
    cause,
  });

const timedOut = (ms: number): ApiError =>
  new ApiError(0, "timeout", `The server did not respond within ${ms} ms.`);

const dataOf = (response: Response, text: string): unknown => {
  if (text === "") return undefined;
  if (!/[/+]json\b/.test(response.headers.get("content-type") ?? "")) return text;
  try {
    return parseExactly(text);
  } catch (cause) {
    throw new ApiError(response.status, "unreadable", "The response is not JSON.", { cause });
  }
};

/** One attempt, with the body: a connection may break in the middle of it. @throws ApiError */
const attempt = async (
  send: Fetch,
  { url, headers, ...rest }: Outgoing,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: SendOptions,
): Promise<Reply<unknown>> => {
  signal?.throwIfAborted();
  const limit = deadline(timeoutMs, signal);
  try {
    const response = await send(url, { ...rest, headers: new Headers(headers), signal: limit.signal });
    const text = await response.text();
    if (!response.ok) throw errorOf(response, text);
    return { data: dataOf(response, text), response };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApiError) throw error;
    throw limit.hasExpired() ? timedOut(timeoutMs) : unreachable(error);
  } finally {
    limit.clear();
  }
};

/** An earlier attempt has deleted it, but its response was lost. */
const wasDeleted = ({ method }: Outgoing, error: ApiError, isDoubtful: boolean): boolean =>
  method === "DELETE" && error.status === 404 && isDoubtful;

/** Sends requests, and retries after failures that another attempt may resolve. */
export const createTransport = (options: TransportOptions) => {
  const { fetch: send = globalFetch, maxRetries = DEFAULT_MAX_RETRIES, onRetry, onError } = options;

  const fail = (error: unknown): never => {
    if (error instanceof ApiError) onError?.(error);
    throw error;
  };

  return {
    /** @throws ApiError, or the reason of the signal */
    async request(outgoing: Outgoing, sending: SendOptions = {}): Promise<Reply<unknown>> {
      const limits = { timeoutMs: sending.timeoutMs ?? options.timeoutMs, signal: sending.signal };
      let isDoubtful = false;
      for (let failures = 1; ; failures++)
        try {
          return await attempt(send, outgoing, limits);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (wasDeleted(outgoing, error, isDoubtful))
            return { data: undefined, response: new Response(null, { status: 204 }) };
          const delayMs = failures > maxRetries ? undefined : retryDelay(outgoing, error, failures);
          if (delayMs === undefined) return fail(error);
          isDoubtful ||= isOutcomeUnknown(error);
          onRetry?.({ error, failures, delayMs });
          await wait(delayMs, sending.signal);
        }
    },
    /** Opens a response whose body is read as it comes. It is not retried. @throws ApiError, or the reason of the signal */
    async open({ url, ...init }: Outgoing, signal: AbortSignal): Promise<Response> {
      const response = await send(url, { ...init, signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw unreachable(error);
      });
      if (!response.ok) throw errorOf(response, await response.text());
      return response;
    },
  };
};

export type Transport = ReturnType<typeof createTransport>;
