import type { EventOptions, OpenStream, PetEvent } from "../../../../client/pet-events.ts";
import type { Changes } from "../parts/records.ts";
import type { Animal } from "./animal.ts";

export type Gap =
  /** The stream has just begun: a list that was read at the same time may be older. */
  | "start"
  /** The server no longer has the missed events. */
  | "reset"
  /** No stream gets through. */
  | "silence";

export interface Follower {
  /**
   * Called with the changes of a moment together.
   * @param partsOf animals whose profile or photos have changed
   */
  onChanges(changes: Changes<Animal>, partsOf: ReadonlySet<number>): unknown;
  /** Called when changes may have been missed: reload the animals that are shown. */
  onGap(gap: Gap): void;
}

interface FollowOptions {
  /**
   * The stream of events. It reconnects by itself.
   * @param onHeard called whenever the server sends something
   */
  events(options: EventOptions, onHeard: () => void): AsyncIterable<PetEvent>;
  signal: AbortSignal;
  /** Changes are collected for so long: an import makes thousands. */
  batchMs?: number;
  pollMs?: number;
  /** The server sends a comment every 15 seconds. Without any for so long, the list is polled. */
  silenceMs?: number;
  /** The first poll comes earlier, if the stream has not begun by then. */
  patienceMs?: number;
}

/** The last event that was read: a later stream continues there. */
export interface Position {
  lastEventId: string | undefined;
}

const collector = (onChanges: Follower["onChanges"], batchMs: number) => {
  let changes = new Map<number, Animal | undefined>();
  let partsOf = new Set<number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const collected = [changes, partsOf] as const;
    changes = new Map();
    partsOf = new Set();
    if (collected[0].size > 0) onChanges(...collected);
  };
  return {
    flush,
    add(id: number, animal: Animal | undefined, hasParts = false) {
      changes.set(id, animal);
      if (hasParts) partsOf.add(id);
      timer ??= setTimeout(flush, batchMs);
    },
  };
};

/**
 * Follows the changes to animals until `signal` is aborted. Where no stream gets through, such as through a proxy that
 * buffers responses or beyond the number of streams that a key may have, it asks for polling.
 */
export const followAnimals = async (
  position: Position,
  { onChanges, onGap }: Follower,
  { events, signal, batchMs = 200, pollMs = 15_000, silenceMs = 20_000, patienceMs = 3000 }: FollowOptions,
): Promise<void> => {
  const { add, flush } = collector(onChanges, batchMs);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pollAfter = (ms: number) => {
    clearTimeout(timer);
    if (signal.aborted) return;
    timer = setTimeout(() => {
      onGap("silence");
      pollAfter(pollMs);
    }, ms);
  };
  pollAfter(patienceMs);
  signal.addEventListener("abort", () => clearTimeout(timer));
  const { lastEventId } = position;
  try {
    for await (const event of events({ lastEventId, signal }, () => pollAfter(silenceMs))) {
      const isFirst = position.lastEventId === undefined;
      position.lastEventId = event.id;
      if (event.type === "reset") onGap(isFirst ? "start" : "reset");
      else if (event.type === "deleted") add(event.petId, undefined);
      else add(event.pet.id, event.pet, event.type === "changed" && event.changed !== undefined);
    }
  } catch {
    // Ended, or refused for good: poll immediately, and continue.
    pollAfter(0);
  } finally {
    flush();
  }
};

/** Opens a stream, and tells whenever something arrives, the server's comments included. */
export const heard =
  (open: OpenStream, onHeard: () => void): OpenStream =>
  async (lastEventId, signal) => {
    const { body } = await open(lastEventId, signal);
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onHeard();
        controller.enqueue(chunk);
      },
    });
    return new Response(body?.pipeThrough(tap) ?? null);
  };
