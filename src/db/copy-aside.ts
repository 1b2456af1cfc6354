import { createEmpty } from "../lib/ownership.ts";
import { openSqlWorker } from "./sql-worker.ts";

/**
 * Copies the committed state of a database in use into a new file, for this user only, without free pages. It runs in a worker,
 * and writers need not wait.
 */
export const copyAside = async (path: string, copy: string, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  createEmpty(copy);
  await using worker = await openSqlWorker(path);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => {
    worker.terminate();
    reject(signal?.reason);
  };
  signal?.addEventListener("abort", abort);
  try {
    await Promise.race([worker.run("VACUUM INTO ?", [copy]), aborted]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
};
