import { EngineUnavailable } from "../errors.ts";
import { type AttemptFailed, EngineUnanswered, firstWithin } from "./attempt.ts";
import { type EtcdSession, failureOf } from "./etcd-session.ts";

/** The members of etcd, and which of them to ask first. */
interface Members {
  readonly urls: readonly string[];
  /** The first in the order of the URL that is not avoided, and not one of `except`; else the one that failed longest ago. */
  pick(except?: ReadonlyMap<string, unknown>): string | undefined;
  /** Asks others first, until this one is healthy again. */
  avoid(url: string): void;
  close(): void;
}

const PROBE_MS = 2000;

/** @param isHealthy asks a member whether it can serve: it then has a leader */
const createMembers = (urls: readonly string[], isHealthy: (url: string) => Promise<boolean>): Members => {
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
    urls,
    pick: (except) =>
      urls.filter((url) => !except?.has(url)).toSorted((a, b) => failedAt(a) - failedAt(b))[0],
    avoid(url) {
      avoided.set(url, performance.now());
      timer ??= setTimeout(() => void probe(), PROBE_MS).unref();
    },
    close() {
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

/**
 * Each call asks one member, and another one too as soon as that fails or does not respond for a moment; the first response
 * counts. So every request must be one that can be carried out twice: a read, or a write after a comparison.
 */
export class EtcdGateway {
  readonly #session: EtcdSession;
  readonly #members: Members;
  readonly #closed = new AbortController();
  /** How long a call takes usually. */
  #usualMs = 0;

  constructor(session: EtcdSession) {
    this.#session = session;
    this.#members = createMembers(session.urls, session.isHealthy);
  }

  get urls(): readonly string[] {
    return this.#session.urls;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** @throws EngineUnavailable; EngineUnanswered if it may have been carried out */
  async call<Result>(path: string, body: object, patienceMs = PATIENCE_MS): Promise<Result> {
    const text = JSON.stringify(body);
    const end = performance.now() + patienceMs;
    const running = new Map<string, { attempt: Attempt; outcome: Promise<Outcome> }>();
    let failure: AttemptFailed | undefined;
    let mayHaveRun = false;
    try {
      while (performance.now() < end && !this.#closed.signal.aborted && failure?.remedy !== "give up") {
        // An attempt that is cut off may have been carried out: the last one has time for its response.
        if (failure && running.size === 0 && end - performance.now() < HEDGE_MS) break;
        const isAnswering = [...running.values()].some(({ attempt }) => attempt.isAnswering);
        const url = isAnswering ? undefined : this.#members.pick(running);
        if (url !== undefined) running.set(url, this.#start(url, path, text));
        const waitMs = Math.min(Math.max(HEDGE_MS, this.#usualMs * SLOWNESS), end - performance.now());
        const outcome = await firstWithin(
          [...running.values()].map(({ outcome }) => outcome),
          waitMs,
        );
        if (!outcome) continue;
        const { attempt, result } = outcome;
        running.delete(attempt.url);
        failure = outcome.failure;
        if (!failure) {
          this.#learn(attempt, [...running.values()]);
          return result as Result;
        }
        mayHaveRun ||= failure.mayHaveRun;
        await this.#mend(attempt, failure, running.size === 0);
      }
    } finally {
      for (const { attempt } of running.values()) attempt.stop.abort();
    }
    const message = `etcd: ${failure?.message ?? "no response in time"}`;
    throw mayHaveRun || running.size > 0 ? new EngineUnanswered(message) : new EngineUnavailable(message);
  }

  /** One attempt at one member, for requests that must not run twice at the same time. @throws AttemptFailed */
  async ask<Result>(
    path: string,
    body: object,
    limitMs: number,
    url = this.#members.pick(),
  ): Promise<Result> {
    try {
      const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(limitMs)]);
      const response = await this.#session.post(url ?? "", path, JSON.stringify(body), signal);
      return (await response.json()) as Result;
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Iterates once for each chunk of a stream, until it ends, or nothing comes for `silenceMs`. @throws AttemptFailed */
  async *stream(path: string, body: object, silenceMs: number, signal: AbortSignal): AsyncIterable<void> {
    const url = this.#members.pick() ?? "";
    const token = this.#session.token();
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), silenceMs);
    try {
      const any = AbortSignal.any([signal, stop.signal, this.#closed.signal]);
      const response = await this.#session.post(url, path, JSON.stringify(body), any);
      for await (const _ of response.body ?? []) {
        timer.refresh();
        yield;
      }
    } catch (error) {
      if (signal.aborted || stop.signal.aborted || this.#closed.signal.aborted) return;
      const failure = failureOf(error);
      await this.#mend({ url, token }, failure, true);
      throw failure;
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  close(): void {
    this.#closed.abort();
    this.#members.close();
    this.#session.close();
  }

  #start(url: string, path: string, text: string): { attempt: Attempt; outcome: Promise<Outcome> } {
    const attempt: Attempt = {
      url,
      startedAt: performance.now(),
      token: this.#session.token(),
      stop: new AbortController(),
      isAnswering: false,
    };
    return { attempt, outcome: this.#run(attempt, path, text) };
  }

  async #run(attempt: Attempt, path: string, text: string): Promise<Outcome> {
    const { url, stop } = attempt;
    const limitMs = Math.min(MAX_ATTEMPT_MS, Math.max(ATTEMPT_MS, this.#usualMs * SLOWNESS * 2));
    let timer = setTimeout(() => stop.abort(new Error("no response in time")), limitMs);
    try {
      const response = await this.#session.post(url, path, text, stop.signal);
      attempt.isAnswering = true;
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(new Error("the response did not end in time")), BODY_MS);
      return { attempt, result: await response.json() };
    } catch (error) {
      return { attempt, failure: failureOf(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  #learn({ startedAt }: Attempt, others: readonly { attempt: Attempt }[]): void {
    this.#usualMs += (performance.now() - startedAt - this.#usualMs) / 16;
    for (const { attempt } of others) if (attempt.startedAt < startedAt) this.#members.avoid(attempt.url);
  }

  async #mend(
    { url, token }: Pick<Attempt, "url" | "token">,
    { remedy }: AttemptFailed,
    isLast: boolean,
  ): Promise<void> {
    if (remedy === "authenticate") this.#session.forgetToken(token);
    if (remedy === "retry") this.#members.avoid(url);
    if (remedy !== "give up" && isLast) await Bun.sleep(PAUSE_MS);
  }
}
