/** What is to be written would take room that is kept free. */
export class NoRoom extends Error {
  override name = "NoRoom";
}

/** The room that deploys may take on the disk. */
export interface Room {
  /** @throws NoRoom if the reserve would be touched by so many bytes more */
  assert(bytes: number): void;
}

/** @param reserve bytes that stay free */
export const roomAbove = (free: () => number, reserve: number): Room => ({
  assert(bytes) {
    if (free() - bytes < reserve) throw new NoRoom(`less than ${bytes} bytes are free above DISK_RESERVE`);
  },
});

/** For who looks after the disk in another way. */
export const UNLIMITED: Room = { assert: () => {} };
