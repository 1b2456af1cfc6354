import { setTimeout as sleep } from "node:timers/promises";
import { existsSync } from "node:fs";
import { quantity } from "../../lib/quantity.ts";
import type { Cluster } from "./cluster.ts";
import { checkFile } from "./contents.ts";
import { ReplicaDamaged } from "./log.ts";
import type { NodeEntry } from "./nodes.ts";

/** How long a check rests after each step, which takes some milliseconds. */
const REST_MS = 20;

/** Reads the whole file of a replica in use. If it is damaged, nothing more is served from it. @throws the signal's reason */
export const checkReplica = async (
  path: string,
  { fail }: Pick<Cluster, "fail">,
  signal: AbortSignal,
  restMs = REST_MS,
): Promise<void> => {
  if (!existsSync(path)) return;
  const checked = await checkFile(path, () => sleep(restMs, undefined, { signal }));
  if (checked.state === "damaged") fail(new ReplicaDamaged(checked.reason));
};

/** True if both are at the same position of the log with other contents. */
const differ = ({ content: a }: NodeEntry, { content: b }: NodeEntry): boolean =>
  a !== undefined && b !== undefined && a.position === b.position && a.digest !== b.digest;

/** True if a record of `author` had another effect on this node, since the author started. */
const blames = ({ blames: all = [], now }: NodeEntry, author: NodeEntry): boolean =>
  all.some(({ node, at }) => node === author.id && now - at < author.now - author.since);

/** The other nodes that show that this one, or they, are wrong. */
const accusersOf = (self: NodeEntry, nodes: readonly NodeEntry[]): NodeEntry[] =>
  nodes.filter((node) => node.id !== self.id && (differ(node, self) || blames(node, self)));

/** The size of the largest group of nodes that agree with each other, and not with this one. */
const largestGroup = (accusers: readonly NodeEntry[]): number =>
  Math.max(
    0,
    ...[...Map.groupBy(accusers, ({ content }) => JSON.stringify(content))].map(([, group]) => group.length),
  );

/** Nodes with the contents of this one, and itself. */
const supporters = (self: NodeEntry, nodes: readonly NodeEntry[]): number =>
  nodes.filter(({ id, content }) => id === self.id || (content && Bun.deepEquals(content, self.content)))
    .length;

/**
 * Settles differences between nodes. A node whose file is damaged, or that a majority contradicts, makes its replica again.
 * @returns a function for `onNodes`, and whether a difference is left that no majority settles
 */
export const differenceJudge = (path: string, { fail }: Pick<Cluster, "fail">) => {
  let isDisputed = false;
  return {
    isDisputed: () => isDisputed,
    async onNodes(self: NodeEntry, nodes: readonly NodeEntry[]): Promise<void> {
      const accusers = accusersOf(self, nodes);
      isDisputed = accusers.length > 0;
      if (!isDisputed) return;
      const checked = await checkFile(path);
      if (checked.state === "damaged") return fail(new ReplicaDamaged(checked.reason));
      const against = Math.max(largestGroup(accusers), accusers.filter((node) => blames(node, self)).length);
      if (against > 1 && against > supporters(self, nodes))
        fail(new ReplicaDamaged(`${quantity(against, "other node")} have other contents than this one`));
    },
  };
};
