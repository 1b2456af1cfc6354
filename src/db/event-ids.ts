import type { Database as Client } from "bun:sqlite";
import { hasTable } from "./schema-check.ts";

/** The highest id that a pet event ever had; 0 if there was none. */
export const lastEventId = (client: Client): number =>
  client.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'pet_events'").get()?.seq ??
  0;

/**
 * Removes the pet events from a copy. The id of the next event is above `last`. It also works on a database older than the
 * table of events.
 */
export const restartEventIds = (copy: Client, last: number): void => {
  if (hasTable(copy, "pet_events")) copy.run("DELETE FROM pet_events");
  copy.run("DELETE FROM sqlite_sequence WHERE name = 'pet_events'");
  copy.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('pet_events', ?)", [last]);
};
