import { join } from "node:path";
import { storeIdOf } from "../data/db/store-id.ts";
import { freeBytes } from "../data/data-dir/storage.ts";
import {
  type AdmissionLimits,
  type UploadPace,
  ADMISSION,
  UPLOAD_PACE,
  admission,
  openUploads,
  receiveUpload,
} from "../platform/deploys/uploads.ts";
import { openBlobs } from "../platform/deploys/blobs.ts";
import { damageLog, damagedBlobs } from "../platform/deploys/blob-check.ts";
import { type DiskSpace, diskSpaceAbove } from "../platform/deploys/disk-space.ts";
import { NO_UPLOADER } from "../platform/deploys/remote/uploader.ts";
import { progressFile, scrubber } from "../platform/deploys/scrub.ts";
import { deployService } from "../platform/deploys/service.ts";
import type { ProjectService } from "../platform/projects/service.ts";
import type { RequestOptions } from "../protocols/s3/object-store.ts";
import { type Objects, objectStorage } from "../platform/deploys/remote/object-storage.ts";
import { MAX_QUEUED_BYTES } from "../store/photos/photo.ts";
import { photoStorage } from "./photos.ts";
import { MAX_IMPORT_BYTES, type ReceiveImport } from "../store/import-export/endpoints.ts";
import type { Context } from "../data/context.ts";

/** 14 GiB per hour. */
const SCRUB_BYTES_PER_SECOND = 4 * 2 ** 20;

export interface DeployOptions {
  /** How many uploads may run. */
  admissionLimits?: AdmissionLimits;
  /** How slow an upload may be. */
  uploadPace?: UploadPace;
  /** Bytes of all photos that wait. */
  maxQueuedBytes?: number;
  /** Free bytes on the disk of DATA_DIR. */
  freeSpace?: () => number;
  /** How long and how often the object store is asked. */
  objectRequests?: RequestOptions;
}

const IMPORT_WORDS = { name: "file", limit: "", unstored: "this file. Nothing of it was imported" };

/** One file is imported at a time. */
const IMPORT_LIMITS: AdmissionLimits = { perCaller: 4, total: 16, unpacking: 1 };

/** Receives the files of imports. */
const importFiles = (dataDir: string, diskSpace: DiskSpace, pace: UploadPace) => {
  const limits = { bytes: MAX_IMPORT_BYTES, ...pace };
  const uploads = openUploads(join(dataDir, "import-uploads"), limits, diskSpace);
  const importing = admission(IMPORT_LIMITS);
  const receiving = {
    uploads,
    admission: importing,
    diskSpace,
    uploadLimit: MAX_IMPORT_BYTES,
    words: IMPORT_WORDS,
  };
  const receive: ReceiveImport = (upload, use) => receiveUpload(upload, receiving, use);
  return {
    receive,
    /** Removes uploads that a crash left. */
    clearUploads: () => {
      if (importing.isIdle()) uploads.clear();
    },
  };
};

/** Deploys, their files and those of photos and imports, and the scrubber that checks the files. */
export const deployServices = (
  context: Context,
  projects: Pick<ProjectService, "get">,
  {
    freeSpace = () => freeBytes(context.config.dataDir),
    admissionLimits = ADMISSION,
    uploadPace = UPLOAD_PACE,
    maxQueuedBytes = MAX_QUEUED_BYTES,
    objectRequests,
  }: DeployOptions,
) => {
  const { config, database, log } = context;
  const { dataDir, diskReserve, deployLimit } = config;
  const diskSpace = diskSpaceAbove(freeSpace, diskReserve);
  const damage = damagedBlobs(damageLog(log));
  const remote = objectStorage(context, diskSpace, objectRequests);
  const blobs = openBlobs(join(dataDir, "blobs"), {
    diskSpace,
    damage,
    ...(remote && { fetcherOf: remote.fetcherOf }),
  });
  const uploader = remote?.uploaderOf(blobs.pathOf);
  const stored = uploader ?? (config.databaseUrl && NO_UPLOADER);
  const photoFiles = photoStorage({
    dataDir,
    blobs,
    uploader: stored,
    diskSpace,
    uploadPace,
    maxQueuedBytes,
  });
  const deploys = deployService(context, {
    projects,
    blobs,
    uploader: stored,
    uploads: openUploads(join(dataDir, "uploads"), { bytes: deployLimit, ...uploadPace }, diskSpace),
    admission: admission(admissionLimits),
    diskSpace,
  });
  const scrub = scrubber(context, {
    blobs,
    needed: deploys.needed,
    progress: progressFile(join(dataDir, "scrub.json")),
    bytesPerSecond: SCRUB_BYTES_PER_SECOND,
  });
  const objects: Objects | undefined =
    uploader &&
    remote?.start(
      { blobs, deploys, fresh: database.fresh, owner: () => storeIdOf(database.client) ?? "" },
      uploader,
    );
  return {
    blobs,
    damage,
    deploys,
    photoFiles,
    importFiles: importFiles(dataDir, diskSpace, uploadPace),
    scrub,
    objects,
  };
};
