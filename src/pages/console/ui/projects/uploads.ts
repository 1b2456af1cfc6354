import { type Deploy, archiveTypeOf } from "./model.ts";

export const UNPACKING = "Unpacking…";

/** The state of an upload. Successful uploads are removed. */
export type Upload = { state: "sending"; name: string; share: number } | { state: "failed"; error: Error };

export interface Sending {
  /** @throws ApiError */
  deploy: Promise<Deploy>;
  cancel(): void;
}

type Send = (slug: string, archive: File, type: string, onProgress: (share: number) => void) => Sending;

/**
 * Tracks the uploads of all projects, at most one for each. They continue while pages change.
 * @param onChange called after each change of an upload's state
 * @param onSettled called with the project whose upload has succeeded, with the deploy, or failed
 */
export const uploadTracker = (
  send: Send,
  onChange: () => void,
  onSettled: (slug: string, result: Deploy | Error) => void,
) => {
  const uploads = new Map<string, Upload>();
  const active = new Map<string, Sending>();
  const update = (slug: string, upload: Upload) => {
    uploads.set(slug, upload);
    onChange();
  };
  const end = (slug: string, result: Deploy | Error) => {
    active.delete(slug);
    if (result instanceof Error) uploads.set(slug, { state: "failed", error: result });
    else uploads.delete(slug);
    onChange();
    onSettled(slug, result);
  };
  return {
    /** Uploads an archive, unless the project has an upload in progress. */
    begin(slug: string, archive: File): void {
      if (active.has(slug)) return;
      const { name } = archive;
      const type = archiveTypeOf(name);
      if (!type)
        return update(slug, {
          state: "failed",
          error: new Error(`${name} is neither a .tar.gz nor a .zip. Pack the site's folder first.`),
        });
      update(slug, { state: "sending", name, share: 0 });
      const sending = send(slug, archive, type, (share) => update(slug, { state: "sending", name, share }));
      active.set(slug, sending);
      sending.deploy.then(
        (deploy) => end(slug, deploy),
        (error: Error) => end(slug, error),
      );
    },
    cancel: (slug: string): void => active.get(slug)?.cancel(),
    cancelAll(): void {
      for (const { cancel } of active.values()) cancel();
    },
    /** Forgets why an upload failed. One in progress continues. */
    forget(slug: string): void {
      if (!active.has(slug)) uploads.delete(slug);
    },
    of: (slug: string): Upload | undefined => uploads.get(slug),
    areSending: (): boolean => active.size > 0,
  };
};

export type Uploads = ReturnType<typeof uploadTracker>;

export const uploadStatus = (upload: Upload | undefined): string => {
  if (upload?.state !== "sending") return "";
  return upload.share < 1 ? `Sending ${upload.name}…` : UNPACKING;
};
