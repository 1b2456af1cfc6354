import { createReadStream, readFileSync, statSync } from "node:fs";
import type { Warning } from "../../http/health.ts";
import { Fault } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";

/** Files up to this size are read in one piece: a stream takes ten times as long. */
const MAX_BYTES_IN_ONE_PIECE = 64 * 1024;
const PART_BYTES = 2 ** 20;

/** The problem of a file that does not exist. */
export const MISSING = "is missing";

/** Errors that mean a lost or unreadable file. Any other error proves nothing about the file. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", MISSING],
  ["ENOTDIR", MISSING],
  ["EISDIR", "is a directory"],
  ["EIO", "cannot be read (EIO)"],
  ["EUCLEAN", "cannot be read (EUCLEAN)"],
  ["EBADMSG", "cannot be read (EBADMSG)"],
]);

/** True for a SHA-256 in lower-case hexadecimal. Nothing else may become part of a path. */
export const isHash = (text: string): boolean => /^[\da-f]{64}$/.test(text);

/** A text that should be the hash of a blob is not a hash, such as `../../dev/zero`. */
export class InvalidHash extends Error {
  override name = "InvalidHash";
}

/** A path that should be a file is a directory, pipe or device. */
class NotAFile extends Error {}

/** The size of a file in bytes. @throws NotAFile, or the system's error */
export const blobSize = (path: string): number => {
  const found = statSync(path);
  if (!found.isFile()) throw new NotAFile(path);
  return found.size;
};

/** The problem of a file, from the error of reading it; undefined if the error is not about the file. */
export const problemFromError = (error: unknown): string | undefined => {
  if (error instanceof InvalidHash) return "is not named by a hash";
  if (error instanceof NotAFile) return "is not an ordinary file";
  return PROBLEMS.get((error as NodeJS.ErrnoException | undefined)?.code ?? "");
};

const hashProblem = (actual: string, expected: string): string | undefined =>
  actual === expected ? undefined : "has other content than was stored";

/** The problem of a blob's content; undefined if it is whole. */
export const contentProblem = (bytes: Uint8Array, hash: string): string | undefined =>
  hashProblem(Bun.SHA256.hash(bytes, "hex"), hash);

const hashFile = async (path: string, onPart: (bytes: number) => unknown): Promise<string> => {
  if (blobSize(path) <= MAX_BYTES_IN_ONE_PIECE) {
    const bytes = readFileSync(path);
    await onPart(bytes.length);
    return Bun.SHA256.hash(bytes, "hex");
  }
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const part of createReadStream(path, { highWaterMark: PART_BYTES })) {
    hasher.update(part as Uint8Array);
    await onPart((part as Uint8Array).length);
  }
  return hasher.digest("hex");
};

/** @throws the system's error if it is not about the file */
const problemOrThrow = (error: unknown): string => {
  const problem = problemFromError(error);
  if (problem === undefined) throw error;
  return problem;
};

/**
 * The problem of a blob; undefined if it is whole.
 * @param onPart awaited after each part of the content that is read
 */
export const blobProblem = async (
  path: string,
  hash: string,
  onPart: (bytes: number) => unknown = () => {},
): Promise<string | undefined> => {
  try {
    return hashProblem(await hashFile(path, onPart), hash);
  } catch (error) {
    return problemOrThrow(error);
  }
};

/** The problem of a blob's size; undefined if it is right. */
export const sizeProblem = async (path: string, size: number): Promise<string | undefined> => {
  try {
    const stat = await Bun.file(path).stat();
    if (!stat.isFile()) throw new NotAFile(path);
    const found = stat.size;
    return found === size ? undefined : `has ${found} bytes instead of ${size}`;
  } catch (error) {
    return problemOrThrow(error);
  }
};

/** A file of a deploy is missing or has other content than was stored, and is not served. */
export class BlobDamaged extends Fault {
  constructor(readonly hash: string) {
    super("damaged_file");
  }
}

interface DamageEvents {
  onFound(hash: string, problem: string): void;
  onRepaired(hash: string): void;
}

/** Logs each damaged file once, and once more when it is whole again. */
export const damageLog = (log: Pick<Logger, "error" | "info">): DamageEvents => ({
  onFound: (hash, problem) =>
    log.error({ blob: hash, problem }, "a file of a deployed site is damaged: deploy the site again"),
  onRepaired: (hash) => log.info({ blob: hash }, "a damaged file of a deployed site is whole again"),
});

/** Remembers which blobs are missing or damaged. */
export const damagedBlobs = (events?: DamageEvents) => {
  const hashes = new Set<string>();
  return {
    /** The recorded problem of a blob. */
    problemOf: (hash: string): string | undefined =>
      hashes.has(hash) ? "is known to be damaged" : undefined,
    /** Adds a damaged blob, and reports it the first time. @returns the error to throw instead of serving the blob */
    add(hash: string, problem: string): BlobDamaged {
      if (!hashes.has(hash)) events?.onFound(hash, problem);
      hashes.add(hash);
      return new BlobDamaged(hash);
    },
    /** Removes a blob that is whole again, and reports it. */
    remove(hash: string): void {
      if (hashes.delete(hash)) events?.onRepaired(hash);
    },
    /** Forgets blobs that no deploy needs. */
    retainOnly(needed: ReadonlySet<string>): void {
      for (const hash of hashes) if (!needed.has(hash)) hashes.delete(hash);
    },
    hashes: () => [...hashes],
  };
};

export type DamagedBlobs = ReturnType<typeof damagedBlobs>;

const MAX_NAMED = 3;

/** The warning of `/readyz` about damaged files. */
export const damageWarnings = ({ hashes }: Pick<DamagedBlobs, "hashes">): Warning[] => {
  const damaged = hashes();
  if (damaged.length === 0) return [];
  const named = damaged.slice(0, MAX_NAMED).map((hash) => `blobs/${hash.slice(0, 2)}/${hash.slice(2)}`);
  const more = damaged.length > MAX_NAMED ? ` and ${damaged.length - MAX_NAMED} more` : "";
  return [
    {
      code: "damaged_files",
      count: damaged.length,
      message: `Files of deployed sites or photos are missing or damaged: ${named.join(", ")}${more}. Run adoption-store doctor for the names of the deploys and photos. Deploy these sites again, add these photos again, or restore a backup; then check the disk.`,
    },
  ];
};
