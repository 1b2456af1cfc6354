import { Fault } from "../lib/errors.ts";
import type { BlobSource, Stored } from "./blobs.ts";
import { type Manifest, blobSizes, loadManifest } from "./manifest.ts";

/** The size of a deploy, known without its manifest. */
interface DeploySize {
  files: number;
  /** Bytes of all files, unpacked. */
  bytes: number;
}

/** A file has at most two compressed copies, and each saves at least an eighth. */
const MAX_FACTOR = 1 + 2 * (7 / 8);
/** The largest entry of a manifest. */
const MAX_ENTRY_BYTES = 8192;

/** An upper bound for the disk space of a deploy. */
const maxDiskBytes = ({ files, bytes }: DeploySize): number => MAX_FACTOR * bytes + MAX_ENTRY_BYTES * files;

/** Adds up the disk space of one project's deploys. A blob that several deploys share counts once. */
const diskUsage = () => {
  const blobs = new Map<string, number>();
  return {
    /** @param stored the manifest's own blob */
    add(manifest: Manifest, stored: Stored): void {
      blobs.set(stored.hash, stored.size);
      for (const file of manifest.values()) for (const [hash, size] of blobSizes(file)) blobs.set(hash, size);
    },
    bytes: (): number => blobs.values().reduce((sum, size) => sum + size, 0),
  };
};

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;

const quotaExceeded = (needed: number, quota: number): Fault =>
  new Fault(
    "quota_exceeded",
    `With this deploy the project would take ${mebibytes(needed)} of its ${mebibytes(quota)}: delete deploys that you no longer need, then deploy again.`,
  );

interface QuotaOptions {
  blobs: BlobSource;
  /** The deploys of the project that stay beside the new one. */
  retained: readonly (DeploySize & { manifest: string | null })[];
  /** Bytes. */
  quota: number;
}

/** @throws Fault quota_exceeded if a new deploy and those that stay beside it take more than the quota */
export const assertQuota = async (
  { manifest, stored, bytes }: { manifest: Manifest; stored: Stored; bytes: number },
  { blobs, retained, quota }: QuotaOptions,
): Promise<void> => {
  // Most projects are so far below the quota that no manifest needs to be read.
  const bound = [{ files: manifest.size, bytes }, ...retained].reduce(
    (sum, one) => sum + maxDiskBytes(one),
    0,
  );
  if (bound <= quota) return;
  const usage = diskUsage();
  usage.add(manifest, stored);
  for (const { manifest: hash } of retained)
    if (hash !== null)
      usage.add(await loadManifest(blobs, hash).catch(() => new Map()), {
        hash,
        size: Bun.file(blobs.pathOf(hash)).size,
      });
  if (usage.bytes() > quota) throw quotaExceeded(usage.bytes(), quota);
};
