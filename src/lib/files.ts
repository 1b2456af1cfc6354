import { accessSync, closeSync, openSync, readFileSync, statSync } from "node:fs";
import { attempt } from "./attempt.ts";

/** The size in bytes; 0 if the file is missing. */
export const fileSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** The text of a file; undefined if it cannot be read. */
export const readText = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"));

/** The content of a JSON file; undefined if it is missing, unreadable or malformed. */
export const readJson = (path: string): unknown =>
  attempt((): unknown => JSON.parse(readFileSync(path, "utf8")));

/** Opens a file, and closes it once `use` returns or throws. */
export const withFile = <Result>(
  path: string,
  flags: string | number,
  use: (descriptor: number) => Result,
): Result => {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** True if this process may use the path in this way. @param mode such as `constants.R_OK` */
export const isAllowed = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

const OUT_OF_FILES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** True if the process or the system has reached its limit of open files. */
export const isOutOfFiles = (error: unknown): boolean =>
  error instanceof Error && "code" in error && OUT_OF_FILES.has(error.code);

const PAUSE_MS = 25;
const MAX_RETRIES = 40;

/**
 * Runs `act`, and retries it for about a second while no file can be opened. Connections beyond the limits are closed within
 * that time. A result that is not a promise is returned directly.
 */
export const retryOutOfFiles = <Result>(
  act: () => Result | Promise<Result>,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): Result | Promise<Result> => {
  const retry = async (error: unknown, retries: number): Promise<Result> => {
    if (!isOutOfFiles(error) || retries === MAX_RETRIES) throw error;
    await sleep(PAUSE_MS);
    try {
      return await act();
    } catch (next) {
      return retry(next, retries + 1);
    }
  };
  const result = act();
  return result instanceof Promise ? result.catch((error: unknown) => retry(error, 0)) : result;
};
