import type { Context } from "../../../data/context.ts";
import { Fault } from "../../../lib/errors.ts";
import { lruCache } from "../../../lib/lru.ts";
import { fromPet } from "../model.ts";
import { type PetEvent, petEventRepository, type PetEvents } from "./repository.ts";
import type { WithoutIdleTimeout } from "../../../lib/idle-timeout.ts";

const MAX_BATCH_EVENTS = 200;
/** Batches that are cached. Streams that catch up read thousands. */
const MAX_CACHED_BATCHES = 16;

/** Events as they are sent. */
interface EventBatch {
  text: Uint8Array;
  /** The id of the last event. */
  last: number;
}

/** Reads the events after an id; null if none exist yet. */
type ReadBatch = (after: number) => Promise<EventBatch | null>;

const dataOf = ({ petId, pet, part }: PetEvent) =>
  JSON.stringify(pet ? { ...fromPet(pet), ...(part && { changed: [part] }) } : { id: petId });

const formatEvent = (event: PetEvent): string =>
  `id: ${event.id}\nevent: ${event.kind}\ndata: ${dataOf(event)}\n\n`;

const RESET = JSON.stringify({
  message: "Events are missing between your last one and the next: list the animals again.",
});

/** Tells a client that events are missing. The stream continues after the newest event. */
const resetEvent = (newest: number): string => `id: ${newest}\nevent: reset\ndata: ${RESET}\n\n`;

const encoder = new TextEncoder();

/**
 * Reads batches of events. Streams at the same event share the next batch. One batch is read in a turn of the event loop,
 * regardless of the number of streams that catch up, so that requests run in between.
 */
const eventBatches = ({
  events,
  version,
}: {
  events: Pick<PetEvents, "listAfter" | "bounds">;
  /** Changes with every write. */
  version(): number;
}): ReadBatch => {
  // Null: no event follows yet.
  const batches = lruCache<number, EventBatch | null>({ maxEntries: MAX_CACHED_BATCHES, version });
  let turn = Promise.resolve();

  const read = (after: number): EventBatch | null => {
    const found = events.listAfter(after, MAX_BATCH_EVENTS);
    const [first] = found;
    const end = found.at(-1);
    if (!first || !end) return null;
    // Ids have no gaps: a missing one was swept before this slow client read it.
    if (first.id === after + 1)
      return { text: encoder.encode(found.map(formatEvent).join("")), last: end.id };
    const { newest } = events.bounds();
    return { text: encoder.encode(resetEvent(newest)), last: newest };
  };

  return async (after) => {
    const cached = batches.get(after);
    if (cached !== undefined) return cached;
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    await turn;
    const cachedMeanwhile = batches.get(after);
    if (cachedMeanwhile !== undefined) return cachedMeanwhile;
    const batch = read(after);
    batches.set(after, batch);
    return batch;
  };
};

/** How often the open streams look for new events. */
const POLL_MS = 25;
/** How long a client waits before it reconnects. */
const RETRY_MS = 2000;

export interface StreamLimits {
  /** Streams of all callers together. */
  total: number;
  /** Streams of one caller. */
  perCaller: number;
  /** How often a stream sends a comment and checks its key. */
  heartbeatMs: number;
}

const HEARTBEAT_MS = 15_000;

/** The client of a stream. */
interface Reader {
  /** Identifies the caller, for the limit of its streams. */
  caller: string;
  /** Called before each batch and at each heartbeat: a stream ends with its key and sends nothing more. */
  isAuthorized(): Promise<boolean>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

interface ChangeSource {
  /** Waits until the writes of other processes show in `version`. */
  fresh(): Promise<void>;
  /** Changes with every write. */
  version(): number;
}

/** Polls for changes between `start` and `stop`, and resolves the promises of `nextChange`. */
const changeWatcher = ({ fresh, version }: ChangeSource) => {
  const waiting = new Set<() => void>();
  let seenVersion = -1;
  let timer: ReturnType<typeof setInterval> | undefined;

  const poll = async () => {
    try {
      await fresh();
    } catch {
      // Requests report it. The next poll tries again.
      return;
    }
    if (version() === seenVersion) return;
    seenVersion = version();
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  };

  return {
    start: () => void (timer ??= setInterval(() => void poll(), POLL_MS)),
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    /** Resolves after the next change, or when `wake` is called. */
    nextChange() {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      const wake = () => {
        waiting.delete(resolve);
        resolve();
      };
      return { promise, wake };
    },
  };
};

const startAt = (events: Pick<PetEvents, "bounds">, lastEventId: number | undefined) => {
  const { oldest, newest } = events.bounds();
  const retry = `retry: ${RETRY_MS}\n`;
  // An id without data dispatches no event, but lets the client resume before its first one.
  if (lastEventId === undefined) return { last: newest, text: `${retry}id: ${newest}\n\n` };
  if (lastEventId <= newest && lastEventId >= oldest - 1) return { last: lastEventId, text: `${retry}\n` };
  return { last: newest, text: `${retry}\n${resetEvent(newest)}` };
};

/** The id after which a stream starts, and the text that it sends first. */
type Start = ReturnType<typeof startAt>;

interface StreamOptions {
  reader: Reader;
  start: Start;
  readBatch: ReadBatch;
  nextChange: ReturnType<typeof changeWatcher>["nextChange"];
  heartbeatMs: number;
  /** Called once, when the stream ends for any reason. */
  onEnd(): void;
}

/** One stream. It reads a batch only after the client has read the previous one: a slow client costs one batch. */
const openStream = ({ reader, start, readBatch, nextChange, heartbeatMs, onEnd }: StreamOptions) => {
  const { signal, isAuthorized } = reader;
  let { last } = start;
  let firstText: string | undefined = start.text;
  let isHeartbeatDue = false;
  let hasEnded = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let wake: (() => void) | undefined;

  const release = () => {
    hasEnded = true;
    clearInterval(heartbeat);
    signal.removeEventListener("abort", end);
    onEnd();
  };
  const end = () => {
    if (hasEnded) return;
    release();
    controller?.close();
    wake?.();
  };
  // A failed check says nothing about the key: the stream continues.
  const isStillAuthorized = () => isAuthorized().catch(() => true);
  const beat = async () => {
    isHeartbeatDue = true;
    wake?.();
    if (!(await isStillAuthorized())) end();
  };
  const heartbeat = setInterval(() => void beat(), heartbeatMs);
  signal.addEventListener("abort", end);

  /** The next chunk; undefined if nothing is pending, or the stream has ended. */
  const next = async (): Promise<Uint8Array | undefined> => {
    if (firstText !== undefined) {
      const text = firstText;
      firstText = undefined;
      return encoder.encode(text);
    }
    const batch = await readBatch(last);
    if (batch && !(await isStillAuthorized())) {
      end();
      return undefined;
    }
    if (batch) last = batch.last;
    else if (!isHeartbeatDue) return undefined;
    isHeartbeatDue = false;
    return batch?.text ?? encoder.encode(":\n\n");
  };

  const pull = async (to: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const bytes = await next();
      if (hasEnded) return undefined;
      if (bytes) return to.enqueue(bytes);
      // In the same turn as the read that found nothing: no change can come in between.
      const change = nextChange();
      ({ wake } = change);
      await change.promise;
    }
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start: (created) => void (controller = created),
      // A storage error ends this stream alone: its client reconnects.
      pull: (to) =>
        pull(to).catch((error: unknown) => {
          release();
          throw error;
        }),
      cancel: release,
    },
    { highWaterMark: 0 },
  );
  return { body, end };
};

