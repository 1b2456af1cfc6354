import { crc32, inflateRawSync } from "node:zlib";
import { type Entry, type ZipFile, openPromise } from "yauzl";
import { type EntryKind, InvalidArchive } from "./archive-rules.ts";
import type { ArchiveEntry } from "./tar.ts";

/** Files up to this size are inflated in one piece: a stream takes ten times as long. */
const MAX_BYTES_IN_ONE_PIECE = 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a name as UTF-8, regardless of the flag: nearly every packer writes that. */
const nameOf = (stored: Buffer): string => {
  try {
    return utf8.decode(stored);
  } catch {
    throw new InvalidArchive("is not a name in UTF-8", stored.toString("latin1"));
  }
};

/** File types of the Unix mode in the upper half of the external attributes; 0 if the packer knew none. */
const TYPES = new Set([0, 0o100000, 0o040000]);

const kindOf = (entry: Entry, name: string): EntryKind => {
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (type === 0o120000) throw new InvalidArchive("is a symbolic link", name);
  if (!TYPES.has(type)) throw new InvalidArchive("is neither a file nor a directory", name);
  if (entry.isEncrypted()) throw new InvalidArchive("is encrypted", name);
  const isDirectory = name.endsWith("/");
  if (isDirectory && entry.uncompressedSize > 0)
    throw new InvalidArchive("is a directory with content", name);
  if (type === 0o040000 && !isDirectory)
    throw new InvalidArchive("is a directory without a trailing slash", name);
  return isDirectory ? "directory" : "file";
};

const damagedEntry = (name: string) =>
  new InvalidArchive("is damaged: its content has another checksum or size", name);

const assertContent = (bytes: Uint8Array, entry: Entry, name: string): Uint8Array => {
  if (bytes.length !== entry.uncompressedSize || crc32(bytes) !== entry.crc32) throw damagedEntry(name);
  return bytes;
};

async function* inOnePiece(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  const compressed = await Array.fromAsync(
    (await zip.openReadStreamPromise(entry, { decodeFileData: false })) as AsyncIterable<Buffer>,
  );
  const bytes = Buffer.concat(compressed);
  const maxOutputLength = Math.max(1, entry.uncompressedSize);
  yield assertContent(
    entry.compressionMethod === 0 ? bytes : inflateRawSync(bytes, { maxOutputLength }),
    entry,
    name,
  );
}

async function* inPieces(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  let check = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    check = crc32(chunk, check);
    yield chunk;
  }
  if (check !== entry.crc32) throw damagedEntry(name);
}

const isSmall = ({ compressedSize, uncompressedSize }: Entry): boolean =>
  uncompressedSize <= MAX_BYTES_IN_ONE_PIECE && compressedSize <= MAX_BYTES_IN_ONE_PIECE;

const METHODS = new Set([0, 8]);

/** The entries of a `.zip`, in the order of its directory. @throws the library's error for a broken archive */
export async function* zipEntries(file: string): AsyncGenerator<ArchiveEntry> {
  const zip = await openPromise(file, { autoClose: false, decodeStrings: false, validateEntrySizes: true });
  try {
    for await (const entry of zip.eachEntry()) {
      // With `decodeStrings: false` names are bytes.
      const name = nameOf(entry.fileName as unknown as Buffer);
      const kind = kindOf(entry, name);
      if (!METHODS.has(entry.compressionMethod))
        throw new InvalidArchive("is compressed with a method other than store and deflate", name);
      const content = (isSmall(entry) ? inOnePiece : inPieces)(zip, entry, name);
      yield { name, kind, size: entry.uncompressedSize, content };
    }
  } finally {
    zip.close();
  }
}
