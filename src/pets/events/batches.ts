import { fromPet } from "../model.ts";
import type { PetEvent, PetEvents } from "./repository.ts";

/** Events that are read at once. */
const PAGE = 200;
/** Most pages that are kept: readers who catch up come past thousands. */
const MAX_PAGES = 16;

/** What a stream sends next. */
export interface EventBatch {
  text: Uint8Array;
  /** The id of its last event. */
  last: number;
}

/** The page behind an event; undefined if nothing has happened since. */
export type ReadBatch = (last: number) => Promise<EventBatch | undefined>;

const dataOf = ({ kind, petId, pet }: PetEvent) =>
  JSON.stringify(kind === "deleted" || !pet ? { id: petId } : fromPet(pet));

const textOf = (event: PetEvent): string =>
  `id: ${event.id}\nevent: ${event.kind}\ndata: ${dataOf(event)}\n\n`;

const RESET = JSON.stringify({
  message: "Events are missing between your last one and the next: list the animals anew.",
});

/** Tells a reader that events are missing, and goes on behind the newest. */
export const resetEvent = (newest: number): string => `id: ${newest}\nevent: reset\ndata: ${RESET}\n\n`;

const encoder = new TextEncoder();

/**
 * Pages of events. Streams that have read to the same event share the next page. One page is read in a turn of the event
 * loop, however many catch up: requests come in between.
 */
export const eventBatches = ({
  events,
  version,
}: {
  events: PetEvents;
  /** Changes with every write. */
  version(): number;
}): ReadBatch => {
  const pages = new Map<number, EventBatch | undefined>();
  let pagesOf = -1;
  let turn = Promise.resolve();

  const read = (last: number): EventBatch | undefined => {
    const found = events.behind(last, PAGE);
    const [next] = found;
    const end = found.at(-1);
    if (!next || !end) return undefined;
    // Ids follow one another: what is missing was swept away before a slow reader came to it.
    if (next.id === last + 1) return { text: encoder.encode(found.map(textOf).join("")), last: end.id };
    const { newest } = events.bounds();
    return { text: encoder.encode(resetEvent(newest)), last: newest };
  };

  /** Kept pages are as they were read from this version. */
  const drop = () => {
    if (pagesOf === version() && pages.size < MAX_PAGES) return;
    pages.clear();
    pagesOf = version();
  };

  return async (last) => {
    drop();
    if (pages.has(last)) return pages.get(last);
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    await turn;
    drop();
    if (!pages.has(last)) pages.set(last, read(last));
    return pages.get(last);
  };
};