/** The open streams of events. */
export const petStreams = ({
  events,
  fresh,
  version,
  limits,
}: ChangeSource & {
  events: Pick<PetEvents, "listAfter" | "bounds">;
  limits: StreamLimits;
}) => {
  /** The functions that end the open streams, with their callers. */
  const openStreams = new Map<() => void, string>();
  const watcher = changeWatcher({ fresh, version });
  const readBatch = eventBatches({ events, version });
  let isStopped = false;

  const assertWithinLimits = (caller: string) => {
    const ofCaller = [...openStreams.values()].filter((one) => one === caller).length;
    if (openStreams.size < limits.total && ofCaller < limits.perCaller) return;
    throw new Fault(
      "rate_limited",
      `Too many streams are open: a key or person may have ${limits.perCaller}, and all of them together ${limits.total}. Operators: raise EVENT_STREAMS_PER_KEY or EVENT_STREAMS.`,
      { "retry-after": "10" },
    );
  };

  return {
    /**
     * Opens a stream of server-sent events after the event `last`, or from now on. `ended` resolves when it has ended.
     * @throws Fault rate_limited
     */
    open(reader: Reader, last: number | undefined) {
      assertWithinLimits(reader.caller);
      const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
      const { body, end } = openStream({
        reader,
        start: startAt(events, last),
        readBatch,
        nextChange: watcher.nextChange,
        heartbeatMs: limits.heartbeatMs,
        onEnd() {
          openStreams.delete(end);
          if (openStreams.size === 0) watcher.stop();
          resolveEnded();
        },
      });
      openStreams.set(end, reader.caller);
      watcher.start();
      if (isStopped || reader.signal.aborted) queueMicrotask(end);
      return { body, ended };
    },
    /** Ends all streams; a stream that is opened later ends immediately. */
    stop() {
      isStopped = true;
      for (const end of openStreams.keys()) end();
    },
  };
};

/** The streams of a store. @param limits instead of the settings, for tests */
export const openPetStreams = ({ config, database }: Context, limits?: Partial<StreamLimits>) => {
  const events = petEventRepository(database);
  const { eventStreams: total, eventStreamsPerKey: perCaller } = config;
  return {
    ...petStreams({
      events,
      fresh: database.fresh,
      version: database.version,
      limits: { total, perCaller, heartbeatMs: HEARTBEAT_MS, ...limits },
    }),
    /** Removes some of the oldest events; true if there may be more. */
    sweep: () => events.sweep(),
  };
};

type PetStreams = ReturnType<typeof petStreams>;

/** Responds with the stream of events after the one with the id `last`, or from now on. */
export const eventStream =
  ({
    streams,
    isAuthorized,
    withoutIdleTimeout,
  }: {
    streams: PetStreams;
    /** False once the key of the request is revoked or has expired. */
    isAuthorized(request: Request): Promise<boolean>;
    withoutIdleTimeout: WithoutIdleTimeout;
  }) =>
  (request: Request, caller: string, last: string | undefined): Response => {
    // nginx and its like would otherwise hold events back until a buffer is full.
    const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    if (request.method === "HEAD") return new Response(null, { headers });
    const reader = { caller, signal: request.signal, isAuthorized: () => isAuthorized(request) };
    const { body, ended } = streams.open(reader, last === undefined ? undefined : Number(last));
    void withoutIdleTimeout(request, () => ended, { hasSeparateLimit: true });
    return new Response(body, { headers });
  };

export type EventStream = ReturnType<typeof eventStream>;
