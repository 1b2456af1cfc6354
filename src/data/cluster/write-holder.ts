import { type Poller, repeat } from "../../lib/poller.ts";
import { exceptUnavailable, type Log } from "./log.ts";
import { onOneNode } from "./on-one-node.ts";

/** The name of the claim of the writer node. Its value is a {@link Target}. */
export const WRITES_CLAIM = "writes";
const LOOK_MS = 1000;
/** After so many looks at which it does not respond, it is taken for dead, and its responses are awaited no longer. */
const MAX_SILENT = 2;

interface Target {
  /** The id of the node. */
  readonly node: string;
  readonly url: string;
  readonly token: string;
}

export const parseTarget = (text: string | undefined): Target | undefined => {
  try {
    const { node, url, token } = JSON.parse(text ?? "") as Record<string, unknown>;
    const isTarget =
      typeof node === "string" &&
      typeof url === "string" &&
      url.startsWith("http://") &&
      typeof token === "string";
    return isTarget ? { node, url, token } : undefined;
  } catch {
    // Nobody has the claim, or another version writes another form.
    return undefined;
  }
};

/**
 * Agrees with the other nodes on a writer node: the first that claims it, until it stops or its claim expires.
 * @param own how the others reach this node
 * @param isReachable whether this node reaches another @param onUnreachable called once for each that it does not
 */
export const writeHolder = (
  log: Log,
  own: Target,
  {
    isReachable,
    onUnreachable,
    onError,
  }: {
    isReachable(target: Target): Promise<boolean>;
    onUnreachable(url: string): void;
    onError(error: unknown): void;
  },
) => {
  let isOwn = false;
  let target: (Target & { lost: AbortSignal }) | undefined;
  let losing = new AbortController();
  let silent = 0;

  /** Requests to it that are open go on: it may respond to them, also after it has left. */
  const drop = (): undefined => (target = undefined);

  /** Whether the node accepts requests. The requests that it does not respond to are given up if it does not for a while. */
  const responds = async (one: Target): Promise<boolean> => {
    if (await isReachable(one)) {
      silent = 0;
      return true;
    }
    if (++silent === MAX_SILENT) {
      losing.abort(new Error("the writer node does not respond"));
      onUnreachable(one.url);
    }
    return false;
  };

  const read = async (): Promise<Target | undefined> => {
    if (isOwn) return undefined;
    try {
      const [text] = (await log.claims(WRITES_CLAIM)).values();
      return parseTarget(text);
    } catch (error) {
      // The other node may reach the engine while this one does not.
      if (target && !(await responds(target))) drop();
      throw error;
    }
  };

  const look = async (): Promise<void> => {
    const found = await read();
    if (!found || found.token === own.token || !(await responds(found))) return drop();
    if (target?.token === found.token && !losing.signal.aborted) return;
    losing = new AbortController();
    target = { ...found, lost: losing.signal };
  };

  const claiming = onOneNode([], log, {
    name: WRITES_CLAIM,
    node: JSON.stringify(own),
    onChange: (isHolder) => void (isOwn = isHolder),
    onError,
    retryMs: LOOK_MS,
  });
  const looking = repeat(LOOK_MS, look, { firstMs: 0, onError: exceptUnavailable(onError) });
  return {
    pollers: [claiming, looking] satisfies Poller[],
    /** The writer node; undefined if it is this one, or if it is unreachable. */
    target: () => target,
    drop,
    /** Lets another node become the writer node. */
    async leave(): Promise<void> {
      await claiming.stop();
      isOwn = false;
    },
  };
};
