import { createReadStream } from "node:fs";
import { lstat, readFile, readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { Readable, pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import tar from "tar-stream";
import { UsageError } from "./input.ts";

/** A file to pack. */
interface SiteFile {
  /** The path below the directory, with `/` between names. */
  path: string;
  /** Bytes. */
  size: number;
}

export interface Listing {
  files: SiteFile[];
  bytes: number;
  /** Names that begin with a dot, which no site serves, and links, sockets and devices. */
  skipped: string[];
}

/** The only name with a leading dot that sites serve (RFC 8615). */
const WELL_KNOWN = ".well-known";

/** Lists the files below a directory, sorted. @throws UsageError if it is not a directory, or has no file to publish */
export const listDirectory = async (directory: string): Promise<Listing> => {
  const files: SiteFile[] = [];
  const skipped: string[] = [];
  const visit = async (place: string): Promise<void> => {
    const entries = await readdir(place, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
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
  if (!isDirectory)
    throw new UsageError(
      `${JSON.stringify(directory)} is not a directory: name the directory that holds the site`,
    );
  await visit(directory);
  if (files.length === 0)
    throw new UsageError(
      `${JSON.stringify(directory)} has no file to publish: build the site first, or name another directory`,
    );
  return { files, skipped, bytes: files.reduce((sum, { size }) => sum + size, 0) };
};

/** A file up to this size is read in one piece: a stream takes ten times as long. */
const MAX_WHOLE_BYTES = 1024 * 1024;
/** The compressor gets pieces of this size: passing on many small ones takes longer than compressing. */
const PIECE_BYTES = 64 * 1024;
/** With zlib's default level, 6, archives are 5 % smaller, but this level takes 60 % of the time. */
const COMPRESSION_LEVEL = 3;

const changeMessage = (name: string): string => `${name} changed while it was packed: deploy again`;

/** Adds a file as it was listed. @throws if it has changed since */
const add = async (pack: tar.Pack, directory: string, { path: name, size }: SiteFile): Promise<void> => {
  const source = join(directory, name);
  const { promise, resolve, reject: refuse } = Promise.withResolvers<void>();
  const reject = ({ message }: Error) =>
    refuse(new Error(message === "Size mismatch" ? changeMessage(name) : `${name}: ${message}`));
  const done = (error?: Error | null) => (error ? reject(error) : resolve());
  if (size > MAX_WHOLE_BYTES) {
    const entry = pack.entry({ name, size }, done);
    entry.on("error", reject);
    createReadStream(source).on("error", reject).pipe(entry);
  } else {
    const content = await readFile(source).catch(reject);
    if (!content) return promise;
    if (content.length !== size) throw new Error(changeMessage(name));
    pack.entry({ name, size }, content, done);
  }
  await promise;
};

async function* joined(pack: tar.Pack): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of pack as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size < PIECE_BYTES) continue;
    yield Buffer.concat(parts, size);
    parts = [];
    size = 0;
  }
  yield Buffer.concat(parts, size);
}

interface PackObserver {
  /** Called when a file is packed. */
  onPacked(file: SiteFile): void;
  /** Called when a file cannot be packed as it was listed; the message names it. The stream ends with an error. */
  onError(error: Error): void;
}

/** The files as a `.tar.gz`, which is packed while it is read. */
export const packFiles = (
  directory: string,
  files: readonly SiteFile[],
  { onPacked, onError }: PackObserver,
): ReadableStream<Uint8Array> => {
  const pack = tar.pack();
  const addAll = async () => {
    for (const file of files) {
      await add(pack, directory, file);
      onPacked(file);
    }
    pack.finalize();
  };
  const archive = createGzip({ level: COMPRESSION_LEVEL, chunkSize: PIECE_BYTES });
  addAll().catch((error: Error) => {
    // A reader that stops destroys all streams, which is not a file's failure.
    if (!archive.destroyed) onError(error);
    pack.destroy(error);
  });
  // An error ends all of them, and reaches the reader of the stream.
  pipeline(Readable.from(joined(pack)), archive, () => {});
  return Readable.toWeb(archive);
};
