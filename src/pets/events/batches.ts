import { lruCache } from "../../lib/lru.ts";
import { fromPet } from "../model.ts";
import type { PetEvent, PetEvents } from "./repository.ts";

const MAX_BATCH_EVENTS = 200;
/** Batches that are cached. Streams that catch up read thousands. */
const MAX_CACHED_BATCHES = 16;

/** Events as they are sent. */
interface EventBatch {
  text: Uint8Array;
  /** The id of the last event. */
  last: number;
}

/** Reads the events after an id; null if there are none yet. */
export type ReadBatch = (after: number) => Promise<EventBatch | null>;

const dataOf = ({ kind, petId, pet }: PetEvent) =>
  JSON.stringify(kind === "deleted" || !pet ? { id: petId } : fromPet(pet));

const formatEvent = (event: PetEvent): string =>
  `id: ${event.id}\nevent: ${event.kind}\ndata: ${dataOf(event)}\n\n`;

const RESET = JSON.stringify({
  message: "Events are missing between your last one and the next: list the animals again.",
});

/** Tells a client that events are missing. The stream continues after the newest event. */
export const resetEvent = (newest: number): string => `id: ${newest}\nevent: reset\ndata: ${RESET}\n\n`;

const encoder = new TextEncoder();

/**
 * Reads batches of events. Streams at the same event share the next batch. One batch is read in a turn of the event loop,
 * however many streams catch up, so that requests run in between.
 */
export const eventBatches = ({
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
