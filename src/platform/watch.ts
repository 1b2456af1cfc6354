import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../lib/durable.ts";
import type { Logger } from "../lib/log.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import type { Clock } from "../lib/time.ts";
import { type PlatformFault, describeFaults } from "./fault.ts";
import type { PlatformReport } from "./probe.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Until the next probe after one that found a fault. */
const RETRY_MS = 10 * 60_000;

/** What the server of a DATA_DIR found, for commands beside it. With `input`, they probe as the server does. */
export interface SavedPlatform<Input = unknown> {
  faults: PlatformFault[];
  input: Input;
}

const platformPath = (dataDir: string): string => join(dataDir, "platform.json");

/** Undefined if the server has not probed yet, or if the file cannot be read. */
export const readPlatform = <Input>(dataDir: string): SavedPlatform<Input> | undefined => {
  try {
    const value = JSON.parse(readFileSync(platformPath(dataDir), "utf8")) as SavedPlatform<Input>;
    return Array.isArray(value.faults) ? value : undefined;
  } catch {
    return undefined;
  }
};

interface WatchOptions {
  dataDir: string;
  /** Undefined if there is nothing to probe. */
  probe: (() => Promise<{ report: PlatformReport; input: unknown }>) | undefined;
  clock: Clock;
  log: Pick<Logger, "warn" | "info">;
}

/** Logs a change once. */
const logChange = (log: WatchOptions["log"], before: string, after: string): void => {
  if (before === after) return;
  if (after === "") log.info("the platform is ready for custom domains");
  else log.warn({ faults: after }, "the platform is not ready for custom domains");
};

/** Probes the platform's own names at the start and daily, and more often while something is wrong. */
export const platformWatch = ({ dataDir, probe, clock, log }: WatchOptions) => {
  let faults: readonly PlatformFault[] = [];
  let nextAt = 0;
  const run = async () => {
    if (!probe) return rmSync(platformPath(dataDir), { force: true });
    if (clock.now() < nextAt) return undefined;
    const { report, input } = await probe();
    nextAt = clock.now() + (report.faults.length > 0 ? RETRY_MS : DAY_MS);
    logChange(log, describeFaults(faults), describeFaults(report.faults));
    faults = report.faults;
    const saved: SavedPlatform = { faults: report.faults, input };
    return writeDurably(platformPath(dataDir), `${JSON.stringify(saved, null, 2)}\n`);
  };
  const poller: Poller = repeat(RETRY_MS, run, {
    firstMs: 0,
    onError: (error) => log.warn({ err: error }, "the platform's names could not be probed"),
  });
  return { ...poller, faults: (): readonly PlatformFault[] => faults };
};
