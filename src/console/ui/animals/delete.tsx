import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef } from "preact/hooks";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { hasCode, store } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Badge, Loading, Problem } from "../parts/feedback.tsx";
import { useSession } from "../session.tsx";
import { ANIMALS, type AnimalVersion, useAnimalVersion } from "./queries.ts";
import { deletedMessage } from "./statistics.ts";
import { TONES } from "./statuses.ts";

/** Deletes the version that is shown. If somebody else has changed the animal since, nothing is deleted. */
const DeleteForm = ({
  seen: { animal, tag },
  back,
  refresh,
  onDeleted,
}: {
  seen: AnimalVersion;
  back: string;
  refresh: () => unknown;
  onDeleted: () => void;
}) => {
  const queries = useQueryClient();
  const done = useFinish();
  const mayReadOrders = useSession().can("orders:read");
  const { id, name, status } = animal;
  const deleting = useMutation({
    mutationFn: () =>
      store.DELETE("/pets/{petId}", { params: { path: { petId: id }, header: { "If-Match": tag } } }),
    onSuccess: onDeleted,
    onSettled: () => void queries.invalidateQueries({ queryKey: ANIMALS }),
  });
  const { error, isPending } = deleting;
  const content = useRef<HTMLDivElement>(null);
  // After a reload, the button that had the focus is gone.
  useEffect(() => {
    if (document.activeElement === document.body)
      content.current?.querySelector<HTMLElement>("footer a")?.focus();
  }, []);
  const isOutdated = hasCode(error, "precondition_failed");
  return (
    <div ref={content}>
      {error && (
        <Problem
          error={error}
          {...(isOutdated && {
            onRetry() {
              deleting.reset();
              return refresh();
            },
            retryLabel: "Reload",
          })}
        />
      )}
      {hasCode(error, "pet_in_order") && mayReadOrders && (
        <p>
          <a href={adoptionsPath({ animal: id })}>Show its adoptions</a>
        </p>
      )}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {status && <Badge tone={TONES[status]}>{status}</Badge>} will be deleted for good, and its id {id} is
        never used again. Its adoptions stay.
      </p>
      <DialogButtons
        back={back}
        label="Delete"
        isBusy={isPending}
        isDangerous
        isEnabled={!isOutdated}
        onConfirm={() => deleting.mutate(undefined, { onSuccess: () => done(back, deletedMessage(animal)) })}
      />
    </div>
  );
};

/** The dialog that deletes an animal. */
export const DeleteAnimal = ({
  id,
  back,
  onDeleted,
}: {
  id: number;
  back: string;
  onDeleted: () => void;
}) => {
  const { data: seen, error, isPending, refetch } = useAnimalVersion(id);
  return (
    <Dialog title="Delete animal" back={back}>
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && <Loading what="Loading the animal" />}
      {seen && <DeleteForm key={seen.tag} seen={seen} back={back} refresh={refetch} onDeleted={onDeleted} />}
    </Dialog>
  );
};
