import { Fault } from "../../http/faults.ts";
import { fromPet } from "../model.ts";
import type { PetEvent, PetEvents } from "./repository.ts";

/** Events that are read at once. */
const PAGE = 200;
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
  /** Asked at each heartbeat: a stream ends with its key. */
  mayGoOn(): Promise<boolean>;
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

const dataOf = ({ kind, petId, pet }: PetEvent) =>
  JSON.stringify(kind === "deleted" || !pet ? { id: petId } : fromPet(pet));

const textOf = (event: PetEvent): string =>
  `id: ${event.id}\nevent: ${event.kind}\ndata: ${dataOf(event)}\n\n`;

const RESET = JSON.stringify({
  message: "Events are missing between your last one and the next: list the animals anew.",
});

const resetAt = (newest: number): string => `id: ${newest}\nevent: reset\ndata: ${RESET}\n\n`;

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

  /** Streams that have read to the same event share the next page: as it is, it was read from this version. */
  const pages = new Map<number, { text: Uint8Array; last: number } | undefined>();
  let pagesOf = -1;
  const pageBehind = (last: number) => {
    if (pagesOf !== version()) pages.clear();
    pagesOf = version();
    if (!pages.has(last)) pages.set(last, readBehind(last));
    return pages.get(last);
  };
  const readBehind = (last: number) => {
    const found = events.behind(last, PAGE);
    const [next] = found;
    const end = found.at(-1);
    if (!next || !end) return undefined;
    // Ids follow one another: what is missing was swept away before a slow reader came to it.
    if (next.id === last + 1) return { text: encoder.encode(found.map(textOf).join("")), last: end.id };
    const { newest } = events.bounds();
    return { text: encoder.encode(resetAt(newest)), last: newest };
  };

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
    return { last: newest, text: `${retry}\n${resetAt(newest)}` };
  };

  const open: PetStreams["open"] = ({ keyId, mayGoOn, signal }, given) => {
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
    const beat = async () => {
      isDue = true;
      go?.();
      if (!(await mayGoOn().catch(() => true))) end();
    };
    const beating = setInterval(() => void beat(), limits.heartbeatMs);
    streams.set(end, keyId);
    if (streams.size === 1) looking = setInterval(() => void look(), LOOK_MS);
    signal.addEventListener("abort", end);
    if (stopped || signal.aborted) queueMicrotask(end);

    const next = (): Uint8Array | undefined => {
      if (first) {
        const text = first;
        first = undefined;
        return text;
      }
      const page = pageBehind(last);
      if (page) last = page.last;
      else if (!isDue) return undefined;
      isDue = false;
      return page?.text ?? encoder.encode(":\n\n");
    };

    const body = new ReadableStream<Uint8Array>(
      {
        start(given) {
          controller = given;
        },
        // Asked only when the client has taken what went before: a slow one costs one page.
        async pull(to) {
          for (;;) {
            if (isOver) return undefined;
            const bytes = next();
            if (bytes) return to.enqueue(bytes);
            await new Promise<void>((resolve) => {
              go = resolve;
              waiting.add(resolve);
            });
            if (go) waiting.delete(go);
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
