import { describe, expect, test } from "bun:test";
import type { PetEvent } from "../../../src/client/pet-events.ts";
import {
  type Gap,
  type Position,
  followAnimals,
  heard,
} from "../../../src/pages/console/ui/animals/events.ts";

const luna = { id: 7, name: "Bella", categoryId: 1 };

/** Follows a stream that sends these events and then stays open, until `ms` have passed and there are so many gaps. */
const follow = async (
  events: readonly PetEvent[],
  {
    ms = 30,
    lastEventId,
    isHeard = true,
    silenceMs = 10_000,
    minGaps = 0,
    error,
  }: {
    ms?: number;
    minGaps?: number;
    lastEventId?: string;
    isHeard?: boolean;
    silenceMs?: number;
    error?: Error;
  } = {},
) => {
  const controller = new AbortController();
  const { signal } = controller;
  const position: Position = { lastEventId };
  const batches: [number, string | undefined][][] = [];
  const parts: number[][] = [];
  const gaps: Gap[] = [];
  const asked: (string | undefined)[] = [];
  const following = followAnimals(
    position,
    {
      onChanges(changes, partsOf) {
        batches.push([...changes].map(([id, now]) => [id, now?.name]));
        parts.push([...partsOf]);
      },
      onGap: (gap) => gaps.push(gap),
    },
    {
      async *events({ lastEventId }, onHeard) {
        asked.push(lastEventId);
        if (error) throw error;
        if (isHeard) onHeard();
        yield* events;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        signal.throwIfAborted();
      },
      signal,
      batchMs: 5,
      pollMs: 10,
      silenceMs,
      patienceMs: 5,
    },
  );
  do await Bun.sleep(ms);
  while (gaps.length < minGaps);
  controller.abort();
  await following;
  return { batches, parts, gaps, asked, position };
};

describe("following the animals", () => {
  test("hands the changes of a moment on together, the last of each animal", async () => {
    const { batches, position } = await follow([
      { type: "reset", id: "1" },
      { type: "added", id: "2", pet: luna },
      { type: "changed", id: "3", pet: { ...luna, name: "Luna" } },
      { type: "deleted", id: "4", petId: 8 },
    ]);
    expect(batches).toEqual([
      [
        [7, "Luna"],
        [8, undefined],
      ],
    ]);
    expect(position.lastEventId).toBe("4");
  });

  test("names the animals whose profile or photos have changed", async () => {
    const { batches, parts } = await follow([
      { type: "changed", id: "2", pet: luna, changed: ["photos"] },
      { type: "changed", id: "3", pet: { ...luna, id: 8 } },
    ]);
    expect(batches).toEqual([
      [
        [7, "Bella"],
        [8, "Bella"],
      ],
    ]);
    expect(parts).toEqual([[7]]);
  });

  test("tells a stream that begins from one that has lost events", async () => {
    const { gaps } = await follow([
      { type: "reset", id: "1" },
      { type: "reset", id: "2" },
    ]);
    expect(gaps).toEqual(["start", "reset"]);
  });

  test("continues after the last event that a page before it has read", async () => {
    const { gaps, asked } = await follow([{ type: "changed", id: "9", pet: luna }], { lastEventId: "8" });
    expect(asked).toEqual(["8"]);
    expect(gaps).toEqual([]);
  });

  test("loses nothing of what came just before the end", async () => {
    const { batches } = await follow([{ type: "changed", id: "9", pet: luna }], { ms: 1, lastEventId: "8" });
    expect(batches).toEqual([[[7, "Bella"]]]);
  });

  test("asks for polling while nothing is heard, and stops with its page", async () => {
    const { gaps } = await follow([], { isHeard: false, minGaps: 3 });
    expect(new Set(gaps)).toEqual(new Set(["silence"]));
    const count = gaps.length;
    await Bun.sleep(30);
    expect(gaps.length).toBe(count);
  });

  test("asks for polling when a stream that was heard is silent for too long", async () => {
    const { gaps } = await follow([], { silenceMs: 10, minGaps: 2 });
    expect(new Set(gaps)).toEqual(new Set(["silence"]));
    expect((await follow([])).gaps).toEqual([]);
  });

  test("goes on with polling when the server refuses the stream", async () => {
    const { gaps } = await follow([], { error: new Error("refused"), minGaps: 2 });
    expect(new Set(gaps)).toEqual(new Set(["silence"]));
  });
});

test("stream events are reported and forwarded as they arrive", async () => {
  let count = 0;
  const open = heard(
    () => Promise.resolve(new Response("id: 1\n\n")),
    () => count++,
  );
  const response = await open(undefined, new AbortController().signal);
  expect(await response.text()).toBe("id: 1\n\n");
  expect(count).toBe(1);
});
