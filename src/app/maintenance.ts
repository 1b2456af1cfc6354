import { removeOldCopies } from "../backups/pre-migration-copy.ts";
import type { Config } from "../config/config.ts";
import type { ServerLock } from "../data-dir/lock.ts";
import type { Database } from "../db/open.ts";
import type { Logger } from "../lib/log.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import type { Services } from "./services.ts";

/** How often times of last use are written. */
const TEND_MS = 10_000;
/** How often files are swept that no deploy needs. */
const SETTLE_MS = 60 * 60_000;

/** Looks for the files of DATA_DIR, and takes the lock again if its file was deleted. */
const watchFiles = ({ assertInPlace }: Database, lock: ServerLock, log: Logger, watchMs: number): Poller => {
  let isReported = false;
  const watch = () => {
    try {
      assertInPlace();
    } catch {
      // `database.lost` says so, once what can be saved is saved.
      return;
    }
    if (lock.keep()) log.warn("server.lock was deleted or replaced: the server has made and taken it again");
    isReported = false;
  };
  return repeat(watchMs, watch, {
    onError(error) {
      if (!isReported)
        log.warn({ err: error }, "server.lock was deleted or replaced, and cannot be taken again");
      isReported = true;
    },
  });
};

/** Writes times of last use, removes what is kept for a time only, and keeps the log short. */
const tendDatabase = ({ shrinkLog }: Database, { keys, sweeper }: Services, log: Logger): Poller => {
  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);
  const tend = async () => {
    await keys.flush().catch(warn("times of last use not written"));
    await sweeper.run().catch(warn("not swept"));
    await shrinkLog();
  };
  return repeat(TEND_MS, tend, { onError: warn("the log was not cut down") });
};

/** What is done once the server responds, and again every hour. */
const settle = (
  { dataDir }: Config,
  { deploys }: Services,
  publishReference: () => Promise<void>,
  log: Logger,
): Poller =>
  repeat(
    SETTLE_MS,
    async () => {
      await publishReference();
      await deploys.sweep();
      for (const file of removeOldCopies(dataDir, Date.now()))
        log.info({ file }, "removed the copy from before a migration");
    },
    { firstMs: 0, onError: (error) => log.error({ err: error }, "not settled") },
  );

/** The periodic work of a server. */
export const maintenance = (
  config: Config,
  database: Database,
  services: Services,
  {
    lock,
    log,
    watchMs,
    publishReference,
  }: { lock: ServerLock; log: Logger; watchMs: number; publishReference: () => Promise<void> },
): Poller[] => [
  watchFiles(database, lock, log, watchMs),
  tendDatabase(database, services, log),
  settle(config, services, publishReference, log),
  services.domainScheduler,
  services.scrub,
  ...(services.https ? [services.https.certificateWatch, services.https.scheduler] : []),
];
