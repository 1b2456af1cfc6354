import { skipToken, useIsMutating, useMutationState, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { newIdempotencyKey } from "../api/client.ts";
import { sendFile } from "../api/upload.ts";
import { useToast } from "../parts/action.tsx";
import { DropField } from "../parts/form.tsx";
import { guard } from "../parts/navigation.ts";
import { pluralize } from "../parts/wording.ts";
import { animalPath } from "./animal.ts";
import { rereadAnimals } from "./queries.ts";

/** A phone offers its camera for these, and converts its own format to JPEG. */
export const ACCEPTED = "image/jpeg,image/png,image/webp,image/gif";

const LEAVING = {
  title: "Cancel the upload?",
  text: "Photos are being sent. If you leave now, some are not added.",
  stay: "Keep sending",
  leave: "Cancel the upload",
};

interface Upload {
  petId: number;
  file: File;
  /** The idempotency key: a repetition adds no second photo. */
  key: string;
}

const UPLOADS = ["photo uploads"] as const;

/** The query of the share of an upload that was sent, from 0 to 1. */
const shareOf = ({ key }: Upload) => [...UPLOADS, key] as const;

/**
 * Returns a function that sends a photo, also while pages change. Photos are sent one after the other: the server processes
 * one at a time. Refused ones stay, and the others continue.
 */
export const useSendPhoto = () => {
  const queries = useQueryClient();
  const toast = useToast();
  return (petId: number, file: File, key = newIdempotencyKey()): void => {
    const upload = { petId, file, key };
    const headers = { "content-type": file.type || "application/octet-stream", "idempotency-key": key };
    const onProgress = (share: number) => void queries.setQueryData(shareOf(upload), share);
    const cache = queries.getMutationCache();
    const sending = cache.build<unknown, Error, Upload, unknown>(queries, {
      mutationKey: [...UPLOADS, petId],
      scope: { id: "photos" },
      gcTime: Infinity,
      mutationFn: () =>
        sendFile(`/v1/pets/${petId}/photos`, file, { what: "photo", headers, onProgress }).result,
      onSuccess: () => void rereadAnimals(queries, [petId]).catch(() => {}),
      onError({ message }) {
        const href = animalPath(petId);
        // The animal's page shows the error itself.
        if (location.pathname !== href)
          toast({ words: `${file.name}: ${message}`, tone: "bad", link: { href, label: "View animal" } });
      },
    });
    sending.execute(upload).then(
      () => cache.remove(sending),
      () => {},
    );
  };
};

/** Asks before the tab is closed, or the user signs out, while photos are sent. */
export const usePhotoGuard = (): void => {
  const areSending = useIsMutating({ mutationKey: UPLOADS }) > 0;
  useLayoutEffect(() => (areSending ? guard(LEAVING, "console") : undefined), [areSending]);
};

/** The photos of an animal that are sent or wait for their turn, or were refused. */
const useUploads = (petId: number) => {
  const cache = useQueryClient().getMutationCache();
  return useMutationState({
    filters: { mutationKey: [...UPLOADS, petId] },
    select: (sending) => ({
      upload: sending.state.variables as Upload,
      error: sending.state.error,
      forget: () => cache.remove(sending),
    }),
  });
};

const Progress = ({ upload }: { upload: Upload }) => {
  const { data: share = 0 } = useQuery<number>({ queryKey: shareOf(upload), queryFn: skipToken });
  const { name } = upload.file;
  return (
    <>
      {name} <progress aria-label={`Sending ${name}`} {...(share < 1 && { value: share })} max={1} />
    </>
  );
};

type Refused = ReturnType<typeof useUploads>[number];

const Failure = ({ upload: { petId, file, key }, error, forget }: Refused) => {
  const send = useSendPhoto();
  const retry = () => {
    forget();
    send(petId, file, key);
  };
  return (
    <div class="notice problem" role="alert">
      <p>
        <bdi>{file.name}</bdi>: {error?.message}
      </p>
      <div class="buttons">
        <button type="button" class="secondary outline" onClick={retry}>
          Try again
        </button>
        <button type="button" class="secondary outline" onClick={forget}>
          Leave it out
        </button>
      </div>
    </div>
  );
};

/** The place where photos of an animal are dropped, pasted anywhere on the page, or chosen. */
export const AddPhotos = ({ petId }: { petId: number }) => {
  const uploads = useUploads(petId);
  const send = useSendPhoto();
  const sending = uploads.filter(({ error }) => !error).length;
  const take = (files: Iterable<File>) => {
    for (const file of files) send(petId, file);
  };
  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => take(clipboardData?.files ?? []);
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, [petId]);
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
        {sending > 0 && `Sending ${pluralize(sending, "photo")}`}
      </p>
      <ul class="uploads">
        {uploads.map((one) => (
          <li key={one.upload.key}>{one.error ? <Failure {...one} /> : <Progress upload={one.upload} />}</li>
        ))}
      </ul>
    </>
  );
};
