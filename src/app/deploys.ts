import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { freeBytes } from "../data-dir/free-space.ts";
import { ADMISSION, type AdmissionLimits, admission } from "../deploys/admission.ts";
import { openBlobs } from "../deploys/blobs.ts";
import { damagedBlobs, damageLog } from "../deploys/damaged-blobs.ts";
import { diskSpaceAbove } from "../deploys/disk-space.ts";
import { progressFile } from "../deploys/scrub-progress.ts";
import { scrubber } from "../deploys/scrub.ts";
import { deployService } from "../deploys/service.ts";
import { UPLOAD_PACE, type UploadPace, openUploads } from "../deploys/uploads.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Repositories } from "./repositories.ts";
import type { Runtime } from "./runtime.ts";

/** 14 GiB per hour. */
const SCRUB_BYTES_PER_SECOND = 4 * 2 ** 20;

export interface DeployOptions {
  /** How many uploads may run. */
  admissionLimits?: AdmissionLimits;
  /** How slow an upload may be. */
  uploadPace?: UploadPace;
  /** Free bytes on the disk of DATA_DIR. */
  freeSpace?: () => number;
}

/** Deploys, their files, and the scrubber that checks the files. */
export const deployServices = (
  { dataDir, diskReserve, deployLimit, projectQuota }: Config,
  repositories: Pick<Repositories, "deploys">,
  { clock, sleep, log }: Runtime,
  projects: Pick<ProjectService, "get">,
  {
    freeSpace = () => freeBytes(dataDir),
    admissionLimits = ADMISSION,
    uploadPace = UPLOAD_PACE,
  }: DeployOptions,
) => {
  const diskSpace = diskSpaceAbove(freeSpace, diskReserve);
  const damage = damagedBlobs(damageLog(log));
  const blobs = openBlobs(join(dataDir, "blobs"), { diskSpace, damage });
  const deploys = deployService({
    deploys: repositories.deploys,
    projects,
    blobs,
    uploads: openUploads(join(dataDir, "uploads"), { bytes: deployLimit, ...uploadPace }, diskSpace),
    admission: admission(admissionLimits),
    diskSpace,
    uploadLimit: deployLimit,
    projectQuota,
    clock,
  });
  const scrub = scrubber({
    blobs,
    needed: deploys.needed,
    progress: progressFile(join(dataDir, "scrub.json")),
    bytesPerSecond: SCRUB_BYTES_PER_SECOND,
    sleep,
    clock,
    onError: (error) => log.error({ err: error }, "files of deployed sites could not be checked"),
  });
  return { blobs, damage, deploys, scrub };
};
