import { type DatabaseUrl, describeHost } from "../../../lib/database-url.ts";
import { reasonOf } from "../../../lib/reason.ts";
import {
  AttemptFailed,
  BAD_CERTIFICATE,
  EngineUnanswered,
  firstWithin,
  type Refusal,
  refused,
} from "./attempt.ts";
import { EngineFull, EngineUnavailable, type PemFiles } from "../log.ts";

/** Bun's codes of errors from before a request was sent. */
const NOT_SENT =
  /^(ConnectionRefused|FailedToOpenSocket|DNSResolveFailed|ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/;

const failureOf = (error: unknown): AttemptFailed => {
  if (error instanceof AttemptFailed) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (BAD_CERTIFICATE.test(code)) return new AttemptFailed(`the certificate is refused: ${code}`, false);
  if (NOT_SENT.test(code)) return new AttemptFailed("cannot be reached", false);
  return new AttemptFailed(reasonOf(error), true);
};

const FULL = /database space exceeded/;

/** Refusals that mean that nothing was carried out: https://github.com/etcd-io/etcd/blob/main/api/v3rpc/rpctypes/error.go */
const REFUSALS: readonly Refusal[] = [
  { match: /invalid auth token|revision in header is old/, remedy: "authenticate" },
  {
    match: FULL,
    remedy: "give up",
    advice: "adoption-store cluster status shows the commands that free space",
  },
  { match: /too many requests/, remedy: "retry" },
  {
    match: /permission denied/,
    remedy: "give up",
    advice: "grant the user's role readwrite on the prefix",
  },
  { match: /user name is empty/, remedy: "give up", advice: "put USER:PASSWORD@ into DATABASE_URL" },
  {
    match: /authentication is not enabled/,
    remedy: "give up",
    advice: "enable it, or remove the user and the password from DATABASE_URL",
  },
  // Another node may have compacted further.
  { match: /authentication failed|request is too large|revision has been compacted/, remedy: "give up" },
];

/** @param text a member's response instead of a result */
const messageIn = (text: string): string | undefined => {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    const found = message ?? error;
    return typeof found === "string" ? found.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
};

const HEALTH_MS = 1000;
/**
 * A member waits until it has reached the index in a token. After a restore, that of an earlier token is ahead, and every request
 * times out: https://github.com/etcd-io/etcd/blob/main/server/auth/simple_token.go
 */
const MAX_TIMEOUTS = 3;
/** The server hashes the password slowly. */
const AUTHENTICATION_MS = 2000;

/** Requests to members of etcd by its JSON gateway: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/ */
export const openSession = ({ hosts, credentials }: DatabaseUrl, tls: PemFiles | undefined) => {
  const session = new Bun.FetchSession({ ...(tls && { tls }), proxy: false });
  let token: Promise<string> | undefined;
  let timeouts = 0;

  const send = async (url: string, path: string, body: string, headers: object, signal: AbortSignal) => {
    try {
      const options = { method: "POST", body, headers: { ...headers }, redirect: "error", signal } as const;
      const response = await session.fetch(`${url}/v3/${path}`, options);
      if (response.ok) return response;
      const reason = messageIn(await response.text()) ?? `HTTP status ${response.status}`;
      throw refused(REFUSALS, reason, reason);
    } catch (error) {
      throw failureOf(error);
    }
  };

  const authenticate = async (url: string): Promise<string> => {
    const body = JSON.stringify({ name: credentials?.user, password: credentials?.password });
    const signal = AbortSignal.timeout(AUTHENTICATION_MS);
    const response = await send(url, "auth/authenticate", body, {}, signal);
    return ((await response.json()) as { token: string }).token;
  };

  const tokenFrom = (url: string): Promise<string> => {
    if (token) return token;
    const next = authenticate(url);
    token = next;
    next.catch(() => {
      if (token === next) token = undefined;
    });
    return next;
  };

  return {
    /** The members, as origins. */
    urls: hosts.map((host) => `${tls ? "https" : "http"}://${describeHost(host)}`),
    /** @returns the response, whose status is 200 @throws AttemptFailed */
    async post(url: string, path: string, body: string, signal: AbortSignal): Promise<Response> {
      // A watch at a member that has lost its leader ends.
      const headers = { "grpc-metadata-hasleader": "true" };
      const authorization = credentials && { authorization: await tokenFrom(url) };
      return send(url, path, body, { ...headers, ...authorization }, signal);
    },
    /** Whether a member can serve: it then has a leader. */
    async isHealthy(url: string): Promise<boolean> {
      try {
        const response = await session.fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
        return /"health"\s*:\s*"?true/.test(await response.text());
      } catch {
        return false;
      }
    },
    /** The quota in a member's metrics: etcd 3.4 reports it nowhere else. */
    async quota(url: string): Promise<number | undefined> {
      try {
        const response = await session.fetch(`${url}/metrics`, { signal: AbortSignal.timeout(HEALTH_MS) });
        const [, bytes] = /^etcd_server_quota_backend_bytes (\S+)/m.exec(await response.text()) ?? [];
        return bytes === undefined ? undefined : Number(bytes);
      } catch {
        return undefined;
      }
    },
    /** The next request authenticates again. @param used the token that was refused */
    forgetToken(used: unknown): void {
      if (token === used) token = undefined;
    },
    /** Reports whether a request with a token got a response in time. @param used the token */
    noteResponse(used: unknown, isInTime: boolean): void {
      if (used === undefined || used !== token) return;
      timeouts = isInTime ? 0 : timeouts + 1;
      if (timeouts < MAX_TIMEOUTS) return;
      timeouts = 0;
      token = undefined;
    },
    /** Changes with each authentication. */
    token: (): unknown => token,
    close: (): void => session.close(),
  };
};

type EtcdSession = ReturnType<typeof openSession>;

const PROBE_MS = 2000;

/** The members of etcd, and which of them to ask first. */
const membersOf = ({ urls, isHealthy }: EtcdSession) => {
  /** When they failed. */
  const avoided = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const probe = async (): Promise<void> => {
    await Promise.all(
      [...avoided.keys()].map(async (url) => {
        if (await isHealthy(url)) avoided.delete(url);
      }),
    );
    if (avoided.size > 0) timer?.refresh();
    else timer = undefined;
  };
  const failedAt = (url: string): number => avoided.get(url) ?? 0;

  return {
    /** The first in the order of the URL that is not avoided, and not one of `except`; else the one that failed longest ago. */
    pick: (except?: ReadonlyMap<string, unknown>): string | undefined =>
      urls.filter((url) => !except?.has(url)).toSorted((a, b) => failedAt(a) - failedAt(b))[0],
    /** Asks others first, until this one is healthy again. */
    avoid(url: string): void {
      avoided.set(url, performance.now());
      timer ??= setTimeout(() => void probe(), PROBE_MS).unref();
    },
    close(): void {
      clearTimeout(timer);
      avoided.clear();
    },
  };
};

/** Longer than an election takes. */
const PATIENCE_MS = 5000;
/** Another member is asked when one has not responded for so long, or for a few times as long as usual. */
const HEDGE_MS = 300;
const ATTEMPT_MS = 700;
const SLOWNESS = 5;
const MAX_ATTEMPT_MS = 2500;
/** The rest of a response, after its beginning. */
const BODY_MS = 10_000;
const PAUSE_MS = 50;

interface Attempt {
  readonly url: string;
  readonly startedAt: number;
  readonly token: unknown;
  readonly stop: AbortController;
  isAnswering: boolean;
}

interface Outcome {
  readonly attempt: Attempt;
  readonly result?: unknown;
  readonly failure?: AttemptFailed;
}

/** From `key`, up to and without `range_end`. */
export interface KeyRange {
  key: string;
  range_end: string;
}

/** A key and its value in the gateway's responses; numbers of 64 bits are text. */
interface KeyValue {
  key: string;
  value?: string;
  lease?: string;
}

interface RangeRequest extends Partial<KeyRange> {
  key: string;
  keys_only?: boolean;
  limit?: string;
  sort_order?: "ASCEND";
  sort_target?: "CREATE";
}

interface Range {
  header: { revision: string };
  kvs?: KeyValue[];
  more?: boolean;
}

interface TransactionRequest {
  compare?: object[];
  success: object[];
  failure?: object[];
}

interface TransactionResponse {
  succeeded?: boolean;
  responses?: { response_range?: Range }[];
}

/**
 * Each call asks one member, and another one too as soon as that fails or does not respond for a moment; the first response
 * counts. So every request must be one that can be carried out twice: a read, or a write after a comparison.
 */
export const etcdGateway = (session: EtcdSession) => {
  const members = membersOf(session);
  const closed = new AbortController();
  let usualMs = 0;

  const run = async (attempt: Attempt, path: string, text: string): Promise<Outcome> => {
    const { url, stop, token } = attempt;
    const limitMs = Math.min(MAX_ATTEMPT_MS, Math.max(ATTEMPT_MS, usualMs * SLOWNESS * 2));
    const onTimeout = () => {
      stop.abort(new Error("no response in time"));
      session.noteResponse(token, false);
    };
    let timer = setTimeout(onTimeout, limitMs);
    try {
      const response = await session.post(url, path, text, stop.signal);
      attempt.isAnswering = true;
      session.noteResponse(token, true);
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(new Error("the response did not end in time")), BODY_MS);
      return { attempt, result: await response.json() };
    } catch (error) {
      return { attempt, failure: failureOf(error) };
    } finally {
      clearTimeout(timer);
    }
  };

  const start = (url: string, path: string, text: string) => {
    const [startedAt, token, stop] = [performance.now(), session.token(), new AbortController()];
    const attempt: Attempt = { url, startedAt, token, stop, isAnswering: false };
    return Object.assign(attempt, { outcome: run(attempt, path, text) });
  };

  /** A member that was asked earlier, and has not responded, is avoided. */
  const learn = ({ startedAt }: Attempt, others: Iterable<Attempt>): void => {
    usualMs += (performance.now() - startedAt - usualMs) / 16;
    for (const other of others) if (other.startedAt < startedAt) members.avoid(other.url);
  };

  const recover = async (
    { url, token }: Pick<Attempt, "url" | "token">,
    { remedy }: AttemptFailed,
    isLast: boolean,
  ): Promise<void> => {
    if (remedy === "authenticate") session.forgetToken(token);
    if (remedy === "retry") members.avoid(url);
    if (remedy !== "give up" && isLast) await Bun.sleep(PAUSE_MS);
  };

  /** @throws EngineUnavailable; EngineUnanswered if it may have been carried out */
  const call = async <Result>(path: string, body: object, patienceMs = PATIENCE_MS): Promise<Result> => {
    const text = JSON.stringify(body);
    const end = performance.now() + patienceMs;
    const running = new Map<string, ReturnType<typeof start>>();
    let failure: AttemptFailed | undefined;
    let mayHaveRun = false;
    try {
      while (performance.now() < end && !closed.signal.aborted && failure?.remedy !== "give up") {
        // An attempt that is cut off may have been carried out: the last one has time for its response.
        if (failure && running.size === 0 && end - performance.now() < HEDGE_MS) break;
        const isAnswering = [...running.values()].some((attempt) => attempt.isAnswering);
        const url = isAnswering ? undefined : members.pick(running);
        if (url !== undefined) running.set(url, start(url, path, text));
        const waitMs = Math.min(Math.max(HEDGE_MS, usualMs * SLOWNESS), end - performance.now());
        const outcomes = [...running.values()].map(({ outcome }) => outcome);
        const outcome = await firstWithin(outcomes, waitMs);
        if (!outcome) continue;
        const { attempt, result } = outcome;
        running.delete(attempt.url);
        failure = outcome.failure;
        if (!failure) {
          learn(attempt, running.values());
          return result as Result;
        }
        mayHaveRun ||= failure.mayHaveRun;
        await recover(attempt, failure, running.size === 0);
      }
    } finally {
      for (const { stop } of running.values()) stop.abort();
    }
    const message = `etcd: ${failure?.message ?? "no response in time"}`;
    if (FULL.test(message) && !mayHaveRun && running.size === 0) throw new EngineFull(message);
    throw mayHaveRun || running.size > 0 ? new EngineUnanswered(message) : new EngineUnavailable(message);
  };

  return {
    urls: session.urls,
    quota: session.quota,
    isClosed: () => closed.signal.aborted,
    call,
    range: (request: RangeRequest, patienceMs?: number): Promise<Range> =>
      call<Range>("kv/range", request, patienceMs),
    /** The value of a key, in base64. */
    async value(key: string): Promise<string | undefined> {
      const { kvs } = await call<Range>("kv/range", { key });
      return kvs?.[0] && (kvs[0].value ?? "");
    },
    async transaction(request: TransactionRequest): Promise<{ succeeded: boolean; found: KeyValue[][] }> {
      const { succeeded = false, responses = [] } = await call<TransactionResponse>("kv/txn", request);
      return { succeeded, found: responses.map(({ response_range }) => response_range?.kvs ?? []) };
    },
    /** One attempt at one member. @throws AttemptFailed */
    async ask<Result>(url: string, path: string, body: object, limitMs: number): Promise<Result> {
      try {
        const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(limitMs)]);
        const response = await session.post(url, path, JSON.stringify(body), signal);
        return (await response.json()) as Result;
      } catch (error) {
        throw failureOf(error);
      }
    },
    /** Iterates once for each chunk of a stream, until it ends, or nothing comes for `silenceMs`. @throws AttemptFailed */
    async *stream(path: string, body: object, silenceMs: number, signal: AbortSignal): AsyncIterable<void> {
      const url = members.pick() ?? "";
      const token = session.token();
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort(), silenceMs);
      const any = AbortSignal.any([signal, stop.signal, closed.signal]);
      try {
        const response = await session.post(url, path, JSON.stringify(body), any);
        for await (const _ of response.body ?? []) {
          timer.refresh();
          yield;
        }
      } catch (error) {
        if (any.aborted) return;
        const failure = failureOf(error);
        await recover({ url, token }, failure, true);
        throw failure;
      } finally {
        clearTimeout(timer);
        stop.abort();
      }
    },
    close(): void {
      closed.abort();
      members.close();
      session.close();
    },
  };
};

export type EtcdGateway = ReturnType<typeof etcdGateway>;
