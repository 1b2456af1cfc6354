/** The limits of an archive. */
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

const MAX_NAME_CHARACTERS = 200;

export const shorten = (name: string): string =>
  name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;

/** A name that anyone may have chosen, safe to print on one line. */
const printable = (name: string): string => JSON.stringify(shorten(name));

/** The archive breaks a rule. The message names the rule and the entry, for the person who sent the archive. */
export class InvalidArchive extends Error {
  override name = "InvalidArchive";
  constructor(reason: string, entry?: string) {
    super(entry === undefined ? reason : `${printable(entry)}: ${reason}`);
  }
}
