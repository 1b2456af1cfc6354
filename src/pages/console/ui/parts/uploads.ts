import { skipToken, useIsMutating, useMutationState, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { type Sending, sendFile } from "../api/upload.ts";
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

interface Outgoing<Result> extends Pick<Sending, "what" | "headers"> {
  path: string;
  file: File;
  /** Uploads of the same queue are sent one after the other. */
  queue?: string;
  onDone: (result: Result) => void;
  onFailed: (error: Error) => void;
}

/** Returns a function that sends a file, also while pages change. A failed upload stays until it is forgotten. */
export const useSend = () => {
  const queries = useQueryClient();
  const cache = queries.getMutationCache();
  const send = <Result>(outgoing: Outgoing<Result>): void => {
    const { path, file, queue, onDone, onFailed, ...given } = outgoing;
    const controller = new AbortController();
    const sending = cache.build<Result, Error, Upload, unknown>(queries, {
      mutationKey: [...UPLOADS, path],
      ...(queue !== undefined && { scope: { id: queue } }),
      gcTime: Infinity,
      mutationFn: () =>
        sendFile<Result>(path, file, {
          ...given,
          signal: controller.signal,
          onProgress: (share) => void queries.setQueryData([...SHARES, sending.mutationId], share),
        }),
      onSuccess: onDone,
      onError: onFailed,
    });
    const retry = () => {
      cache.remove(sending);
      send(outgoing);
    };
    sending.execute({ file, cancel: () => controller.abort(), retry }).then(
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
