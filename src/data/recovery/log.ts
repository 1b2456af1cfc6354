/** The frames of a log (https://sqlite.org/fileformat2.html#the_write_ahead_log), of which some may be damaged. */
export interface Log {
  /** Where in the file the newest committed version of a page is; undefined if that version is unreadable. */
  readonly pages: ReadonlyMap<number, number | undefined>;
  /** The size of the database after the last commit, in pages; 0 without one. */
  readonly size: number;
  /** Damaged frames that are committed, or may be. */
  readonly lostFrames: number;
  /** Frames of a commit without its end. After a crash that is normal: no write in it was acknowledged. */
  readonly openFrames: number;
}

export const NO_LOG: Log = { pages: new Map(), size: 0, lostFrames: 0, openFrames: 0 };

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The part of a frame's header that its checksum covers. */
const CHECKED_HEADER_BYTES = 8;
/** The program never sets another page size, so that a different one in a header is damage. */
export const PAGE_BYTES = 4096;

type Sum = readonly [number, number];

const addTo = ([first, second]: Sum, bytes: DataView, isLittle: boolean): Sum => {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.byteLength; at += 8) {
    a = (a + bytes.getUint32(at, isLittle) + b) | 0;
    b = (b + bytes.getUint32(at + 4, isLittle) + a) | 0;
  }
  return [a >>> 0, b >>> 0];
};

const isEqual = (one: Sum, other: Sum): boolean => one[0] === other[0] && one[1] === other[1];

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const sumAt = (view: DataView, at: number): Sum => [view.getUint32(at), view.getUint32(at + 4)];

interface Frame {
  page: number;
  /** The size of the database in pages if the frame ends a commit, else 0. */
  commit: number;
  /** Where its page is. */
  at: number;
  /** True if it is of the current generation. */
  hasSalts: boolean;
  isSound: boolean;
}

/**
 * Reads the frames of the log's current generation. A frame that fails its checksum does not hide the later frames, because each
 * checksum continues the one that is stored in the frame before it.
 */
const framesOf = (bytes: Uint8Array): Frame[] => {
  const view = viewOf(bytes);
  const step = FRAME_HEADER_BYTES + PAGE_BYTES;
  const fields = viewOf(bytes.subarray(0, HEADER_BYTES - 8));
  const headerSum = sumAt(view, HEADER_BYTES - 8);
  const isLittle = !isEqual(addTo([0, 0], fields, false), headerSum);
  const isSoundHeader = isEqual(addTo([0, 0], fields, isLittle), headerSum);
  // A damaged header may have other salts than the frames.
  const salts = sumAt(view, isSoundHeader || bytes.length < HEADER_BYTES + step ? 16 : HEADER_BYTES + 8);
  const frames: Frame[] = [];
  let seeds: Sum[] = [headerSum, addTo([0, 0], fields, isLittle)];
  for (let at = HEADER_BYTES; at + step <= bytes.length; at += step) {
    const header = viewOf(bytes.subarray(at, at + CHECKED_HEADER_BYTES));
    const page = viewOf(bytes.subarray(at + FRAME_HEADER_BYTES, at + step));
    const stored = sumAt(view, at + 16);
    const sumFrom = (seed: Sum) => addTo(addTo(seed, header, isLittle), page, isLittle);
    const hasSalts = isEqual(sumAt(view, at + 8), salts);
    const previous = frames.at(-1);
    const match = seeds.findIndex((seed) => isEqual(sumFrom(seed), stored));
    // The previous frame's content was right, and its stored checksum damaged.
    if (match === 1 && previous) previous.isSound = true;
    frames.push({
      page: view.getUint32(at),
      commit: view.getUint32(at + 4),
      at: at + FRAME_HEADER_BYTES,
      hasSalts,
      isSound: match >= 0 && (hasSalts || previous?.isSound !== false),
    });
    seeds = [stored, sumFrom(seeds[0] as Sum)];
  }
  return frames;
};

/** Reads a log. Frames after the last sound commit are an older generation, or a commit that never ended. */
export const readLog = (bytes: Uint8Array): Log => {
  if (bytes.length < HEADER_BYTES) return NO_LOG;
  const frames = framesOf(bytes);
  const end = frames.findLastIndex(({ isSound, commit }) => isSound && commit > 0) + 1;
  const committed = frames.slice(0, end);
  const pages = new Map<number, number | undefined>();
  for (const { page, at, isSound } of committed) pages.set(page, isSound ? at : undefined);
  return {
    pages,
    size: committed.at(-1)?.commit ?? 0,
    lostFrames: frames.filter(({ isSound, hasSalts }, at) => !isSound && (hasSalts || at < end)).length,
    openFrames: frames.slice(end).filter(({ isSound }) => isSound).length,
  };
};
