import type { Database as Client } from "bun:sqlite";

/**
 * Adds new animals to the events and the counts, all those of a transaction at once (trigger `pets_counted` of migration 0020).
 * A trigger for each animal would cost half as much as the animal itself.
 * @returns a function that returns true if there were some
 */
export const petCounter = (client: Client): (() => boolean) => {
  const countStatement = client.prepare(
    `UPDATE pets_indexed SET counted_to = (SELECT max(id) FROM pets)
     WHERE counted_to < (SELECT max(id) FROM pets)`,
  );
  return () => countStatement.run().changes > 0;
};
