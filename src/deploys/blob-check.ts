import { createReadStream, readFileSync, statSync } from "node:fs";

/** Files up to this size are read in one piece: a stream takes ten times as long. */
const MAX_BYTES_IN_ONE_PIECE = 64 * 1024;
const PART_BYTES = 2 ** 20;

/** The problem of a file that does not exist. */
export const MISSING = "is missing";

/** Errors which say that a file is lost or unreadable. Any other error says nothing about the file. */
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

/** What is wrong with a file, from the error of reading it; undefined if the error says nothing about the file. */
export const problemFromError = (error: unknown): string | undefined => {
  if (error instanceof InvalidHash) return "is not named by a hash";
  if (error instanceof NotAFile) return "is not an ordinary file";
  return PROBLEMS.get((error as NodeJS.ErrnoException | undefined)?.code ?? "");
};

const hashProblem = (actual: string, expected: string): string | undefined =>
  actual === expected ? undefined : "has other content than was stored";

/** What is wrong with the content of a blob; undefined if it is whole. */
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

/** @throws the system's error if it says nothing about the file */
const problemOrThrow = (error: unknown): string => {
  const problem = problemFromError(error);
  if (problem === undefined) throw error;
  return problem;
};

/**
 * What is wrong with a blob; undefined if it is whole.
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

/** What is wrong with the size of a blob; undefined if it is right. */
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
