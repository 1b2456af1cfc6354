import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef } from "preact/hooks";
import { petEvents } from "../../../client/pet-events.ts";
import { openStore } from "../api/client.ts";
import { useHidden } from "../parts/use-hidden.ts";
import { type Follower, type Position, followAnimals, heard } from "./events.ts";
import { animalsRead, applyChanges } from "./queries.ts";

/** Later streams continue there, so that nothing is missed between two pages. */
const position: Position = { lastEventId: undefined };
let heardAt = 0;

const onHeard = () => {
  heardAt = Date.now();
};

/** The stream, by the gateway. It does not keep the session alive. */
const open = heard(
  (lastEventId, signal) =>
    openStore(
      "/pets/events",
      { "x-unattended": "1", ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
      signal,
    ),
  onHeard,
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
        async onChanges(changes) {
          await animalsRead(queries);
          latest.current.onChanges?.(changes);
          applyChanges(queries, changes);
        },
      },
      { events: (options) => petEvents(open, options), heardAt: () => heardAt, signal: controller.signal },
    );
    return () => controller.abort();
  }, [isHidden]);
};
