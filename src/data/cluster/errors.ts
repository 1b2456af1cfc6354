import { EngineUnavailable, OutcomeUnknown } from "../../lib/storage-errors.ts";

export { EngineUnavailable, RecordTooLarge } from "../../lib/storage-errors.ts";

/** Reports the other errors of a poller: that the engine is unreachable is reported once, by its monitor. */
export const exceptUnavailable =
  (onError: (error: unknown) => void) =>
  (error: unknown): void => {
    if (!(error instanceof EngineUnavailable)) onError(error);
  };

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
