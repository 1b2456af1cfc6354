import { join } from "node:path";
import { Fault } from "../lib/errors.ts";
import { limiter } from "../lib/limiter.ts";
import type { Blobs, BlobWriter } from "../platform/deploys/blobs.ts";
import type { DiskSpace } from "../platform/deploys/disk-space.ts";
import { type Manifest, hashesOf, writeManifest } from "../platform/deploys/manifest.ts";
import type { Uploader } from "../platform/deploys/remote/uploader.ts";
import { type Admission, type UploadPace, openUploads, receiveUpload } from "../platform/deploys/uploads.ts";
import { fullResponse, selectRepresentation } from "../platform/sites/responses.ts";
import { MAX_PHOTO_BYTES, type PhotoFile, type PhotoStorage } from "../store/photos/photo.ts";

const WORDS = { name: "photo", limit: "", unstored: "this photo. Nothing of it was stored" };

const tooMany = () =>
  new Fault(
    "storage_unavailable",
    "Too many photos are being processed. Nothing was stored. Try again later.",
    {
      "retry-after": "30",
      connection: "close",
    },
  );

/** Admits uploads while all of them together have at most so many bytes, and processes one at a time. */
const photoQueue = (maxBytes: number): Admission => {
  let queued = 0;
  return {
    isIdle: () => queued === 0,
    admit(_caller, bytes) {
      if (queued + bytes > maxBytes) throw tooMany();
      queued += bytes;
      return () => {
        queued -= bytes;
      };
    },
    unpack: limiter(1),
  };
};

const siteFileOf = ({ hash, size, type }: PhotoFile) => ({
  hash,
  size,
  type,
  encodings: {},
  immutable: true,
});

interface StorageOptions {
  dataDir: string;
  blobs: Blobs;
  /** Stores files in an object store before a photo is recorded. */
  uploader: Pick<Uploader, "upload"> | undefined;
  diskSpace: DiskSpace;
  uploadPace: UploadPace;
  maxQueuedBytes: number;
}

/** Stores photos as deploys are stored: their files are blobs, and a manifest names them. */
export const photoStorage = ({
  dataDir,
  blobs,
  uploader,
  diskSpace,
  uploadPace,
  maxQueuedBytes,
}: StorageOptions) => {
  const uploads = openUploads(
    join(dataDir, "photo-uploads"),
    { bytes: MAX_PHOTO_BYTES, ...uploadPace },
    diskSpace,
  );
  const admission = photoQueue(maxQueuedBytes);
  const receiving = { uploads, admission, diskSpace, uploadLimit: MAX_PHOTO_BYTES, words: WORDS };

  /** Writes files and their manifest to the disk, and to the object store. */
  const write = async (writer: BlobWriter, files: Parameters<PhotoStorage["store"]>[0]) => {
    const stored: Record<string, PhotoFile> = {};
    for (const { name, bytes, type, width, height } of files) {
      // In parts: hashing an original in one piece would stop the event loop for 20 ms.
      const { hash, size } = await writer.put(new Blob([bytes]).stream());
      stored[name] = { hash, size, type, width, height };
    }
    const manifest: Manifest = new Map(
      Object.entries(stored).map(([name, file]) => [name, siteFileOf(file)]),
    );
    const { hash } = await writer.put(new TextEncoder().encode(writeManifest(manifest)));
    await writer.flush();
    const onRecorded = await uploader?.upload(hash, hashesOf(manifest));
    return { content: { manifest: hash, files: stored }, onRecorded };
  };

  const storage: PhotoStorage = {
    receive: (upload, use) => receiveUpload(upload, receiving, use),
    async store(files, record) {
      const writer = blobs.openWriter();
      const { content, onRecorded } = await write(writer, files).catch((error: unknown) => {
        writer.discard();
        throw error;
      });
      try {
        const recorded = await record(content);
        onRecorded?.();
        return recorded;
      } finally {
        // Not discarded after an error: the photo may have been recorded.
        writer.close();
      }
    },
    async respond(photo) {
      const file = siteFileOf(photo);
      const representation = selectRepresentation(file, []);
      const response = await fullResponse(file, representation, { status: 200, inParts: false }, blobs);
      // The app adds the headers of its responses to one that lacks the first.
      for (const name of ["x-content-type-options", "accept-ranges"]) response.headers.delete(name);
      return response;
    },
  };
  return {
    storage,
    /** Removes uploads that a crash left. */
    clearUploads: () => {
      if (admission.isIdle()) uploads.clear();
    },
  };
};
