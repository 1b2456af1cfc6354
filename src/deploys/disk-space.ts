/** A write would use disk space that is kept free. */
export class NoRoom extends Error {
  override name = "NoRoom";
}

/** The disk space that deploys may use. */
export interface Room {
  /** @throws NoRoom if so many more bytes would use the reserve */
  assert(bytes: number): void;
}

/** @param reserve bytes that stay free */
export const roomAbove = (free: () => number, reserve: number): Room => ({
  assert(bytes) {
    if (free() - bytes < reserve) throw new NoRoom(`less than ${bytes} bytes are free above DISK_RESERVE`);
  },
});

/** For callers that check the disk space themselves. */
export const UNLIMITED: Room = { assert: () => {} };
