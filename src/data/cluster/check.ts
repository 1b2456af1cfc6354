import { setTimeout as sleep } from "node:timers/promises";
import { existsSync } from "node:fs";
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

/** The newest position at which both show their contents, and both digests. */
const comparisonOf = ({ contents: a = [] }: NodeEntry, { contents: b = [] }: NodeEntry) => {
  const digests = new Map(b.map(({ position, digest }) => [position, digest]));
  const common = a.findLast(({ position }) => digests.has(position));
  return common && { position: common.position, own: common.digest, other: digests.get(common.position) };
};

/** True if a record of `author` had another effect on this node, since the author started. */
const blames = ({ blames: all = [], now }: NodeEntry, author: NodeEntry): boolean =>
  all.some(({ node, at }) => node === author.id && now - at < author.now - author.since);

const RECHECK_MS = 10 * 60_000;

const largest = (groups: Iterable<readonly unknown[]>): number =>
  Math.max(0, ...[...groups].map((group) => group.length));

/**
 * Settles differences between nodes. A node whose file is damaged, or that a majority contradicts, rebuilds its replica.
 * `onNodes` gets the nodes every few seconds.
 */
export const differenceJudge = (path: string, { fail }: Pick<Cluster, "fail">) => {
  let isDisputed = false;
  let isAlone = true;
  let agreed = -1;
  let nextCheck = -Infinity;

  /** Reads the whole file, but not every few seconds while a dispute lasts. */
  const findDamage = async (): Promise<string | undefined> => {
    if (performance.now() < nextCheck) return undefined;
    nextCheck = performance.now() + RECHECK_MS;
    const checked = await checkFile(path);
    return checked.state === "damaged" ? checked.reason : undefined;
  };

  return {
    /** True if another node contradicts this one, and no majority or damage has settled it. */
    isDisputed: () => isDisputed,
    /** True if no other node shows its contents. */
    isAlone: () => isAlone,
    /** The last position at which another node had the contents of this one; -1 if there was none. */
    agreedUpTo: () => agreed,
    async onNodes(self: NodeEntry, nodes: readonly NodeEntry[]): Promise<void> {
      const others = nodes.filter(({ id }) => id !== self.id);
      const comparisons = others.flatMap((other) => comparisonOf(self, other) ?? []);
      const [same, different] = [true, false].map((wanted) =>
        comparisons.filter(({ own, other }) => (own === other) === wanted),
      ) as [typeof comparisons, typeof comparisons];
      const accusers = others.filter((other) => blames(other, self));
      agreed = Math.max(agreed, ...same.map(({ position }) => position));
      isAlone = others.every(({ contents = [] }) => contents.length === 0);
      isDisputed = different.length > 0 || accusers.length > same.length;
      if (!isDisputed) return;
      const damage = await findDamage();
      if (damage !== undefined) return fail(new ReplicaDamaged(damage));
      const against = Math.max(
        largest(Map.groupBy(different, ({ position, other }) => `${position} ${other}`).values()),
        accusers.length,
      );
      if (against > 1 && against > same.length + 1)
        fail(new ReplicaDamaged(`${against} other nodes have other contents than this one`));
    },
  };
};

export type Judge = Omit<ReturnType<typeof differenceJudge>, "onNodes">;
