import { createReadStream } from "node:fs";
import { Transform, pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { type Header, extract } from "tar-stream";
import { type EntryKind, type UnpackLimits, InvalidArchive } from "./archive-rules.ts";

/** An entry of an archive. Read `content` before you ask for the next entry. */
export interface ArchiveEntry {
  name: string;
  kind: EntryKind;
  /** Bytes, as the archive declares. */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

const CHUNK_BYTES = 64 * 1024;
/** Header, extended header and padding of one entry. */
const ENTRY_OVERHEAD = 4096;

const KINDS: Record<string, EntryKind> = { file: "file", "contiguous-file": "file", directory: "directory" };

const REFUSED: Record<string, string> = {
  link: "is a hard link",
  symlink: "is a symbolic link",
  "character-device": "is a device",
  "block-device": "is a device",
  fifo: "is a FIFO",
};

const isSparse = ({ pax }: Header): boolean =>
  Object.keys(pax ?? {}).some((name) => name.startsWith("GNU.sparse"));

const kindOf = (header: Header): EntryKind => {
  const type = header.type ?? "";
  const kind = KINDS[type];
  if (!kind || isSparse(header))
    throw new InvalidArchive(REFUSED[type] ?? "is neither a file nor a directory", header.name);
  return kind;
};

/** Passes on at most `maxBytes`, which also ends an endless sequence of headers. */
const limitBytes = (maxBytes: number): Transform => {
  let seen = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      seen += chunk.length;
      if (seen > maxBytes) done(new InvalidArchive("The archive unpacks to more than the limit."));
      else done(null, chunk);
    },
  });
};

/** The entries of a `.tar.gz`, in its own order. @throws the library's error for a broken archive */
export async function* tarEntries(file: string, limits: UnpackLimits): AsyncGenerator<ArchiveEntry> {
  const entries = extract();
  // An error of an earlier stream destroys the last one, so the loop below throws it.
  pipeline(
    createReadStream(file, { highWaterMark: CHUNK_BYTES }),
    createGunzip({ chunkSize: CHUNK_BYTES }),
    limitBytes(limits.bytes + limits.files * ENTRY_OVERHEAD),
    entries,
    () => {},
  );
  for await (const entry of entries) {
    const { header } = entry;
    yield {
      name: header.name,
      kind: kindOf(header),
      size: header.size ?? 0,
      content: entry as AsyncIterable<Uint8Array>,
    };
    entry.resume();
  }
}
