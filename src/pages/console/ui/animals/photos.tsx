import { useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { sendFile } from "../api/upload.ts";
import { useToast } from "../parts/action.tsx";
import { DropField } from "../parts/form.tsx";
import { guard } from "../parts/navigation.ts";
import { pluralize } from "../parts/wording.ts";
import { animalPath } from "./animal.ts";
import { type PhotoUpload, type Send, photoQueue } from "./photo-queue.ts";
import { rereadAnimals } from "./queries.ts";

/** A phone offers its camera for these, and converts its own format to JPEG. */
export const ACCEPTED = "image/jpeg,image/png,image/webp,image/gif";

const LEAVING = {
  title: "Cancel the upload?",
  text: "Photos are being sent. If you leave now, some are not added.",
  stay: "Keep sending",
  leave: "Cancel the upload",
};

interface Uploads {
  uploads: readonly PhotoUpload[];
  queue: ReturnType<typeof photoQueue>;
}

const Current = createContext<Uploads | undefined>(undefined);

/** The photos that are sent. Use it only below `PhotoUploads`. */
export const usePhotoUploads = (): Uploads => useContext(Current)!;

/** Keeps sending photos while pages change. Closing the tab and signing out ask first. */
export const PhotoUploads = ({ children }: { children: ComponentChildren }) => {
  const queries = useQueryClient();
  const toast = useToast();
  const [uploads, setUploads] = useState<readonly PhotoUpload[]>([]);
  const send: Send = async ({ key, petId, file }, onProgress) => {
    const headers = { "content-type": file.type || "application/octet-stream", "idempotency-key": key };
    const { result } = sendFile(`/v1/pets/${petId}/photos`, file, { what: "photo", headers, onProgress });
    await result.catch((error: Error) => {
      const href = animalPath(petId);
      // The animal's page shows the error itself.
      if (location.pathname !== href)
        toast({ words: `${file.name}: ${error.message}`, tone: "bad", link: { href, label: "View animal" } });
      throw error;
    });
    void rereadAnimals(queries, [petId]).catch(() => {});
  };
  const [queue] = useState(() => photoQueue(send, setUploads));
  const areSending = uploads.some(({ error }) => !error);
  useLayoutEffect(() => (areSending ? guard(LEAVING, "console") : undefined), [areSending]);
  return <Current.Provider value={{ uploads, queue }}>{children}</Current.Provider>;
};

/** Calls `onFiles` with files that are pasted anywhere on the page. */
const usePaste = (onFiles: (files: readonly File[]) => void): void => {
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => latest.current([...(clipboardData?.files ?? [])]);
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
};

const Upload = ({ upload: { key, file, share, error } }: { upload: PhotoUpload }) => {
  const { queue } = usePhotoUploads();
  if (!error)
    return (
      <li>
        {file.name}{" "}
        <progress aria-label={`Sending ${file.name}`} {...(share < 1 && { value: share })} max={1} />
      </li>
    );
  return (
    <li class="notice problem" role="alert">
      <p>
        <bdi>{file.name}</bdi>: {error.message}
      </p>
      <div class="buttons">
        <button type="button" class="secondary outline" onClick={() => queue.retry(key)}>
          Try again
        </button>
        <button type="button" class="secondary outline" onClick={() => queue.forget(key)}>
          Leave it out
        </button>
      </div>
    </li>
  );
};

/** The place where photos of an animal are dropped, pasted, or chosen. */
export const AddPhotos = ({ petId }: { petId: number }) => {
  const { uploads, queue } = usePhotoUploads();
  const mine = uploads.filter((one) => one.petId === petId);
  const sent = mine.filter(({ error }) => !error).length;
  const take = (files: readonly File[]) => files.length > 0 && queue.add(petId, files);
  usePaste(take);
  return (
    <>
      <DropField
        label="Add photos: drop or paste them, or choose files."
        name="photos"
        accept={ACCEPTED}
        multiple
        onFiles={take}
      />
      <p class="visually-hidden" role="status">
        {sent > 0 && `Sending ${pluralize(sent, "photo")}`}
      </p>
      <ul class="uploads">
        {mine.map((upload) => (
          <Upload key={upload.key} upload={upload} />
        ))}
      </ul>
    </>
  );
};
