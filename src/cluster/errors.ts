import { OutcomeUnknown } from "../lib/storage-errors.ts";

export { EngineUnavailable } from "../lib/storage-errors.ts";

/** A record was sent to the engine, and whether it is in the log could not be found out in time. */
export class AppendUnknown extends OutcomeUnknown {
  override name = "AppendUnknown";
}

/** A record is too large for the engine. Nothing was put. */
export class RecordTooLarge extends Error {
  override name = "RecordTooLarge";

  constructor(
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(`the write takes ${bytes} bytes in the cluster's log, and at most ${limit} are allowed`);
  }
}

/** The records that a node needs were removed: it has to start from the snapshot. */
export class LogTrimmed extends Error {
  override name = "LogTrimmed";
}

/** The replica differs from the log, or lacks records that were removed: it has to be made again from the snapshot. */
export class ReplicaOutdated extends Error {
  override name = "ReplicaOutdated";
}
