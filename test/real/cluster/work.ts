import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "../../../src/data/cluster/open-replica.ts";
import { parseDatabaseUrl } from "../../../src/lib/database-url.ts";
import type { Etcd } from "../etcd.ts";
import { until } from "../support.ts";
import type { Node } from "./nodes.ts";
import { PREFIX } from "./three-nodes.ts";

/** The claim of the node that does what one node does: see src/app/cluster.ts. */
const CLAIM = "work";

/** How long the nodes may be without it after a kill. */
const MAX_TAKEOVER_MS = 30_000;

const idOf = ({ place }: Node): string => readFileSync(join(place, "data", "node.id"), "utf8").trim();

/** The node among these that orders certificates, once there is one. */
export const certificateNode = async (etcd: Etcd, nodes: readonly Node[]): Promise<Node> => {
  const log = await openLog(parseDatabaseUrl(etcd.url(PREFIX)));
  let found: Node | undefined;
  const isFound = async () => {
    const holder = (await log.claims(CLAIM)).get(CLAIM);
    found = nodes.find((node) => idOf(node) === holder);
    return found !== undefined;
  };
  try {
    await until("a node orders certificates", isFound, MAX_TAKEOVER_MS);
  } finally {
    await log.close();
  }
  return found as Node;
};
