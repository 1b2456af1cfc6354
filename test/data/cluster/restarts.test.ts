import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startNode } from "../../../src/data/cluster/restarts.ts";
import type { Server } from "../../../src/app/server.ts";
import { LogTrimmed, ReplicaOutdated } from "../../../src/data/cluster/log.ts";
import { readConfig } from "../../../src/config/config.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { temporaryDirectory } from "../../support/store.ts";

/** Servers that fail when a test wants them to. */
const fakeServers = () => {
  const started: { fail: (reason: Error) => void; isStopped: boolean }[] = [];
  const refusals: Error[] = [];
  const reasons: string[] = [];
  const start = async () => {
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
    const server = { fail, isStopped: false };
    started.push(server);
    return {
      url: `http://server${started.length}`,
      failed,
      log: { error: ({ reason }: { reason: string }) => void reasons.push(reason) },
      state: async () => "Ready",
      stop: async () => void (server.isStopped = true),
    } as unknown as Server;
  };
  return { started, refusals, reasons, start };
};

const startFake = async () => {
  const dataDir = temporaryDirectory();
  const servers = fakeServers();
  const config = readConfig({ flags: { dataDir }, env: {}, isTerminal: false });
  const node = startNode(config, servers.start, { firstPauseMs: 1 });
  const mark = join(dataDir, "adoption-store.db.outdated");
  return { ...servers, node, isMarked: () => existsSync(mark) };
};

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await Bun.sleep(1);
};

test("a node whose replica is outdated stops serving, marks the replica, and starts again", async () => {
  const { node, started, isMarked } = await startFake();
  const server = await node;
  started[0]?.fail(new ReplicaOutdated("its checksum differs"));
  await until(() => started.length === 2);
  expect(started[0]?.isStopped).toBe(true);
  expect(isMarked()).toBe(true);
  expect(server.url).toBe("http://server2");
  await server.stop();
  expect(started[1]?.isStopped).toBe(true);
});

test("a node whose replica is outdated starts again if it was found outdated while it started", async () => {
  const { start, refusals, started } = fakeServers();
  refusals.push(new ReplicaOutdated("the log was trimmed"));
  const config = readConfig({ flags: { dataDir: temporaryDirectory() }, env: {}, isTerminal: false });
  await startNode(config, start);
  expect(started.length).toBe(1);
});

test("a node that catches up more slowly than the log is trimmed loads each new snapshot, and does not exit", async () => {
  const { start, refusals, started } = fakeServers();
  const cause = new LogTrimmed("the records up to position 9 were removed");
  refusals.push(...Array.from({ length: 9 }, () => new ReplicaOutdated(cause.message, { cause })));
  const config = readConfig({ flags: { dataDir: temporaryDirectory() }, env: {}, isTerminal: false });
  await startNode(config, start);
  expect(started.length).toBe(1);
});

test("a node whose replica is outdated tries again while it cannot start, and gives up in the end", async () => {
  const { node, started, refusals } = await startFake();
  const server = await node;
  refusals.push(new Error("the engine is unreachable"), new Error("the engine is unreachable"));
  started[0]?.fail(new ReplicaOutdated("its checksum differs"));
  await until(() => started.length === 2);
  refusals.push(...Array.from({ length: 8 }, () => new Error("the engine is gone")));
  started[1]?.fail(new ReplicaOutdated("its checksum differs"));
  expect((await server.failed).message).toBe("the engine is gone");
});

test("a node whose replica is outdated logs why it cannot start again yet", async () => {
  const { node, started, refusals, reasons } = await startFake();
  await node;
  refusals.push(new Error("the engine has no log"));
  started[0]?.fail(new ReplicaOutdated("the log ended"));
  await until(() => started.length === 2);
  expect(reasons).toEqual(["the log ended", "the engine has no log"]);
});

test("a node fails if its replica becomes outdated again and again", async () => {
  const { node, started } = await startFake();
  const server = await node;
  for (let at = 0; at < 4; at++) {
    await until(() => started.length === at + 1);
    started[at]?.fail(new ReplicaOutdated("its checksum differs"));
  }
  expect((await server.failed).message).toBe("its checksum differs");
  expect(started.length).toBe(4);
});

test("a node fails immediately for any other reason", async () => {
  const { node, started, isMarked } = await startFake();
  const server = await node;
  started[0]?.fail(new Error("its files are lost"));
  expect((await server.failed).message).toBe("its files are lost");
  expect([started.length, isMarked()]).toEqual([1, false]);
});

test("a node that cannot start at all reports the reason", async () => {
  const { start, refusals } = fakeServers();
  refusals.push(new Error("the port is in use"));
  const config = readConfig({ flags: { dataDir: temporaryDirectory() }, env: {}, isTerminal: false });
  expect(await outcomeOf(startNode(config, start))).toThrow("the port is in use");
});
