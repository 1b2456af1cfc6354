import { join } from "node:path";
import { ETCD, startEtcd } from "../etcd.ts";
import { MOTO, startMoto } from "../moto.ts";
import { directory, kept } from "../support.ts";
import type { Service } from "./retrying.ts";
import { newLedger } from "./ledger.ts";
import { namespace } from "./namespace.ts";
import { type Node, node } from "./nodes.ts";

/** What `real` needs for it. */
export const NEEDED = [...ETCD, MOTO, "curl"];

/** Below which the log is in etcd. */
export const PREFIX = "adoption-store";

const NAMES = ["a", "b", "c"] as const;

type Name = (typeof NAMES)[number];

export interface ClusterOptions {
  /** Where the nodes have their directories. */
  place?: string;
  /** Settings of each node, in addition to the address of the log. */
  envOf?: (name: Name) => Record<string, string>;
  /** The last node runs in a network namespace, and reaches the engine by a cable that can be cut. */
  isLastApart?: boolean;
  /** How many members etcd has. */
  members?: number;
  /** Another executable than the one that was built. */
  program?: string;
}

const portOf = (url: string): number => Number(new URL(url).port);

/** Three executables over a log that etcd members keep, and an S3 server. All end with the test. */
export const threeNodes = async ({
  place = directory(),
  envOf = () => ({}),
  isLastApart = false,
  members = 3,
  program,
}: ClusterOptions = {}) => {
  const etcd = kept(await startEtcd(members));
  const moto = kept(await startMoto());
  const ports = [...etcd.members.map(({ address }) => `http://${address}`), moto.endpoint].map(portOf);
  const cable = isLastApart ? await namespace(ports) : undefined;
  const settings = { DATABASE_URL: etcd.url(PREFIX), BLOBS_URL: moto.url };
  const nodeAt = (
    name: string,
    more: Record<string, string>,
    network = cable && name === "c" ? cable : undefined,
  ) =>
    kept(
      node({
        place: join(place, name),
        env: { ...settings, ...more },
        ...(network && { network }),
        ...(program !== undefined && { program }),
      }),
    );
  const [a, b, c] = NAMES.map((name) => nodeAt(name, envOf(name))) as [Node, Node, Node];
  const empty = nodeAt("empty", envOf("a"));
  await a.start();
  await Promise.all([b.start(), c.start()]);
  const service: Service = {
    urls: [a, b, c].map(({ url }) => url),
    key: a.adminKey(),
    ledger: newLedger(),
  };
  return {
    etcd,
    nodes: [a, b, c] as const,
    service,
    /** Another node, which has no data yet and is not started. */
    empty,
    cable,
  };
};

export type Cluster = Awaited<ReturnType<typeof threeNodes>>;
