import { useQueryClient } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { newIdempotencyKey } from "../api/client.ts";
import { useToast } from "../parts/action.tsx";
import { DropField } from "../parts/form.tsx";
import { useSend, useShare, useUploads } from "../parts/uploads.ts";
import { pluralize } from "../parts/wording.ts";
import { animalPath } from "./animal.ts";
import { rereadAnimals } from "./queries.ts";

/** A phone offers its camera for these, and converts its own format to JPEG. */
export const ACCEPTED = "image/jpeg,image/png,image/webp,image/gif";

const photosPath = (petId: number): string => `/v1/pets/${petId}/photos`;

/** Returns a function that sends a photo. They are sent one after the other: the server processes one at a time. */
export const useSendPhoto = () => {
  const queries = useQueryClient();
  const toast = useToast();
  const send = useSend();
  return (petId: number, file: File): void =>
    send({
      path: photosPath(petId),
      file,
      what: "photo",
      queue: "photos",
      headers: {
        "content-type": file.type || "application/octet-stream",
        // A repetition adds no second photo.
        "idempotency-key": newIdempotencyKey(),
      },
      onDone: () => void rereadAnimals(queries, [petId]).catch(() => {}),
      onFailed({ message }) {
        const href = animalPath(petId);
        // The animal's page shows the error itself.
        if (location.pathname !== href)
          toast({ words: `${file.name}: ${message}`, tone: "bad", link: { href, label: "View animal" } });
      },
    });
};

type UploadProps = ReturnType<typeof useUploads>[number];

const Upload = ({ id, file: { name }, error, retry, forget }: UploadProps) => {
  const share = useShare(id);
  if (!error)
    return (
      <li>
        {name} <progress aria-label={`Sending ${name}`} {...(share < 1 && { value: share })} max={1} />
      </li>
    );
  return (
    <li class="notice problem" role="alert">
      <p>
        <bdi>{name}</bdi>: {error.message}
      </p>
      <div class="buttons">
        <button type="button" class="secondary outline" onClick={retry}>
          Try again
        </button>
        <button type="button" class="secondary outline" onClick={forget}>
          Leave it out
        </button>
      </div>
    </li>
  );
};

/** The place where photos of an animal are dropped, pasted anywhere on the page, or chosen. */
export const AddPhotos = ({ petId }: { petId: number }) => {
  const uploads = useUploads(photosPath(petId));
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
      <ul class="uploads bare">
        {uploads.map((upload) => (
          <Upload key={upload.id} {...upload} />
        ))}
      </ul>
    </>
  );
};
