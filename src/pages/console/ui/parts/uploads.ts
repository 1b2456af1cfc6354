import { skipToken, useIsMutating, useMutationState, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { errorOf } from "../../../../client/api-error.ts";
import { ApiError, apiErrorOf, callHeaders, finishWrite } from "../api/client.ts";
import { guard } from "./navigation.ts";

const UPLOADS = ["uploads"] as const;
const SHARES = ["sent shares of uploads"] as const;

const LEAVING = {
  title: "Cancel the upload?",
  text: "Files are being uploaded. If you leave now, they are not added.",
  stay: "Keep uploading",
  leave: "Cancel the upload",
};

interface Upload {
  file: File;
  cancel: () => void;
  /** Sends it again, with the same headers. */
  retry: () => void;
}

interface Outgoing<Result> {
  path: string;
  file: File;
  headers: Record<string, string>;
  /** Names the file in an error: "archive". */
  what: string;
  /** Uploads of the same queue are sent one after the other. */
  queue?: string;
  onDone: (result: Result) => void;
  onFailed: (error: Error) => void;
}

const resultOf = async <Result>({ status, responseText }: XMLHttpRequest): Promise<Result> => {
  if (status === 201) return JSON.parse(responseText) as Result;
  const response = new Response(responseText, { status });
  // Only the API's own text tells a full queue from a full disk.
  throw status === 503 ? errorOf(response, responseText) : await apiErrorOf(response);
};

/**
 * Posts a file to the API. It does not use `fetch`, which does not report progress.
 * @param onProgress called with the share that was sent, from 0 to 1
 * @throws ApiError
 */
const post = <Result>(
  request: XMLHttpRequest,
  { path, file, headers, what }: Outgoing<Result>,
  onProgress: (share: number) => void,
): Promise<Result> => {
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
  request.send(file);
  return promise;
};

/** Returns a function that sends a file, also while pages change. A failed upload stays until it is forgotten. */
export const useSend = () => {
  const queries = useQueryClient();
  const cache = queries.getMutationCache();
  const send = <Result>(outgoing: Outgoing<Result>): void => {
    const { path, file, queue, onDone, onFailed } = outgoing;
    const request = new XMLHttpRequest();
    const sending = cache.build<Result, Error, Upload, unknown>(queries, {
      mutationKey: [...UPLOADS, path],
      ...(queue !== undefined && { scope: { id: queue } }),
      gcTime: Infinity,
      mutationFn: () =>
        post(request, outgoing, (share) => void queries.setQueryData([...SHARES, sending.mutationId], share)),
      onSuccess: onDone,
      onError: onFailed,
    });
    const retry = () => {
      cache.remove(sending);
      send(outgoing);
    };
    sending.execute({ file, cancel: () => request.abort(), retry }).then(
      () => cache.remove(sending),
      () => {},
    );
  };
  return send;
};

/** The uploads to a path that are sent or wait for their turn, or have failed. */
export const useUploads = (path: string) => {
  const cache = useQueryClient().getMutationCache();
  return useMutationState({
    filters: { mutationKey: [...UPLOADS, path] },
    select: (sending) => ({
      ...(sending.state.variables as Upload),
      id: sending.mutationId,
      error: sending.state.error,
      forget: () => cache.remove(sending),
    }),
  });
};

/** The share of an upload that was sent, from 0 to 1. */
export const useShare = (id: number): number =>
  useQuery<number>({ queryKey: [...SHARES, id], queryFn: skipToken }).data ?? 0;

/** Asks before the tab is closed, or the user signs out, while files are sent. Signing out cancels them. */
export const useUploadGuard = (): void => {
  const cache = useQueryClient().getMutationCache();
  const areSending = useIsMutating({ mutationKey: UPLOADS }) > 0;
  // A layout effect, so that the tab closes freely as soon as the page shows that the upload is done.
  useLayoutEffect(() => (areSending ? guard(LEAVING, "console") : undefined), [areSending]);
  useEffect(
    () => () => {
      for (const { state } of cache.findAll({ mutationKey: UPLOADS })) (state.variables as Upload).cancel();
    },
    [],
  );
};
