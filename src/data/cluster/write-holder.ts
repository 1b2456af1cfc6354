import { type Poller, repeat } from "../../lib/poller.ts";
import { exceptUnavailable, type Log } from "./log.ts";
import { onOneNode } from "./on-one-node.ts";

/** The name of the claim of the node that writes for all. Its value is a {@link Target}. */
const CLAIM = "writes";
const LOOK_MS = 1000;

interface Target {
  readonly url: string;
  readonly token: string;
}

const parseTarget = (text: string | undefined): Target | undefined => {
  try {
    const { url, token } = JSON.parse(text ?? "") as Record<string, unknown>;
    return typeof url === "string" && url.startsWith("http://") && typeof token === "string"
      ? { url, token }
      : undefined;
  } catch {
    // Nobody has the claim, or another version writes another form.
    return undefined;
  }
};

/**
 * Agrees with the other nodes on one that writes for all: the first that claims it, until it stops or its claim expires.
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
  let unreachable: string | undefined;

  const drop = (): void => {
    if (target) losing.abort(new Error("the node that writes for all is unreachable"));
    target = undefined;
  };

  const read = async (): Promise<Target | undefined> => {
    if (isOwn) return undefined;
    try {
      const [text] = (await log.claims(CLAIM)).values();
      return parseTarget(text);
    } catch (error) {
      // The other node may reach the engine while this one does not.
      if (target && !(await isReachable(target))) drop();
      throw error;
    }
  };

  const look = async (): Promise<void> => {
    const found = await read();
    if (!found || found.token === own.token) return drop();
    if (!(await isReachable(found))) {
      drop();
      if (unreachable !== found.token) onUnreachable(found.url);
      unreachable = found.token;
      return;
    }
    unreachable = undefined;
    if (target?.token === found.token) return;
    drop();
    losing = new AbortController();
    target = { ...found, lost: losing.signal };
  };

  const claiming = onOneNode([], log, {
    name: CLAIM,
    node: JSON.stringify(own),
    onChange: (isHolder) => void (isOwn = isHolder),
    onError,
    retryMs: LOOK_MS,
  });
  const looking = repeat(LOOK_MS, look, { firstMs: 0, onError: exceptUnavailable(onError) });
  return {
    pollers: [claiming, looking] satisfies Poller[],
    /** The other node that writes for all; undefined if this one does, or if it is unreachable. */
    target: () => target,
    drop,
    /** Lets another node write for all. */
    async leave(): Promise<void> {
      await claiming.stop();
      isOwn = false;
    },
  };
};
