import type { SnapshotStore } from "./snapshot-files.ts";
import type { BlobsUrl } from "../../lib/blobs-url.ts";
import { openObjectStore } from "../../protocols/s3/object-store.ts";

/** A part is smaller: a larger object is foreign. */
const MAX_PART_BYTES = 2 ** 20;

const joinParts = async (parts: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> => {
  const found: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > MAX_PART_BYTES) return undefined;
    found.push(part);
  }
  return Buffer.concat(found);
};

/** Snapshots next to the files of sites, in the object store of BLOBS_URL. @throws OperatorError without keys */
export const snapshotObjects = (url: BlobsUrl | undefined): SnapshotStore | undefined => {
  if (!url) return undefined;
  const store = openObjectStore(url);
  return {
    put: (name, content) => store.put(name, new Uint8Array(content)),
    async get(name) {
      const parts = await store.get(name);
      return parts && joinParts(parts);
    },
    async list(prefix) {
      const names: string[] = [];
      for await (const { name } of store.list(prefix)) names.push(name);
      return names;
    },
    async remove(names) {
      for (const name of names) await store.remove(name);
    },
  };
};
