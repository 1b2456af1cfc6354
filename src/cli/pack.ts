import { createReadStream } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { Readable, pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import tar from "tar-stream";
import { UsageError } from "./terminal.ts";

/** A file that is to be packed. */
export interface Found {
  /** With `/` between names, below the directory. */
  path: string;
  /** Bytes. */
  size: number;
}

export interface Listing {
  files: Found[];
  bytes: number;
  /** Names that begin with a dot, which no site serves, and what is neither file nor directory. */
  skipped: string[];
}

/** Sites serve nothing whose name begins with a dot but this (RFC 8615). */
const WELL_KNOWN = ".well-known";

/** Lists what a directory holds, sorted. @throws UsageError if it is none, or holds nothing to publish */
export const listDirectory = async (directory: string): Promise<Listing> => {
  const files: Found[] = [];
  const skipped: string[] = [];
  const visit = async (place: string): Promise<void> => {
    const entries = await readdir(place, { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const full = join(place, entry.name);
      const path = relative(directory, full).split(sep).join("/");
      const isHidden = entry.name.startsWith(".") && entry.name !== WELL_KNOWN;
      if (isHidden || !(entry.isDirectory() || entry.isFile())) skipped.push(path);
      else if (entry.isDirectory()) await visit(full);
      else files.push({ path, size: (await lstat(full)).size });
    }
  };
  const isDirectory = await stat(directory).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDirectory) throw new UsageError(`${JSON.stringify(directory)} is no directory`);
  await visit(directory);
  if (files.length === 0) throw new UsageError(`${JSON.stringify(directory)} holds no file to publish`);
  return { files, skipped, bytes: files.reduce((sum, { size }) => sum + size, 0) };
};

/**
 * The files as a `.tar.gz`, made while it is read.
 * @param onPacked told of each file once it is packed
 */
export const packFiles = (
  directory: string,
  files: readonly Found[],
  onPacked: (file: Found) => void,
): ReadableStream<Uint8Array> => {
  const pack = tar.pack();
  const addAll = async () => {
    for (const file of files) {
      const { path: name, size } = file;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const entry = pack.entry({ name, size }, (error) => (error ? reject(error) : resolve()));
      entry.on("error", reject);
      // A file that changes its size meanwhile fails the pack, not the server.
      createReadStream(join(directory, name)).on("error", reject).pipe(entry);
      await promise;
      onPacked(file);
    }
    pack.finalize();
  };
  addAll().catch((error: Error) => pack.destroy(error));
  const packed = createGzip();
  // An error ends all of them; who reads the stream is told.
  pipeline(Readable.from(pack), packed, () => {});
  return Readable.toWeb(packed) as unknown as ReadableStream<Uint8Array>;
};
