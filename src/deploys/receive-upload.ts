import type { Actor } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import type { Admission } from "./admission.ts";
import { type DiskSpace, InsufficientSpace } from "./disk-space.ts";
import { UploadCutOff, UploadTooLarge, UploadTooSlow, type Uploads } from "./uploads.ts";

/** A `.tar.gz` or `.zip` that a client sends. */
export interface Upload {
  /** The Content-Length; undefined for a chunked body. */
  length: number | undefined;
  body: ReadableStream<Uint8Array> | null;
  /** True if the connection was closed, although the body seems complete. */
  isCutOff(): Promise<boolean>;
  /** Identifies the caller that sends it, for the limit of its uploads. */
  caller: string;
  /** Who sends it. */
  actor: Actor;
}

const tooLarge = (limit: number) =>
  new Fault(
    "payload_too_large",
    `The archive is larger than ${limit} bytes, the DEPLOY_LIMIT of this server.`,
    { connection: "close" },
  );

const insufficientSpace = () =>
  new Fault(
    "storage_unavailable",
    "The server has too little disk space for this deploy. Nothing of it was stored, and the previous site is still served. Try again once there is space.",
    { "retry-after": "60", connection: "close" },
  );

/** The fault for an error of an upload. */
const faultOf = (error: unknown, limit: number): unknown => {
  if (error instanceof UploadTooLarge) return tooLarge(limit);
  if (error instanceof InsufficientSpace) return insufficientSpace();
  if (error instanceof UploadCutOff) {
    const code = error instanceof UploadTooSlow ? "request_timeout" : "invalid_request";
    return new Fault(code, `The archive is not complete: ${error.message}.`, { connection: "close" });
  }
  return error;
};

export interface ReceiveOptions {
  uploads: Uploads;
  admission: Admission;
  diskSpace: DiskSpace;
  /** Bytes of an archive. */
  uploadLimit: number;
}

/**
 * Receives an archive, and calls `publish` with its file once it is complete and fewer than the limit are being unpacked.
 * @throws Fault payload_too_large, request_timeout, invalid_request, rate_limited if there are too many uploads,
 * storage_unavailable if the disk has too little space
 */
export const receiveUpload = async <Result>(
  { length = 0, body, isCutOff, caller }: Upload,
  { uploads, admission, diskSpace, uploadLimit }: ReceiveOptions,
  publish: (file: string) => Promise<Result>,
): Promise<Result> => {
  if (length > uploadLimit) throw tooLarge(uploadLimit);
  const leave = admission.admit(caller);
  try {
    diskSpace.assertFree(length);
    return await uploads.receive(body, async (file) => {
      if (await isCutOff()) throw new UploadCutOff("the connection was closed");
      return admission.unpack(() => publish(file));
    });
  } catch (error) {
    throw faultOf(error, uploadLimit);
  } finally {
    leave();
  }
};
