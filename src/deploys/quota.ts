import { Fault } from "../lib/errors.ts";
import type { Stored } from "./blobs.ts";
import { type Manifest, blobSizes } from "./manifest.ts";

/** What is known of a deploy without reading its manifest. */
export interface DeploySize {
  files: number;
  /** Bytes of all files, unpacked. */
  bytes: number;
}

/** There are two codings, and each is stored only if it saves an eighth. */
const MAX_FACTOR = 1 + 2 * (7 / 8);
/** No entry of a manifest is larger. */
const MAX_ENTRY = 8192;

/** An upper bound of what the deploy takes on the disk. */
export const maxDiskBytes = ({ files, bytes }: DeploySize): number => MAX_FACTOR * bytes + MAX_ENTRY * files;

/** Adds up what the deploys of one project take. Files that they share count once. */
export const diskUsage = () => {
  const blobs = new Map<string, number>();
  return {
    /** @param stored the manifest itself */
    add(manifest: Manifest, stored: Stored): void {
      blobs.set(stored.hash, stored.size);
      for (const file of manifest.values()) for (const [hash, size] of blobSizes(file)) blobs.set(hash, size);
    },
    bytes: (): number => blobs.values().reduce((sum, size) => sum + size, 0),
  };
};

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;

export const quotaExceeded = (needed: number, quota: number): Fault =>
  new Fault(
    "quota_exceeded",
    `With this deploy the project would take ${mebibytes(needed)} of its ${mebibytes(quota)}: delete deploys that you no longer need, then deploy again.`,
  );
