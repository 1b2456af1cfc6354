/** The prefix of blobs in the object store: the whole store is one directory of names. */
export const BLOBS = "blobs/";
/** An object for each upload that has not been committed yet: `pending/<hash of its manifest>-<UUID>`. */
export const PENDING = "pending/";
/** An object for each sweep: `sweeps/<UUID>` while it removes objects, and then `sweeps/<UUID>.done`. */
export const SWEEPS = "sweeps/";
export const DONE = ".done";
/** Names the store that these objects belong to: another one must not sweep them. */
export const OWNER = "owner";

export const blobName = (hash: string): string => BLOBS + hash;

/** The hash of a blob's name; undefined for any other name. */
export const hashIn = (name: string): string | undefined => /^blobs\/([\da-f]{64})$/.exec(name)?.[1];

/** The hash of the manifest in the name of a pending upload. */
export const manifestIn = (name: string): string | undefined =>
  /^pending\/([\da-f]{64})-[\da-f-]{36}$/.exec(name)?.[1];

/** An upload that takes longer is refused. */
export const MAX_UPLOAD_MS = 6 * 60 * 60_000;
/**
 * Objects younger than this are never swept, and pending uploads are respected for so long: four times as long as an upload
 * may take. The archive itself, at `UPLOAD_PACE` 9 hours for the largest, arrives before its upload begins.
 */
export const GRACE_MS = 24 * 60 * 60_000;
/** How long after its mark a sweep may remove objects: uploads wait for so long if the sweeper dies. */
export const SWEEP_MS = 60_000;
/** The allowed difference between the store's clock and a sweeper's, with the minute for which it accepts a request. */
export const SWEEP_MARGIN_MS = 90_000;
