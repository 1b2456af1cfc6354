import { systemRuntime } from "../../src/data/context.ts";
import pino from "pino";
import { serverCluster } from "../../src/app/cluster.ts";
import type { Cluster, ReplicaState } from "../../src/data/cluster/cluster.ts";
import { readConfig } from "../../src/config/config.ts";
import { MemoryEngine } from "./memory-log.ts";
import { atEnd, temporaryDirectory, testClock } from "./store.ts";

const STATE: ReplicaState = {
  position: 7,
  head: 9,
  confirmedAt: 0,
  problem: undefined,
  blames: [],
  isEngineFull: false,
  appends: 5,
  lostAppends: 2,
  applied: 3,
  recordBytes: 100,
  appendSeconds: 0.5,
};
const DATABASE_URL = "etcd://root:s3cret-word@etcd.example.org/shelter";

/** A server's node over an engine in memory, whose state a test changes. */
export const clusterNode = async (env: Record<string, string> = {}) => {
  const engine = new MemoryEngine();
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "info", base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const clock = testClock();
  let state = STATE;
  const cluster: Cluster = {
    log: engine.open(),
    node: "node-1",
    liveNodes: () => 1,
    state: () => state,
    outdated: new Promise(() => {}),
    fail: () => {},
    contents: () => [],
    speculate: async (run) => ({ result: await run(), hasWritten: false }),
  };
  const config = readConfig({
    flags: {},
    env: { DATA_DIR: temporaryDirectory(), DATABASE_URL, ...env },
    isTerminal: false,
  });
  const node = await serverCluster(
    cluster,
    { ...systemRuntime, config, clock, log },
    { address: "http://192.0.2.1:3000", url: "http://192.0.2.1:3000" },
  );
  atEnd(async () => void (await Promise.all(node.pollers.map((poller) => poller.stop()))));
  const change = async (changes: Partial<ReplicaState>) => {
    state = { ...state, ...changes };
    for (const poller of node.pollers) await poller.tick();
  };
  return { engine, node, lines, clock, change };
};
