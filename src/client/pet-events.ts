import { ApiError } from "./api-error.ts";
import { parseExactly } from "./exact.ts";
import { backoffMs } from "./retry.ts";
import { type Message, messagesOf } from "./server-sent-events.ts";
import type { components } from "./types/store.d.ts";
import { deadline, wait } from "./wait.ts";

type Pet = components["schemas"]["Pet"];

/** A change, with the animal after it. `id` is the event's own: a stream resumes after it. */
export type PetEvent =
  | { type: "added"; id: string; pet: Pet }
  /** `changed` names the changed parts of the animal that `Pet` does not contain. */
  | { type: "changed"; id: string; pet: Pet; changed?: ("profile" | "photos")[] }
  | { type: "deleted"; id: string; petId: number }
  /** Earlier events are lost: list the animals. */
  | { type: "reset"; id: string };

export interface EventOptions {
  /** Resume after this event. Without it, the first event is `reset`, and changes from now on follow. */
  lastEventId?: string | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
}

/** The server sends a comment every 15 seconds. A connection without any is dead. */
const SILENCE_MS = 45_000;
const RETRY_MS = 2000;

const eventOf = ({ event, data = "" }: Message, id: string): PetEvent | undefined => {
  if (event === "reset") return { type: "reset", id };
  // Later versions may send other events.
  if (event !== "added" && event !== "changed" && event !== "deleted") return undefined;
  const { changed, ...pet } = parseExactly(data) as Pet & Pick<PetEvent & { type: "changed" }, "changed">;
  // Earlier servers send only the id of an animal that is gone.
  if (event === "deleted" || !("name" in pet)) return { type: "deleted", id, petId: pet.id };
  return event === "added" ? { type: event, id, pet } : { type: event, id, pet, ...(changed && { changed }) };
};

/** Opens the stream after an event, or from now on. */
export type OpenStream = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;

/** False if every further attempt would be refused as well. */
const isTransient = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;

/** The messages of one connection. It ends when the server is silent for too long. */
const connect = async function* (open: OpenStream, last: string | undefined, outer: AbortSignal | undefined) {
  const limit = deadline(SILENCE_MS, outer);
  try {
    const { body } = await open(last, limit.signal);
    if (body) yield* messagesOf(body, limit.restart);
  } finally {
    limit.clear();
  }
};

/**
 * Changes to animals, in their order, none twice and none left out without a `reset`. It reconnects until it is ended or the
 * server refuses the request.
 * @throws ApiError if the server refuses, or the reason of the signal
 */
export const petEvents = async function* (
  open: OpenStream,
  { lastEventId, signal }: EventOptions,
): AsyncGenerator<PetEvent, void, undefined> {
  let last = lastEventId;
  let retryMs = RETRY_MS;
  for (let failures = 1; ; failures++) {
    let askedMs = 0;
    try {
      for await (const message of connect(open, last, signal)) {
        failures = 1;
        retryMs = message.retryMs ?? retryMs;
        const { id = last } = message;
        const isStart = last === undefined;
        last = id;
        if (id === undefined) continue;
        if (isStart) yield { type: "reset", id };
        const event = message.data === undefined ? undefined : eventOf(message, id);
        if (event) yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error)) throw error;
      if (error instanceof ApiError) askedMs = (error.retryAfter ?? 0) * 1000;
    }
    await wait(Math.max(askedMs, backoffMs(failures, retryMs)), signal);
  }
};
