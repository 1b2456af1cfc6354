import type { Config } from "../../config/config.ts";
import { databasePath } from "../../data/data-dir/paths.ts";
import { freeBytes } from "../../data/data-dir/storage.ts";
import { openExisting } from "../../data/db/snapshot.ts";
import { manifestsOf } from "../../data/db/stored-deploys.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { diskSpaceAbove } from "../../platform/deploys/disk-space.ts";
import { isObjectStoreFailure, remoteBlobs } from "../../platform/deploys/remote/object-storage.ts";
import { type SiteStorage, blobsIn, blobsPath, fetchMissing, neededFiles } from "./site-files.ts";

/** The storage of sites' files for a command. @throws OperatorError if BLOBS_URL has no keys */
export const siteStorage = ({ dataDir, diskReserve, blobsUrl }: Config): SiteStorage =>
  blobsUrl
    ? remoteBlobs(
        blobsUrl,
        blobsPath(dataDir),
        diskSpaceAbove(() => freeBytes(dataDir), diskReserve),
      )
    : { blobs: blobsIn(dataDir) };

const manifestsIn = (dataDir: string): string[] => {
  using client = openExisting(databasePath(dataDir), { readonly: true });
  return manifestsOf(client);
};

type OnFiles = (done: number, of: number) => void;

/** Uploads the files of all deploys that the object store lacks; none without BLOBS_URL. @throws OperatorError */
export const uploadSiteFiles = async (config: Config, onFiles: OnFiles): Promise<void> => {
  const { blobs, remote } = siteStorage(config);
  await remote?.upload(await neededFiles(blobs, manifestsIn(config.dataDir)), onFiles);
};

/** Fetches the files of all deploys that DATA_DIR lacks; none without BLOBS_URL. @throws OperatorError */
export const fetchSiteFiles = async (config: Config, onFiles: OnFiles): Promise<void> => {
  const { blobs } = siteStorage(config);
  try {
    await fetchMissing(blobs, await neededFiles(blobs, manifestsIn(config.dataDir)), onFiles);
  } catch (error) {
    if (!isObjectStoreFailure(error)) throw error;
    throw new OperatorError(
      "files of sites are in the object store of BLOBS_URL, which cannot be reached: run adoption-store doctor, then try again",
    );
  }
};
