import type { ContentDigest } from "./contents.ts";
import { type Claim, exceptUnavailable, type Log } from "./log.ts";
import { repeat } from "../../lib/poller.ts";
import { quantity } from "../../lib/quantity.ts";

/** A record had another effect on this node than on the one that made it, and this node's file is sound. */
export interface Blame {
  /** The id of the node that made it. */
  readonly node: string;
  readonly position: number;
  /** When that was found, by this node's clock, in milliseconds UTC. */
  readonly at: number;
}

export interface NodeEntry {
  /** Random, kept in DATA_DIR. */
  readonly id: string;
  /** NODE_NAME, or the name of its machine. */
  readonly name: string;
  readonly version: string;
  /** The newest form of records that it can read. */
  readonly format: number;
  /** The position of the last record that it has applied. */
  readonly position: number;
  readonly address: string;
  /** When it started, in milliseconds UTC. */
  readonly since: number;
  /** Its clock at the time of this report, in milliseconds UTC. */
  readonly now: number;
  /** Earlier versions do not report it. */
  readonly contents?: readonly ContentDigest[];
  readonly blames?: readonly Blame[];
}

const PREFIX = "node/";
/** A node that stops responding is taken for dead after this time. */
const TTL_MS = 10_000;
const UPDATE_MS = 2000;
/** A killed server holds its name for one lease. After this time another one that runs holds it. */
const TAKEN_MS = 3 * TTL_MS;

const isEntry = (value: unknown): value is NodeEntry => {
  const { id, name, version, format, position, address, since, now, contents, blames } = (value ??
    {}) as Record<string, unknown>;
  return (
    isListOf(contents, isDigest) &&
    isListOf(blames, isBlame) &&
    [id, name, version, address].every((text) => typeof text === "string" && text.length <= 300) &&
    [format, position, since, now].every((number) => Number.isSafeInteger(number))
  );
};

/** Earlier versions have no list. */
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isItem));

const isDigest = (value: unknown): boolean => {
  const { position, digest } = (value ?? {}) as Record<string, unknown>;
  return Number.isSafeInteger(position) && typeof digest === "string" && digest.length <= 100;
};

const isBlame = (value: unknown): boolean => {
  const { node, position, at } = (value ?? {}) as Record<string, unknown>;
  return typeof node === "string" && Number.isSafeInteger(position) && Number.isSafeInteger(at);
};

const parseEntry = (text: string): NodeEntry[] => {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? [value] : [];
  } catch {
    // Another version may write another form: that node is not shown.
    return [];
  }
};

/** The running nodes, the oldest first. @throws EngineUnavailable */
export const readNodes = async (log: Log): Promise<NodeEntry[]> =>
  [...(await log.claims(PREFIX)).values()]
    .flatMap(parseEntry)
    .toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1));

/** CLUSTER_NODES: the number or the names of all nodes. */
export type DeclaredNodes = number | readonly string[];

export const countDeclared = (declared: DeclaredNodes): number =>
  typeof declared === "number" ? declared : declared.length;

/** The declared nodes that do not run, and a sentence that names them; undefined without a missing one. */
export const missingNodes = (declared: DeclaredNodes | undefined, nodes: readonly { name: string }[]) => {
  if (declared === undefined) return undefined;
  const running = nodes.map(({ name }) => name);
  const absent = typeof declared === "number" ? [] : declared.filter((name) => !running.includes(name));
  const count = typeof declared === "number" ? declared - running.length : absent.length;
  if (count <= 0) return undefined;
  const [verb, object] = count === 1 ? ["is", "it"] : ["are", "them"];
  const subject =
    typeof declared === "number"
      ? `${count} of ${quantity(declared, "node")}`
      : `${count === 1 ? "Node" : "Nodes"} ${absent.join(", ")}`;
  return {
    count,
    text: `${subject} of CLUSTER_NODES ${verb} not running (running: ${running.join(", ") || "none"}): start ${object}, or correct CLUSTER_NODES`,
  };
};

/**
 * Announces this node to the others, and lists them. While the engine is unreachable, the last list stays.
 * @param self the current entry of this node @param onTaken called once if another server that runs has the id of this node
 */
export const announceNode = (
  log: Log,
  self: () => NodeEntry,
  {
    onError,
    onTaken,
    onNodes,
    updateMs = UPDATE_MS,
    takenMs = TAKEN_MS,
  }: {
    onError(error: unknown): void;
    onTaken(): void;
    onNodes?(self: NodeEntry, nodes: readonly NodeEntry[]): Promise<void>;
    updateMs?: number;
    takenMs?: number;
  },
) => {
  let claim: Claim | undefined;
  let refusedSince: number | undefined;
  let isReported = false;
  let nodes: readonly NodeEntry[] = [];

  const noteRefusal = () => {
    refusedSince ??= performance.now();
    if (isReported || performance.now() - refusedSince < takenMs) return;
    isReported = true;
    onTaken();
  };
  const keepClaim = async (): Promise<void> => {
    const entry = self();
    const value = JSON.stringify(entry);
    if (claim && !claim.lost.aborted) return claim.update(value);
    claim = await log.claim(PREFIX + entry.id, TTL_MS, value);
    if (claim) refusedSince = undefined;
    else noteRefusal();
  };
  const update = async () => {
    await keepClaim();
    nodes = await readNodes(log);
    await onNodes?.(self(), nodes);
  };
  const poller = repeat(updateMs, update, {
    firstMs: 0,
    onError: exceptUnavailable(onError),
  });
  return {
    ...poller,
    async stop() {
      await poller.stop();
      await claim?.[Symbol.asyncDispose]();
      claim = undefined;
    },
    /** The nodes that ran at the last tick. */
    list: () => nodes,
    /** At least 1: this one. */
    count: () => Math.max(1, nodes.length),
  };
};

export type Nodes = ReturnType<typeof announceNode>;
