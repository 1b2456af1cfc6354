import { removeOldCopies } from "../operate/backups/pre-migration-copy.ts";
import type { Config } from "../config/config.ts";
import type { Context } from "../data/context.ts";
import type { ClockGuard } from "../data/data-dir/clock.ts";
import type { ServerLock } from "../data/data-dir/lock.ts";
import { describeChanged } from "../data/db/changed-pages.ts";
import { REMEDY, describeDifferences } from "../data/db/derived.ts";
import type { Database } from "../data/db/open.ts";
import type { RefusedHosts } from "../edge/refused-hosts.ts";
import type { Logger } from "../lib/log.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import type { ServerCluster } from "./cluster.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import type { Services } from "./services.ts";

/** How often the last use of keys is saved, and expired rows are removed. */
const DATABASE_MAINTENANCE_MS = 10_000;
/** How often the index of animals catches up with the writes: it then lacks a few thousand animals at most. */
const INDEX_MS = 250;
const INSPECTION_MS = 24 * 60 * 60_000;
const FIRST_INSPECTION_MS = 10_000;
/** How often the refused hosts are written. */
const REFUSED_HOSTS_MS = 5000;
/** How often problems of host names are looked for. */
const NOTICE_MS = 60_000;
/** How often files that no deploy needs are removed. */
const FILE_MAINTENANCE_MS = 60 * 60_000;

/** Checks that the files of DATA_DIR are in place, and takes the lock again if its file was deleted. */
const watchFiles = ({ assertInPlace }: Database, lock: ServerLock, log: Logger, watchMs: number): Poller => {
  let isReported = false;
  const watch = () => {
    try {
      assertInPlace();
    } catch {
      // `database.lost` stops the server once everything recoverable is saved.
      return;
    }
    if (lock.keep())
      log.warn("server.lock was deleted or replaced: the server has created and locked it again");
    isReported = false;
  };
  return repeat(watchMs, watch, {
    onError(error) {
      if (!isReported)
        log.warn({ err: error }, "server.lock was deleted or replaced, and cannot be locked again");
      isReported = true;
    },
  });
};

/** Reads the whole database soon after the start and every day, so that damage is found before a request reads it. */
const inspectDatabase = ({ inspect }: Database, log: Logger): Poller =>
  repeat(
    INSPECTION_MS,
    async (signal) => {
      const { damage, unreadable, differences, changed = new Map<string, number>() } = await inspect(signal);
      if (damage.size > 0 || unreadable !== undefined)
        log.error(
          { tables: Object.fromEntries(damage), reason: unreadable },
          "the database is damaged, or its disk fails: run adoption-store doctor to find the remedy",
        );
      if (changed.size > 0) log.error({ pages: Object.fromEntries(changed) }, describeChanged(changed));
      if (differences.length > 0)
        log.error({ differences }, `${describeDifferences(differences)}: ${REMEDY}`);
    },
    {
      firstMs: FIRST_INSPECTION_MS,
      onError(error) {
        if ((error as Error).name !== "AbortError")
          log.warn({ err: error }, "derived data could not be compared with its rows");
      },
    },
  );

/** Logs failed work. An unreachable engine of a cluster is logged once, elsewhere. */
const warningOf = (log: Logger) => (message: string) => (error: unknown) =>
  error instanceof EngineUnavailable ? undefined : log.warn({ err: error }, message);

/** Stores the records that services collect in memory. Records that cannot be stored remain for the next call. */
export const storeRecords = async (
  { keys, people, refusedSignIns, adopterReads }: Services,
  warn: (message: string) => (error: unknown) => void,
  { isLast = false } = {},
): Promise<void> => {
  await keys.flush().catch(warn("the last use of keys could not be saved"));
  await people.flush().catch(warn("when people were last seen could not be saved"));
  await refusedSignIns
    .flush({ isLast })
    .catch(warn("failed sign-ins could not be recorded in the audit log"));
  await adopterReads
    .flush({ isLast })
    .catch(warn("reads of adopters' data could not be recorded in the audit log"));
};

