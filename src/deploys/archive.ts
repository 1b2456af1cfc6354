import { InvalidArchive, type UnpackLimits } from "./invalid-archive.ts";
import type { ArchiveEntry } from "./tar.ts";
import { isClutter } from "./site-root.ts";
import { archivePaths } from "./archive-paths.ts";
import { reasonOf } from "../lib/reason.ts";

/** A file of a site; `content` is read to its end before the next file is asked for. */
export interface UnpackedFile {
  path: string;
  /** Bytes, as the archive says; the content has as many. */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

const GZIP = "1f8b";
/** Of a first entry, and of the end record that an empty archive begins with. */
const ZIP = new Set(["504b0304", "504b0506"]);

/** Their readers are loaded with the first archive: 15 ms that a start need not wait for. */
const entriesOf = async (file: string, limits: UnpackLimits): Promise<AsyncIterable<ArchiveEntry>> => {
  const magic = Buffer.from(await Bun.file(file).slice(0, 4).bytes()).toString("hex");
  if (magic.startsWith(GZIP)) return (await import("./tar.ts")).tarEntries(file, limits);
  if (ZIP.has(magic)) return (await import("./zip.ts")).zipEntries(file);
  throw new InvalidArchive("The archive is neither a .tar.gz nor a .zip.");
};

/** True if the machine failed and not the archive: a disk that cannot be read, a file that is gone. */
const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

const refusalOf = (error: unknown): unknown => {
  if (error instanceof InvalidArchive || isSystemError(error)) return error;
  const reason = reasonOf(error);
  return new InvalidArchive(`The archive is damaged or cut off: ${reason}`);
};

/** Counts while it is read: what an archive says of its sizes is not believed. */
async function* limited(
  { name, content, size }: ArchiveEntry,
  take: (bytes: number, name: string) => void,
): AsyncGenerator<Uint8Array> {
  let seen = 0;
  try {
    for await (const chunk of content) {
      take(chunk.length, name);
      seen += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw refusalOf(error);
  }
  if (seen !== size) throw new InvalidArchive("is cut off", name);
}

/**
 * The files of a `.tar.gz` or `.zip` on disk, told apart by their first bytes, streamed. Paths are those of the archive
 * but for a leading `./`. Files that macOS adds on its own are left out.
 * @throws ArchiveRefused that names the entry, at the first one that is not fit
 */
export async function* unpack(file: string, limits: UnpackLimits): AsyncGenerator<UnpackedFile> {
  const tree = archivePaths(limits);
  let bytes = 0;
  let files = 0;
  const take = (count: number, name: string) => {
    bytes += count;
    if (bytes > limits.bytes) throw new InvalidArchive(`unpacks beyond ${limits.bytes} bytes in all`, name);
  };
  try {
    for await (const entry of await entriesOf(file, limits)) {
      const path = tree.add(entry.name, entry.kind);
      if (path === undefined || entry.kind === "directory" || isClutter(path)) continue;
      files += 1;
      if (files > limits.files) throw new InvalidArchive(`is more than ${limits.files} files`, entry.name);
      yield { path, size: entry.size, content: limited(entry, take) };
    }
  } catch (error) {
    throw refusalOf(error);
  }
  if (files === 0) throw new InvalidArchive("The archive holds no file.");
}
