import { resolve } from "node:path";
import { type Environment, settingText } from "../config/sources.ts";
import { NoDatabase } from "../data/data-dir/checks.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { sentence } from "../lib/text.ts";
import { SERVICE, STATE_DIRECTORY } from "../operate/service/unit.ts";
import { type StoppedService, isInstalled, stoppedService } from "../operate/service/systemd.ts";
import { readUnitEnvironment } from "../operate/service/environment.ts";

const readVariables = () => readUnitEnvironment("", () => {}).variables;

/** The DATA_DIR that the service's settings name; undefined if they cannot be read. */
export const serviceDirectory = (read: () => Environment = readVariables): string | undefined => {
  try {
    return resolve(STATE_DIRECTORY, settingText("dataDir", { flags: {}, env: read() }).text);
  } catch {
    return undefined;
  }
};

/** True for the DATA_DIR of the service; for its default directory if this user may not read the service's settings. */
export const isServiceDirectory = (dataDir: string, read?: () => Environment): boolean =>
  resolve(dataDir) === (serviceDirectory(read) ?? STATE_DIRECTORY);

const isServiceStore = (dataDir: string): boolean => isInstalled() && isServiceDirectory(dataDir);

/** The service of a store, if it has failed or is stopped. */
export const serviceOf = async (dataDir: string): Promise<StoppedService | undefined> =>
  isServiceStore(dataDir) ? stoppedService() : undefined;

/** Why the service does not run, with its own last message, and the remedy. */
export const describeStopped = ({ result, line }: StoppedService): string => {
  if (result === undefined) return `The service is stopped. Start it: sudo systemctl start ${SERVICE}`;
  const reason =
    line === undefined
      ? `Its log shows why: sudo journalctl --unit ${SERVICE}.`
      : sentence(`Its last message: ${line}`);
  return `The service has failed (${result}). ${reason} Correct the cause, then run: sudo systemctl restart ${SERVICE}`;
};

/** The next steps after an installation that starts nothing. */
export const describeUnstarted = ({
  isRunning,
  isChanged,
}: Record<"isRunning" | "isChanged", boolean>): string => {
  const installed = `The service ${SERVICE} is installed`;
  if (!isRunning)
    return `${installed}, and starts at boot. To start it now:\n  sudo systemctl start ${SERVICE}`;
  return isChanged
    ? `${installed}, and runs with its previous settings. To restart it now:\n  sudo systemctl restart ${SERVICE}`
    : `Nothing changed. ${installed} and running.`;
};

const CREATION = `creates it when it first starts. Run: sudo systemctl start ${SERVICE}`;

/** Which program creates the store that a DATA_DIR does not have yet. */
export const creationAdvice = (dataDir: string): string =>
  isServiceStore(dataDir) ? `the service ${CREATION}` : "adoption-store serve creates it";

/** An error about a missing database names the service if the service creates that database. */
export const withServiceAdvice = (error: unknown): unknown =>
  error instanceof NoDatabase && isServiceStore(error.dataDir)
    ? new OperatorError(`DATA_DIR ${error.dataDir} has no database yet. The service ${CREATION}`, {
        cause: error,
      })
    : error;
