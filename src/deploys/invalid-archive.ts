/** What an archive may hold at most. */
export interface UnpackLimits {
  /** Bytes of all files together, unpacked. */
  bytes: number;
  files: number;
  /** Bytes of one path in UTF-8. */
  pathBytes: number;
  /** Names in one path, the file's own included. */
  depth: number;
}

export const UNPACK_LIMITS: UnpackLimits = { bytes: 2 ** 30, files: 50_000, pathBytes: 1024, depth: 32 };

const SHOWN = 200;

export const shortened = (name: string): string => (name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);

/** A name from a stranger, safe to show on one line. */
const shown = (name: string): string => JSON.stringify(shortened(name));

/** The archive is at fault, not the service; the message says how, names the entry, and is fit for whoever sent it. */
export class InvalidArchive extends Error {
  override name = "ArchiveRefused";
  constructor(reason: string, entry?: string) {
    super(entry === undefined ? reason : `${shown(entry)}: ${reason}`);
  }
}
