import { archiveTypeOf, contentOf } from "./archive.ts";
import type { Deploy } from "./model.ts";

/** What is known of an upload. */
export type Upload =
  | { state: "sending"; name: string; share: number }
  | { state: "done"; deploy: Deploy }
  | { state: "failed"; error: Error };

/** The uploads of all projects, at most one for each; they go on wherever in the console one goes. */
export interface Uploads {
  /** Sends an archive to be deployed; not while another of the project's is being sent. */
  begin(slug: string, archive: File): void;
  cancel(slug: string): void;
  cancelAll(): void;
  /** Forgets what came of an upload; one that is under way goes on. */
  forget(slug: string): void;
  of(slug: string): Upload | undefined;
  areSending(): boolean;
}

/** An upload that is under way. */
export interface Sending {
  /** @throws Refusal */
  deploy: Promise<Deploy>;
  cancel(): void;
}

type Send = (slug: string, archive: File, type: string, onProgress: (share: number) => void) => Sending;

/**
 * @param send sends an archive
 * @param changed told whenever something is known anew of any upload
 * @param settled told of which project's upload ended, well or not
 */
export const uploadTracker = (send: Send, changed: () => void, settled: (slug: string) => void): Uploads => {
  const known = new Map<string, Upload>();
  const underWay = new Map<string, Sending>();
  const know = (slug: string, upload: Upload) => {
    known.set(slug, upload);
    changed();
  };
  const end = (slug: string, upload: Upload) => {
    underWay.delete(slug);
    know(slug, upload);
    settled(slug);
  };
  return {
    begin(slug, archive) {
      if (underWay.has(slug)) return;
      const { name } = archive;
      const type = archiveTypeOf(name);
      if (!type)
        return know(slug, {
          state: "failed",
          error: new Error(`${name} is no .tar.gz and no .zip: pack the site's folder first.`),
        });
      know(slug, { state: "sending", name, share: 0 });
      const sending = send(slug, archive, type, (share) => know(slug, { state: "sending", name, share }));
      underWay.set(slug, sending);
      sending.deploy.then(
        (deploy) => end(slug, { state: "done", deploy }),
        (error: Error) => end(slug, { state: "failed", error }),
      );
    },
    cancel: (slug) => underWay.get(slug)?.cancel(),
    cancelAll() {
      for (const { cancel } of underWay.values()) cancel();
    },
    forget(slug) {
      if (!underWay.has(slug)) known.delete(slug);
    },
    of: (slug) => known.get(slug),
    areSending: () => underWay.size > 0,
  };
};

/** What is said of an upload. */
export const wordsOf = (upload: Upload | undefined): string => {
  if (upload?.state === "done") return `Deployed: ${contentOf(upload.deploy)}, live now.`;
  if (upload?.state !== "sending") return "";
  return upload.share < 1 ? `Sending ${upload.name}…` : "Unpacking…";
};
