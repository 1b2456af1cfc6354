import { writeFile } from "node:fs/promises";
import { openStore } from "../data/open.ts";
import { challengesSocketPath } from "../data/data-dir/paths.ts";
import { connectionsOf } from "../edge/connections.ts";
import { logger } from "../lib/log.ts";
import { repeat } from "../lib/poller.ts";
import { forwardedChallenges } from "../protocols/tls/alpn-challenges.ts";
import { type Channel, connectToOwner } from "../edge/workers/channel.ts";
import { limitersOf } from "../edge/workers/limiters.ts";
import { createListeners } from "./listeners.ts";
import { createRequestHandlers } from "./request-handlers.ts";
import { systemRuntime } from "../data/context.ts";
import { createServices } from "./services.ts";
import type { WorkerReport, WorkerSettings } from "./workers.ts";

/** How often a worker reports its counts. */
const REPORT_MS = 200;
/** As the owner's. */
const GRACE_MS = 8000;

/** The CPU time since the last call, in seconds. */
const cpuMeter = () => {
  let before = 0;
  return (): number => {
    const { user, system } = process.cpuUsage();
    const spent = (user + system) / 1e6 - before;
    before += spent;
    return spent;
  };
};

/** Opens the database and the ports of the server, and serves. */
const startWorker = async ({ config, socket }: WorkerSettings, owner: Channel) => {
  process.umask(0o077);
  const log = logger({ level: config.logLevel, format: config.logFormat, colour: config.colour });
  const { database } = await openStore(config, { create: false });
  // Only the owner writes.
  database.client.run("PRAGMA query_only=ON");
  const context = { config, database, ...systemRuntime, log };
  const keysUsed = new Map<number, number>();
  const services = createServices(context, {
    requestIndex: () => owner.ask<boolean>("index").catch(() => false),
    touchKeys: async (lastUsed) => {
      for (const [id, at] of lastUsed) keysUsed.set(id, at);
    },
  });
  const challenges = forwardedChallenges(challengesSocketPath(config.dataDir));
  const listeners = createListeners(config, log, { challenges });
  const stopping = new AbortController();
  const { main, http } = await listeners.listenForHttp();
  const https = await listeners.listenForHttps(services.https);
  const { fetch, misdirected, metrics } = createRequestHandlers(context, services, {
    connections: connectionsOf(http ? [main, http] : [main], https),
    port: main.port,
    httpsPort: https?.port ?? 0,
    fileUse: listeners.fileUse,
    responseUse: https?.responses,
    backupStatus: () => undefined,
    owner: {
      socket,
      stopping: stopping.signal,
      limiters: limitersOf(owner),
    },
  });
  listeners.handle({ fetch, misdirected });

  const cpuSeconds = cpuMeter();
  const report = async (): Promise<void> => {
    await services.keys.flush();
    const adopterReads = services.adopterReads.drain();
    const counted: WorkerReport = {
      ...metrics.drain(),
      pid: process.pid,
      keysUsed: new Map(keysUsed),
      adopterReads,
      memory: process.memoryUsage.rss(),
      cpuSeconds: cpuSeconds(),
    };
    keysUsed.clear();
    try {
      await owner.ask("report", counted);
    } catch (error) {
      for (const { reader, rows } of adopterReads) services.adopterReads.record(reader, rows);
      throw error;
    }
  };
  const onError = (error: unknown) => log.warn({ err: error }, "a worker could not report");
  const pollers = [
    repeat(REPORT_MS, () => (metrics.isUnchanged() ? undefined : report()), { onError }),
    ...(services.https ? [services.https.certificateWatch] : []),
  ];
  for (const poller of pollers) poller.start();
  await report();
  return {
    report,
    async stop(): Promise<void> {
      const closed = listeners.stop(GRACE_MS);
      stopping.abort();
      await Promise.all([closed, ...pollers.map((poller) => poller.stop())]);
      await report();
    },
  };
};

/** The system calls a worker `exe`, after the link that it is started from: `ps` and `ss` then show the name of the program. */
const setName = (): Promise<void> => writeFile("/proc/self/comm", "adoption-store").catch(() => {});

/** Runs a worker until its owner stops it or ends. */
export const runWorker = (): void => {
  void setName();
  let worker: Awaited<ReturnType<typeof startWorker>> | undefined;
  const owner = connectToOwner({
    start: async (settings: WorkerSettings) => {
      worker = await startWorker(settings, owner);
      Bun.unsafe.setJITPolicy(1);
    },
    report: () => worker?.report(),
    async stop() {
      await worker?.stop();
      process.exit();
    },
  });
};
