import { useQueryClient } from "@tanstack/preact-query";
import { useRef, useState } from "preact/hooks";
import { type ApiError, isGone, store } from "../api/client.ts";
import { useAction } from "../parts/action.tsx";
import { Dialog, DialogForm, useDraftGuard } from "../parts/dialog.tsx";
import { TextField, useDraft } from "../parts/form.tsx";
import { MoveButtons } from "../parts/move.tsx";
import { moved } from "../parts/records.ts";
import { One } from "../parts/page.tsx";
import { pluralize } from "../parts/wording.ts";
import type { Animal } from "./animal.ts";
import { Picture } from "./picture.tsx";
import { type ArrangedPhoto, type PhotoChange, photoChangesOf } from "./photo-changes.ts";
import type { Photo } from "./profile.ts";
import { rereadAnimals, useAnimal } from "./queries.ts";

const send = async (petId: number, { id: photoId, change: body }: PhotoChange): Promise<void> => {
  const params = { path: { petId, photoId } };
  if (body) await store.PATCH("/pets/{petId}/photos/{photoId}", { params, body });
  else
    await store.DELETE("/pets/{petId}/photos/{photoId}", { params }).catch((error: ApiError) => {
      // Another attempt, or another user, has deleted it.
      if (!isGone(error)) throw error;
    });
};

const PhotosForm = ({ id: petId, given, back }: { id: number; given: readonly Photo[]; back: string }) => {
  // Saving does not move photos that others add or move while the form is open.
  const [before] = useState(given);
  const queries = useQueryClient();
  const { draft, change, isDirty } = useDraft<{ photos: readonly ArrangedPhoto[] }>({ photos: before });
  const { photos } = draft;
  useDraftGuard(isDirty);
  const saving = useAction({
    async act(form: readonly ArrangedPhoto[]) {
      try {
        for (const change of photoChangesOf(before, form)) await send(petId, change);
      } finally {
        void rereadAnimals(queries, [petId]).catch(() => {});
      }
    },
    at: back,
    says: () => "Photos changed",
  });
  const [said, setSaid] = useState("");
  const dragged = useRef<number>();
  const move = (from: number, to: number) => {
    const photo = photos[from];
    if (!photo || from === to) return;
    change({ photos: moved(photos, photo, to) });
    setSaid(`The photo is now number ${to + 1} of ${photos.length}.`);
  };
  const edit = (at: number, edited: Partial<ArrangedPhoto>) =>
    change({ photos: photos.map((photo, index) => (index === at ? { ...photo, ...edited } : photo)) });
  const deleted = photos.filter(({ isDeleted }) => isDeleted).length;
  return (
    <DialogForm
      action={saving}
      label={deleted > 0 ? `Save and delete ${pluralize(deleted, "photo")}` : "Save"}
      isDangerous={deleted > 0}
      isEnabled={isDirty}
      onSubmit={() => isDirty && saving.run(photos)}
    >
      <p>The first photo is shown large. Drag the photos into order, or use the arrows.</p>
      <ol class="arrange bare">
        {photos.map((photo, at) => (
          <li
            key={photo.id}
            class={photo.isDeleted ? "deleted" : ""}
            onDragStart={() => (dragged.current = at)}
            onDragEnd={() => (dragged.current = undefined)}
            onDragOver={(event) => {
              if (dragged.current === undefined) return;
              event.preventDefault();
              move(dragged.current, at);
              dragged.current = at;
            }}
          >
            <Picture photo={photo} alt="" sizes="7rem" />
            <div>
              <TextField
                label={`Description of photo ${at + 1}`}
                hint="For people who can't see it."
                maxLength={500}
                value={photo.alt}
                onValue={(alt) => edit(at, { alt })}
              />
              <div class="buttons">
                <MoveButtons
                  name={`photo ${at + 1}`}
                  at={at}
                  count={photos.length}
                  onMove={(to) => move(at, to)}
                />
                <button
                  type="button"
                  class="small secondary outline"
                  onClick={() => edit(at, { isDeleted: !photo.isDeleted })}
                >
                  {photo.isDeleted ? "Keep" : "Delete"} photo {at + 1}
                </button>
              </div>
            </div>
          </li>
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {said}
      </p>
    </DialogForm>
  );
};

/** The dialog that orders, describes and deletes the photos of an animal. */
export const ArrangePhotos = ({ id, back }: { id: number; back: string }) => (
  <Dialog title="Photos" back={back}>
    <One found={useAnimal(id)} what="the photos" isForm>
      {(animal: Animal | null) => <PhotosForm id={id} given={animal?.photos ?? []} back={back} />}
    </One>
  </Dialog>
);
