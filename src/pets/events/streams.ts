import { Fault } from "../../lib/errors.ts";
import { eventBatches, resetEvent } from "./batches.ts";
import type { PetEvents } from "./repository.ts";

/** How often a stream without news looks for some. */
const LOOK_MS = 25;
/** How long a client waits before it comes back. */
const RETRY_MS = 2000;

export interface StreamLimits {
  overall: number;
  ofKey: number;
  /** Between two signs of life, and looks at the key. */
  heartbeatMs: number;
}

export const STREAM_LIMITS: StreamLimits = { overall: 100, ofKey: 10, heartbeatMs: 15_000 };

/** Whoever reads a stream. */
export interface Reader {
  keyId: number;
  /** Asked before each page and at each heartbeat: a stream ends with its key, and tells it nothing more. */
  isAuthorized(): Promise<boolean>;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

export interface PetStreams {
  /**
   * Server-sent events of what happens to animals, behind the event `last`, or from now on.
   * @returns the stream, and when it has ended
   * @throws Fault rate_limited
   */
  open(reader: Reader, last: number | undefined): { body: ReadableStream<Uint8Array>; ended: Promise<void> };
  /** Ends all streams, those too that are yet to come. */
  stop(): void;
}

const encoder = new TextEncoder();

export const petStreams = ({
  events,
  fresh,
  version,
  limits = STREAM_LIMITS,
}: {
  events: PetEvents;
  /** Waits until the writes of other processes show in `version`. */
  fresh(): Promise<void>;
  /** Changes with every write. */
  version(): number;
  limits?: StreamLimits;
}): PetStreams => {
  /** What ends each stream. */
  const streams = new Map<() => void, number>();
  const waiting = new Set<() => void>();
  let looking: ReturnType<typeof setInterval> | undefined;
  let stopped = false;

  const wake = () => {
    const woken = [...waiting];
    waiting.clear();
    for (const go of woken) go();
  };
  let seen = -1;
  const look = async () => {
    await fresh();
    if (version() === seen) return;
    seen = version();
    wake();
  };

  const pageBehind = eventBatches({ events, version });

  const assertRoom = (keyId: number) => {
    const ofKey = [...streams.values()].filter((one) => one === keyId).length;
    if (streams.size < limits.overall && ofKey < limits.ofKey) return;
    throw new Fault(
      "rate_limited",
      `Too many streams are open: an API key may have ${limits.ofKey} at once, all together ${limits.overall}.`,
      { "retry-after": "10" },
    );
  };

  /** Where to go on, and what is said first. */
  const beginning = (given: number | undefined) => {
    const { oldest, newest } = events.bounds();
    const retry = `retry: ${RETRY_MS}\n`;
    // An id without data is remembered by the client, who shows nothing: it can come back before anything happened.
    if (given === undefined) return { last: newest, text: `${retry}id: ${newest}\n\n` };
    if (given <= newest && given >= oldest - 1) return { last: given, text: `${retry}\n` };
    return { last: newest, text: `${retry}\n${resetEvent(newest)}` };
  };

  const open: PetStreams["open"] = ({ keyId, isAuthorized, signal }, given) => {
    assertRoom(keyId);
    const start = beginning(given);
    let { last } = start;
    let first: Uint8Array | undefined = encoder.encode(start.text);
    let isDue = false;
    let isOver = false;
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let go: (() => void) | undefined;
    const { promise: ended, resolve: tellEnded } = Promise.withResolvers<void>();

    const leave = () => {
      isOver = true;
      streams.delete(end);
      clearInterval(beating);
      signal.removeEventListener("abort", end);
      if (streams.size === 0) clearInterval(looking);
      tellEnded();
    };
    const end = () => {
      if (isOver) return;
      leave();
      controller?.close();
      go?.();
    };
    const mayStill = () => isAuthorized().catch(() => true);
    const beat = async () => {
      isDue = true;
      go?.();
      if (!(await mayStill())) end();
    };
    const beating = setInterval(() => void beat(), limits.heartbeatMs);
    streams.set(end, keyId);
    if (streams.size === 1) looking = setInterval(() => void look(), LOOK_MS);
    signal.addEventListener("abort", end);
    if (stopped || signal.aborted) queueMicrotask(end);

    const next = async (): Promise<Uint8Array | undefined> => {
      if (first) {
        const text = first;
        first = undefined;
        return text;
      }
      const page = await pageBehind(last);
      if (page && !(await mayStill())) {
        end();
        return undefined;
      }
      if (page) last = page.last;
      else if (!isDue) return undefined;
      isDue = false;
      return page?.text ?? encoder.encode(":\n\n");
    };
    // Right behind a look that found nothing, so that no news falls in between.
    const news = () =>
      new Promise<void>((resolve) => {
        go = () => {
          waiting.delete(resolve);
          resolve();
        };
        waiting.add(resolve);
      });

    const body = new ReadableStream<Uint8Array>(
      {
        start(given) {
          controller = given;
        },
        // Asked only when the client has taken what went before: a slow one costs one page.
        async pull(to) {
          try {
            for (;;) {
              const bytes = await next();
              if (isOver) return undefined;
              if (bytes) return to.enqueue(bytes);
              await news();
            }
          } catch (error) {
            // What could not be read ends this stream alone: its client comes back.
            leave();
            throw error;
          }
        },
        cancel: leave,
      },
      { highWaterMark: 0 },
    );
    return { body, ended };
  };

  return {
    open,
    stop() {
      stopped = true;
      for (const end of streams.keys()) end();
    },
  };
};
