import type { Database } from "bun:sqlite";
import { replicaMark } from "../../../src/data/db/replica-mark.ts";
import type { Node } from "./nodes.ts";
import { copyOf, databaseIn, hashTables } from "./tables.ts";

/** How long nodes may take to apply the writes of others after the last write. */
const MAX_MS = 10_000;

/** Up to where a copy has applied the log; undefined for a machine that is no part of a cluster. */
const positionOf = (copy: Database): number | undefined => replicaMark(copy)?.position;

/** Copies of all nodes' databases, at the same position of the log. */
const copiesOf = async (nodes: readonly Pick<Node, "place">[]): Promise<Database[]> => {
  const begun = performance.now();
  for (;;) {
    const copies = nodes.map(({ place }) => copyOf(databaseIn(place)));
    const positions = copies.map(positionOf);
    if (new Set(positions).size === 1) return copies;
    for (const copy of copies) copy.close();
    if (performance.now() > begun + MAX_MS)
      throw new Error(`the nodes have not applied the same records: they are at ${positions.join(", ")}`);
    await Bun.sleep(20);
  }
};

/** The tables in which nodes differ: none, if what they do is right. */
export const differencesOf = (hashes: readonly Record<string, string>[]): string[] => {
  const tables = new Set(hashes.flatMap((each) => Object.keys(each)));
  return [...tables].filter((table) => new Set(hashes.map((each) => each[table])).size > 1);
};

/** Compares all tables of all nodes, which may be running. */
export const compareNodes = async (nodes: readonly Pick<Node, "place">[]) => {
  const copies = await copiesOf(nodes);
  const differences = differencesOf(copies.map(hashTables));
  const [first] = copies;
  if (!first) throw new Error("there are no nodes to compare");
  return { differences, first, position: positionOf(first) };
};
