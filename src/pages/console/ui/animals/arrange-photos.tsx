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
import { type PhotoChange, photoChangesOf, photoDraftOf } from "./photo-changes.ts";
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

const useSaving = (petId: number, photos: readonly Photo[], back: string) => {
  const queries = useQueryClient();
  return useAction({
    async act(draft: Record<string, string>) {
      try {
        for (const change of photoChangesOf(photos, draft)) await send(petId, change);
      } finally {
        void rereadAnimals(queries, [petId]).catch(() => {});
      }
    },
    at: back,
    says: () => "Photos changed",
  });
};

const PhotosForm = ({ id: petId, given, back }: { id: number; given: readonly Photo[]; back: string }) => {
  // Photos that others add or move while the form is open stay where they are.
  const [photos] = useState(given);
  const { draft, bind, change, isDirty } = useDraft<Record<string, string>>(photoDraftOf(photos));
  useDraftGuard(isDirty);
  const saving = useSaving(petId, photos, back);
  const [said, setSaid] = useState("");
  const dragged = useRef<string>();
  const order = (draft["order"] ?? "").split(",");
  const move = (id: string, to: number) => {
    if (order.indexOf(id) === to) return;
    change({ order: moved(order, id, to).join(",") });
    setSaid(`The photo is now number ${to + 1} of ${order.length}.`);
  };
  const deleted = order.filter((id) => draft[`delete.${id}`]);
  return (
    <DialogForm
      action={saving}
      label={deleted.length > 0 ? `Save and delete ${pluralize(deleted.length, "photo")}` : "Save"}
      isDangerous={deleted.length > 0}
      isEnabled={isDirty}
      onSubmit={() => isDirty && saving.run(draft)}
    >
      <p>The first photo is shown large. Drag the photos into order, or use the arrows.</p>
      <ol class="arrange">
        {order.map((id, at) => {
          const photo = photos.find((one) => String(one.id) === id);
          const { value = "", ...alt } = bind(`alt.${id}`);
          const isDeleted = deleted.includes(id);
          return (
            photo && (
              <li
                key={id}
                class={isDeleted ? "deleted" : ""}
                onDragStart={() => (dragged.current = id)}
                onDragEnd={() => (dragged.current = undefined)}
                onDragOver={(event) => {
                  if (dragged.current === undefined) return;
                  event.preventDefault();
                  move(dragged.current, at);
                }}
              >
                <Picture photo={photo} alt="" sizes="7rem" />
                <div>
                  <TextField
                    label={`Description of photo ${at + 1}`}
                    hint="For people who can't see it."
                    maxLength={500}
                    value={value}
                    {...alt}
                  />
                  <div class="buttons">
                    <MoveButtons
                      name={`photo ${at + 1}`}
                      at={at}
                      count={order.length}
                      onMove={(to) => move(id, to)}
                    />
                    <button
                      type="button"
                      class="small secondary outline"
                      onClick={() => change({ [`delete.${id}`]: isDeleted ? "" : "yes" })}
                    >
                      {isDeleted ? "Keep" : "Delete"} photo {at + 1}
                    </button>
                  </div>
                </div>
              </li>
            )
          );
        })}
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