/** Stores records, and shortens the write-ahead log. */
const maintainDatabase = ({ shrinkLog }: Database, services: Services, log: Logger): Poller => {
  const warn = warningOf(log);
  const maintain = async () => {
    await storeRecords(services, warn);
    await shrinkLog();
  };
  return repeat(DATABASE_MAINTENANCE_MS, maintain, {
    onError: warn("the write-ahead log could not be shortened"),
  });
};

/** Indexes new and changed animals soon after they are written. */
const indexPets = ({ pets }: Services, log: Logger): Poller =>
  repeat(INDEX_MS, pets.indexing.tidy, {
    onError: warningOf(log)("the index of animals could not be brought up to date"),
  });

const sweepRows = ({ sweepRows: sweep }: Services, log: Logger): Poller =>
  repeat(DATABASE_MAINTENANCE_MS, sweep, {
    onError: warningOf(log)("expired rows could not be removed"),
  });

/** Removes files of old deploys, photos and migrations, at the start and every hour. */
const maintainFiles = (
  { dataDir }: Config,
  { deploys, photoFiles, importFiles }: Services,
  { jump }: ClockGuard,
  log: Logger,
): Poller =>
  repeat(
    FILE_MAINTENANCE_MS,
    async () => {
      if (jump()) return;
      photoFiles.clearUploads();
      importFiles.clearUploads();
      await deploys.sweep();
      for (const file of removeOldCopies(dataDir, Date.now()))
        log.info({ file }, "removed the copy from before a migration");
    },
    { firstMs: 0, onError: (error) => log.error({ err: error }, "hourly maintenance failed") },
  );

/** Writes the refused hosts for commands that run alongside the server. A full disk is reported once. */
const saveRefusedHosts = ({ dataDir }: Config, hosts: RefusedHosts, log: Logger): Poller => {
  let isReported = false;
  return repeat(REFUSED_HOSTS_MS, () => hosts.save(dataDir), {
    firstMs: 0,
    onError(error) {
      if (!isReported) log.warn({ err: error }, "the refused hosts could not be saved");
      isReported = true;
    },
  });
};

const noticeProblems = ({ notices, certificateQueue }: Services, log: Logger): Poller =>
  repeat(NOTICE_MS, async () => notices.update(Date.now(), (await certificateQueue.places()).keys()), {
    firstMs: 0,
    onError: warningOf(log)("problems of host names could not be recorded"),
  });

interface MaintenanceOptions {
  lock: ServerLock;
  watchMs: number;
  refusedHosts: RefusedHosts;
  /** Undefined without BACKUP_SCHEDULE. */
  backups: Poller | undefined;
  clockGuard: ClockGuard;
  /** Undefined unless this is a node of one. */
  cluster: ServerCluster | undefined;
}

/** The periodic work of a server. `src/data/cluster/README.md` lists the work of each node. */
export const maintenance = (
  { config, database, log }: Context,
  services: Services,
  { lock, watchMs, refusedHosts, backups, clockGuard, cluster }: MaintenanceOptions,
): Poller[] => {
  const { https, objects } = services;
  const ofEach = [
    watchFiles(database, lock, log, watchMs),
    maintainDatabase(database, services, log),
    indexPets(services, log),
    clockGuard,
    maintainFiles(config, services, clockGuard, log),
    saveRefusedHosts(config, refusedHosts, log),
    ...(cluster?.pollers ?? []),
    services.platformWatch,
    services.scrub,
    inspectDatabase(database, log),
    ...(objects?.everyNode ?? []),
    ...(https ? [https.certificateWatch] : []),
  ];
  /** The work that one node of a cluster does for all. */
  const ofOne = [
    sweepRows(services, log),
    noticeProblems(services, log),
    services.domainScheduler,
    services.recordWatch,
    ...(https ? [https.scheduler] : []),
    ...(objects ? [objects.oneNode] : []),
    ...(backups ? [backups] : []),
  ];
  return [...ofEach, ...(cluster ? [cluster.onOneNode(ofOne)] : ofOne)];
};
