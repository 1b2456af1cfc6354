import { errorOf } from "../../../../client/api-error.ts";
import { ApiError, apiErrorOf, callHeaders, finishWrite } from "./client.ts";

const resultOf = async <Result>({ status, responseText }: XMLHttpRequest): Promise<Result> => {
  if (status === 201) return JSON.parse(responseText) as Result;
  const response = new Response(responseText, { status });
  // Only the API's own text tells a full queue from a full disk.
  throw status === 503 ? errorOf(response, responseText) : await apiErrorOf(response);
};

export interface Sending {
  /** Names the file in an error: "archive". */
  what: string;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Called with the share that was sent, from 0 to 1. */
  onProgress: (share: number) => void;
}

/** Posts a file to the API. It does not use `fetch`, which does not report progress. @throws ApiError */
export const sendFile = <Result>(
  path: string,
  file: Blob,
  { what, headers, signal, onProgress }: Sending,
): Promise<Result> => {
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const end = (code: string, message: string) => () => reject(new ApiError(0, code, message));
  request.open("POST", `/console/api${path}`);
  for (const [name, value] of Object.entries({ ...callHeaders(), ...headers }))
    request.setRequestHeader(name, value);
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total ? loaded / total : 0));
  request.upload.addEventListener("load", () => onProgress(1));
  request.addEventListener("load", () => resolve(resultOf(request)));
  request.addEventListener("abort", end("cancelled", "The upload was cancelled. Nothing has changed."));
  request.addEventListener(
    "error",
    end(
      "unreachable",
      `The upload was interrupted. Check your connection, and whether the ${what} is too large.`,
    ),
  );
  request.addEventListener("loadend", finishWrite);
  signal.addEventListener("abort", () => request.abort());
  request.send(file);
  return promise;
};
