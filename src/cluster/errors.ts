import { OutcomeUnknown } from "../lib/storage-errors.ts";

export { EngineUnavailable, RecordTooLarge } from "../lib/storage-errors.ts";

/** A record was sent to the engine, and whether it is in the log could not be found out in time. */
export class AppendUnknown extends OutcomeUnknown {
  override name = "AppendUnknown";
}

/** The records that a node needs were removed: it has to start from the snapshot. */
export class LogTrimmed extends Error {
  override name = "LogTrimmed";
}

/** The replica differs from the log, or lacks records that were removed: it has to be made again from the snapshot. */
export class ReplicaOutdated extends Error {
  override name = "ReplicaOutdated";
}
