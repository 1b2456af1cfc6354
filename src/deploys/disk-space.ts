/** A write would use disk space that is kept free. */
export class InsufficientSpace extends Error {
  override name = "InsufficientSpace";
}

/** The disk space that deploys may use. */
export interface DiskSpace {
  /** @throws InsufficientSpace if so many more bytes would use the reserve */
  assertFree(bytes: number): void;
}

/** @param reserve bytes that stay free */
export const diskSpaceAbove = (freeBytes: () => number, reserve: number): DiskSpace => ({
  assertFree(bytes) {
    if (freeBytes() - bytes < reserve)
      throw new InsufficientSpace(`less than ${bytes} bytes are free above DISK_RESERVE`);
  },
});

/** For callers that check the disk space themselves. */
export const UNLIMITED_SPACE: DiskSpace = { assertFree: () => {} };
