import { useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { ApiError, apiErrorOf, callHeaders } from "../api/client.ts";
import { finishWrite } from "../api/writes.ts";
import { guard } from "../parts/leaving.ts";
import { type Toast, useToast } from "../parts/toasts.tsx";
import { type Deploy, contentOf, projectPath } from "./model.ts";
import { KEYS } from "./queries.ts";
import { type Sending, type Uploads, uploadTracker } from "./uploads.ts";

const LEAVING = {
  title: "Cancel the upload?",
  text: "A site is being uploaded. If you leave now, nothing is deployed.",
  stay: "Keep uploading",
  leave: "Cancel the upload",
};

/** @throws ApiError */
const deployOf = async ({ status, responseText }: XMLHttpRequest): Promise<Deploy> => {
  if (status === 201) return JSON.parse(responseText) as Deploy;
  throw await apiErrorOf(new Response(responseText, { status }));
};

/**
 * Uploads an archive. It does not use `fetch`, which does not report progress.
 * @param onProgress called with the share that was sent, from 0 to 1
 */
const sendArchive = (
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
  request.addEventListener("abort", end("cancelled", "The upload was cancelled. Nothing has changed."));
  request.addEventListener(
    "error",
    end(
      "unreachable",
      "The upload was interrupted. Check your connection, and whether the archive is too large.",
    ),
  );
  request.addEventListener("loadend", finishWrite);
  request.send(archive);
  return { deploy, cancel: () => request.abort() };
};

const Current = createContext<{ uploads: Uploads } | undefined>(undefined);

/** The uploads. Use it only below `UploadsProvider`. */
export const useUploads = (): Uploads => useContext(Current)!.uploads;

/** The message about an upload. The user may be on another page by now; the project's page shows errors itself. */
const outcomeOf = (slug: string, result: Deploy | Error): Toast | undefined => {
  const href = projectPath(slug, "deploys");
  const link = location.pathname === href ? undefined : { href, label: "View deploys" };
  if (result instanceof Error) return link && { words: result.message, tone: "bad", link };
  return { words: `Deployed to ${slug}: ${contentOf(result)}, now live`, ...(link && { link }) };
};

/** Keeps uploads running while pages change. Closing the tab and signing out ask first. */
export const UploadsProvider = ({ children }: { children: ComponentChildren }) => {
  const queries = useQueryClient();
  const toast = useToast();
  const [changes, setChanges] = useState(0);
  const uploads = useMemo(
    () =>
      uploadTracker(
        sendArchive,
        () => setChanges((before) => before + 1),
        (slug, result) => {
          void queries.invalidateQueries({ queryKey: KEYS.one(slug) });
          const outcome = outcomeOf(slug, result);
          if (outcome) toast(outcome);
        },
      ),
    [queries, toast],
  );
  const areSending = uploads.areSending();
  // A layout effect, so that the tab closes freely as soon as the toast says that the upload is done.
  useLayoutEffect(() => (areSending ? guard(LEAVING, "console") : undefined), [areSending]);
  useEffect(() => () => uploads.cancelAll(), [uploads]);
  // A new value with each change, so that components that show an upload render again.
  const value = useMemo(() => ({ uploads }), [uploads, changes]);
  return <Current.Provider value={value}>{children}</Current.Provider>;
};
