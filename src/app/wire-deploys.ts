import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { freeBytes } from "../data-dir/free-space.ts";
import type { Database } from "../db/open.ts";
import { ADMISSION, type AdmissionLimits, admission } from "../deploys/admission.ts";
import { openBlobs } from "../deploys/blobs.ts";
import { type DamagedBlobs, damagedBlobs } from "../deploys/damaged-blobs.ts";
import { deployRepository } from "../deploys/repository.ts";
import { diskSpaceAbove } from "../deploys/disk-space.ts";
import { progressIn } from "../deploys/scrub-progress.ts";
import { scrubber } from "../deploys/scrub.ts";
import { deployService } from "../deploys/service.ts";
import { UPLOAD_PACE, type UploadPace, openUploads } from "../deploys/uploads.ts";
import type { Logger } from "../lib/log.ts";
import { lazy } from "../lib/lazy.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Clock } from "../lib/time.ts";

/** 14 GiB an hour. */
const SCRUB_BYTES_PER_SECOND = 4 * 2 ** 20;

export interface DeployOverrides {
  /** How many uploads there may be. */
  admissionLimits?: AdmissionLimits;
  /** How slow an upload may be. */
  uploadPace?: UploadPace;
  /** Bytes that are free on the disk of DATA_DIR. */
  freeSpace?: () => number;
}

/** The ledger of damaged files. Each is logged once. */
export const wireDamage = (log: Logger): DamagedBlobs =>
  damagedBlobs({
    onFound: (hash, problem) =>
      log.error({ blob: hash, problem }, "a file of a deployed site is damaged: deploy the site again"),
    onRepaired: (hash) => log.info({ blob: hash }, "a damaged file of a deployed site is whole again"),
  });

/** Deploys, their files, and the scrubber that checks these. */
export const wireDeploys = (
  { dataDir, diskReserve, deployLimit, projectQuota }: Config,
  database: Database,
  {
    projects,
    damage,
    clock,
    sleep,
    log,
    freeSpace = () => freeBytes(dataDir),
    admissionLimits = ADMISSION,
    uploadPace = UPLOAD_PACE,
  }: DeployOverrides & {
    projects: Pick<ProjectService, "get">;
    damage: DamagedBlobs;
    clock: Clock;
    sleep: (ms: number) => Promise<void>;
    log: Logger;
  },
) => {
  const room = diskSpaceAbove(freeSpace, diskReserve);
  const blobs = openBlobs(join(dataDir, "blobs"), { room, damage });
  const deploys = deployService({
    deploys: lazy(() => deployRepository(database)),
    projects,
    blobs,
    uploads: openUploads(join(dataDir, "uploads"), { bytes: deployLimit, ...uploadPace }, room),
    admission: admission(admissionLimits),
    room,
    uploadLimit: deployLimit,
    projectQuota,
    clock,
  });
  const scrub = scrubber({
    blobs,
    needed: deploys.needed,
    progress: progressIn(join(dataDir, "scrub.json")),
    bytesPerSecond: SCRUB_BYTES_PER_SECOND,
    sleep,
    clock,
    onFailed: (error) => log.error({ err: error }, "files of deployed sites could not be checked"),
  });
  return { blobs, deploys, scrub };
};
