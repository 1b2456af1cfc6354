import { callHeaders, ApiError, apiErrorOf } from "../api/client.ts";
import { finishWrite } from "../api/writes.ts";
import type { Deploy } from "./model.ts";
import type { Sending } from "./uploads.ts";
import { UPLOAD } from "./words.ts";

/** @throws ApiError */
const deployOf = async ({ status, responseText }: XMLHttpRequest): Promise<Deploy> => {
  if (status === 201) return JSON.parse(responseText) as Deploy;
  throw await apiErrorOf(new Response(responseText, { status }));
};

/**
 * Uploads an archive. It does not use `fetch`, which does not report progress.
 * @param onProgress called with the share that was sent, from 0 to 1
 */
export const sendArchive = (
  slug: string,
  archive: Blob,
  type: string,
  onProgress: (share: number) => void,
): Sending => {
  const request = new XMLHttpRequest();
  const { promise: deploy, resolve, reject } = Promise.withResolvers<Deploy>();
  const end = (code: string, message: string) => () => reject(new ApiError(0, code, message));
  request.open("POST", `/console/api/platform/projects/${encodeURIComponent(slug)}/deploys`);
  for (const [name, value] of Object.entries({ ...callHeaders(), "content-type": type }))
    request.setRequestHeader(name, value);
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total ? loaded / total : 0));
  request.upload.addEventListener("load", () => onProgress(1));
  request.addEventListener("load", () => resolve(deployOf(request)));
  request.addEventListener("abort", end("cancelled", UPLOAD.cancelled));
  request.addEventListener("error", end("unreachable", UPLOAD.interrupted));
  request.addEventListener("loadend", finishWrite);
  request.send(archive);
  return { deploy, cancel: () => request.abort() };
};
