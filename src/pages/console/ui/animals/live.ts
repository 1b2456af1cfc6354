import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { type OpenStream, petEvents } from "../../../../client/pet-events.ts";
import { openStore } from "../api/client.ts";
import { useHidden } from "../parts/queries.ts";
import { type Animal, type View, letsThrough } from "./animal.ts";
import { type Changes, type Pages, itemsOf } from "../parts/records.ts";
import { mayEnter } from "./changes.ts";
import { type Follower, type Gap, type Position, followAnimals, heard } from "./events.ts";
import {
  animalsRead,
  applyEvents,
  findArrivals,
  putFirst,
  readNewest,
  recount,
  rereadAnimals,
  resetList,
} from "./queries.ts";

/** Later streams continue there, so that nothing is missed between two pages. */
const position: Position = { lastEventId: undefined };

/** The stream, by the gateway. It does not keep the session alive. */
const open: OpenStream = (lastEventId, signal) =>
  openStore(
    "/pets/events",
    { "x-unattended": "1", ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
    signal,
  );

/**
 * Shows the changes that others make to animals, while the page is visible: a browser allows few connections to a server
 * without HTTP/2.
 */
export const useLiveAnimals = ({ onGap, onChanges }: Pick<Follower, "onGap"> & Partial<Follower>): void => {
  const queries = useQueryClient();
  const isHidden = useHidden();
  const latest = useRef({ onGap, onChanges });
  latest.current = { onGap, onChanges };
  useEffect(() => {
    if (isHidden) return undefined;
    const controller = new AbortController();
    void followAnimals(
      position,
      {
        onGap: (gap) => latest.current.onGap(gap),
        async onChanges(changes, partsOf) {
          await animalsRead(queries);
          latest.current.onChanges?.(changes, partsOf);
          await applyEvents(queries, changes, partsOf);
        },
      },
      {
        events: (options, onHeard) => petEvents(heard(open, onHeard), options),
        signal: controller.signal,
      },
    );
    return () => controller.abort();
  }, [isHidden]);
};

/** If more animals than this arrive, the list is reloaded instead of placing them first. */
const MAX_ARRIVALS = 100;
const MAX_ROWS = 100;

const visibleIds = (): number[] =>
  [...document.querySelectorAll<HTMLElement>("tr[data-id]")]
    .filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    })
    .slice(0, MAX_ROWS)
    .map((row) => Number(row.dataset["id"]));

type Waiting = ReadonlyMap<number, Animal>;

const NONE: Waiting = new Map();

/** The waiting animals in their new state, and those that have arrived. */
const afterChanges = (waiting: Waiting, changes: Changes<Animal>, arrived: readonly Animal[]): Waiting => {
  if (waiting.size === 0 && arrived.length === 0) return waiting;
  const next = new Map(waiting);
  for (const id of changes.keys()) next.delete(id);
  for (const one of arrived) next.set(one.id, one);
  return next;
};

/**
 * Follows a list. Rows change in their places. Animals that would make it longer wait until the user wants them, so that no
 * row moves under the pointer.
 */
export const useLiveList = (view: View, list: Pages<Animal> | undefined) => {
  const queries = useQueryClient();
  const key = JSON.stringify(view);
  const [waiting, setWaiting] = useState(NONE);
  const [fresh, setFresh] = useState<ReadonlySet<number>>(new Set());
  const missed = useRef<Gap>();
  const currentKey = useRef(key);
  useEffect(() => {
    currentKey.current = key;
    setWaiting(NONE);
  }, [key]);

  const arrive = async (candidates: readonly Animal[], changes: Changes<Animal>) => {
    const arrived = await findArrivals(queries, view, candidates).catch(() => []);
    if (currentKey.current === key) setWaiting((before) => afterChanges(before, changes, arrived));
  };
  const catchUp = async (gap: Gap) => {
    const ids = gap === "reset" ? itemsOf(list).map(({ id }) => id) : visibleIds();
    await arrive(await readNewest(queries, view), NONE);
    await rereadAnimals(queries, ids);
    if (gap !== "start") recount(queries);
  };
  const onGap = (gap: Gap) => {
    missed.current = list ? undefined : gap;
    // Animals that can't be read now are read at the next gap.
    if (list) catchUp(gap).catch(() => {});
  };
  useLiveAnimals({
    onGap,
    onChanges: (changes) =>
      void arrive(
        [...changes.values()].filter((one) => one !== undefined),
        changes,
      ),
  });
  useEffect(() => {
    if (list && missed.current) onGap(missed.current);
  }, [list === undefined]);

  const arrivals = list ? [...waiting.values()].filter((one) => mayEnter(list, view, one)) : [];
  const mark = (animals: readonly Animal[]) =>
    setFresh((before) => new Set([...before, ...animals.map(({ id }) => id)]));
  return {
    /** How many animals wait; more than 100 are not counted. */
    count: arrivals.length,
    isMany: arrivals.length > MAX_ARRIVALS,
    fresh,
    show() {
      if (arrivals.length > MAX_ARRIVALS) resetList(queries, view);
      else putFirst(queries, view, arrivals);
      mark(arrivals);
      setWaiting(NONE);
    },
    /** Puts an animal first that the user has added, if it certainly belongs to the list. */
    add(animal: Animal) {
      if (!letsThrough(view, animal)) return;
      putFirst(queries, view, [animal]);
      mark([animal]);
    },
  };
};
