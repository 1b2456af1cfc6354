import { reasonOf } from "../../lib/reason.ts";
import { type UnpackLimits, InvalidArchive, archivePaths } from "./archive-rules.ts";
import { isMacMetadata } from "./site-root.ts";
import type { ArchiveEntry } from "./tar.ts";

/** A file of a site. Read `content` to its end before you ask for the next file. */
export interface UnpackedFile {
  path: string;
  /** Bytes, as the archive declares. The content has exactly as many. */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

const GZIP = "1f8b";
/** The signatures of a first entry, and of the end record that an empty archive begins with. */
const ZIP = new Set(["504b0304", "504b0506"]);

/** Loads the readers with the first archive, which saves 15 ms at start-up. */
const openEntries = async (file: string, limits: UnpackLimits): Promise<AsyncIterable<ArchiveEntry>> => {
  const magic = Buffer.from(await Bun.file(file).slice(0, 4).bytes()).toString("hex");
  if (magic.startsWith(GZIP)) return (await import("./tar.ts")).tarEntries(file, limits);
  if (ZIP.has(magic)) return (await import("./zip.ts")).zipEntries(file);
  throw new InvalidArchive("The archive is neither a .tar.gz nor a .zip.");
};

/** True if the machine is at fault and not the archive: an unreadable disk, a removed file. */
const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

const toInvalidArchive = (error: unknown): unknown => {
  if (error instanceof InvalidArchive || isSystemError(error)) return error;
  return new InvalidArchive(`The archive is damaged or cut off: ${reasonOf(error)}`);
};

/** Counts bytes while they are read: an archive may lie about its sizes. */
async function* countBytes(
  { name, content, size }: ArchiveEntry,
  onBytes: (bytes: number, name: string) => void,
): AsyncGenerator<Uint8Array> {
  let seen = 0;
  try {
    for await (const chunk of content) {
      onBytes(chunk.length, name);
      seen += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw toInvalidArchive(error);
  }
  if (seen !== size) throw new InvalidArchive("is cut off", name);
}

/**
 * Streams the files of a `.tar.gz` or `.zip` on disk; the first bytes show the type. Paths are those of the archive, without a
 * leading `.//`. Files that macOS adds are left out.
 * @throws InvalidArchive that names the first entry that breaks a rule
 */
export async function* unpack(file: string, limits: UnpackLimits): AsyncGenerator<UnpackedFile> {
  const paths = archivePaths(limits);
  let bytes = 0;
  let files = 0;
  const onBytes = (count: number, name: string) => {
    bytes += count;
    if (bytes > limits.bytes)
      throw new InvalidArchive(`exceeds the limit of ${limits.bytes} bytes unpacked`, name);
  };
  try {
    for await (const entry of await openEntries(file, limits)) {
      const path = paths.add(entry.name, entry.kind);
      if (path === undefined || entry.kind === "directory" || isMacMetadata(path)) continue;
      files += 1;
      if (files > limits.files)
        throw new InvalidArchive(`exceeds the limit of ${limits.files} files`, entry.name);
      yield { path, size: entry.size, content: countBytes(entry, onBytes) };
    }
  } catch (error) {
    throw toInvalidArchive(error);
  }
  if (files === 0) throw new InvalidArchive("The archive holds no file.");
}
