import { rmSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { saveSettings } from "../../config/shared-settings.ts";
import {
  type MissingWorkers,
  ownExecutable,
  processRecordPath,
  readProcessRecord,
  saveProcessRecord,
} from "./process-record.ts";
import type { Logger } from "../../lib/log.ts";
import { VERSION } from "../../lib/version.ts";

/** Removes the record of the server before this one. Until `saveRecords`, commands see that this one is starting. */
export const removeOldRecord = (dataDir: string): void => rmSync(processRecordPath(dataDir), { force: true });

/** Saves the settings and the process for commands that run alongside this server. If that fails, the server still works. */
export const saveRecords = async (
  config: Config,
  { url, port }: { url: string; port: number },
  log: Logger,
): Promise<void> => {
  const record = {
    pid: process.pid,
    version: VERSION,
    startedAt: Math.round(performance.timeOrigin),
    executable: ownExecutable(),
    url,
    host: config.portHost,
  };
  await Promise.all([saveSettings(config, port), saveProcessRecord(config.dataDir, record)]).catch(
    (error: unknown) =>
      log.warn({ err: error }, "the settings could not be saved for commands that run next to this server"),
  );
};

/** Called with the process ids of the workers that run, and why some do not. */
export type WorkersRecorder = (workers: readonly number[], missing: MissingWorkers | undefined) => void;

/** Saves the workers in the record of this server, one change after the other. */
export const workersRecorder = ({ dataDir }: Config, log: Logger): WorkersRecorder => {
  let saved = Promise.resolve();
  return (workers, missingWorkers) => {
    const save = async (): Promise<void> => {
      const record = readProcessRecord(dataDir);
      if (record) await saveProcessRecord(dataDir, { ...record, workers, missingWorkers });
    };
    saved = saved
      .then(save)
      .catch((error: unknown) => log.warn({ err: error }, "the workers could not be saved for commands"));
  };
};
