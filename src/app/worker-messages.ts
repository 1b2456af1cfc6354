import type { AdopterReads } from "../access/audit/adopter-reads.ts";
import type { Config } from "../config/config.ts";
import type { OwnerSocket } from "../edge/forwarding.ts";
import type { RequestCounts } from "../http/metrics.ts";
import type { FaultCode } from "../lib/errors.ts";
import type { Rate } from "../lib/rate-limiter.ts";

/** The settings of a new worker. The ports are those that the owner listens on. */
export interface WorkerSettings {
  config: Config;
  socket: OwnerSocket;
}

/** A worker's counts since its last report. */
export interface WorkerReport extends RequestCounts {
  pid: number;
  keysUsed: ReadonlyMap<number, number>;
  adopterReads: readonly AdopterReads[];
  /** Resident memory, in bytes. */
  memory: number;
  /** CPU time since the last report, in seconds. */
  cpuSeconds: number;
}

/** A limiter of the owner, which counts for all workers. */
export type LimiterName = "requests" | "failures";

export interface Taken {
  limiter: LimiterName;
  client: string;
  rate: Rate;
}

/** The result or the error of a limiter's `take`. */
export type TakeResult =
  | { headers: Record<string, string> }
  | { code: FaultCode; message: string; headers: Readonly<Record<string, string>> };
