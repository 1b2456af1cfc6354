import { join } from "node:path";
import { Fault } from "../lib/errors.ts";
import type { DiskSpace } from "../platform/deploys/disk-space.ts";
import { type Admission, type UploadPace, openUploads, receiveUpload } from "../platform/deploys/uploads.ts";
import { MAX_IMPORT_BYTES, type ReceiveImport } from "../store/import-export/endpoints.ts";

const WORDS = { name: "file", limit: "", unstored: "this file. Nothing of it was imported" };

/** Admits one upload at a time. */
const oneAtATime = (): Admission => {
  let isIdle = true;
  return {
    isIdle: () => isIdle,
    admit() {
      if (!isIdle) throw new Fault("import_running", undefined, { connection: "close" });
      isIdle = false;
      return () => {
        isIdle = true;
      };
    },
    unpack: (work) => work(),
  };
};

/** Receives the files of imports. */
export const importFiles = (dataDir: string, diskSpace: DiskSpace, pace: UploadPace) => {
  const limits = { bytes: MAX_IMPORT_BYTES, ...pace };
  const uploads = openUploads(join(dataDir, "import-uploads"), limits, diskSpace);
  const admission = oneAtATime();
  const receiving = { uploads, admission, diskSpace, uploadLimit: MAX_IMPORT_BYTES, words: WORDS };
  const receive: ReceiveImport = (upload, use) => receiveUpload(upload, receiving, use);
  return {
    receive,
    /** Removes uploads that a crash left. */
    clearUploads: () => {
      if (admission.isIdle()) uploads.clear();
    },
  };
};
