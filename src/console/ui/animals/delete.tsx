import { useEffect, useRef } from "preact/hooks";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { hasCode } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { useAction } from "../parts/use-action.ts";
import { useSession } from "../session.tsx";
import { useAnimalActions } from "./actions.ts";
import { useAnimalVersion } from "./queries.ts";
import { StatusBadge } from "./rows.tsx";
import type { AnimalVersion } from "./statistics.ts";
import { WORDS } from "./words.ts";

/** Deletes the version that is shown. If somebody else has changed the animal since, nothing is deleted. */
const DeleteForm = ({
  version,
  back,
  after,
  refresh,
}: {
  version: AnimalVersion;
  back: string;
  after: string;
  refresh: () => unknown;
}) => {
  const { id, name, status } = version.animal;
  const mayReadOrders = useSession().can("orders:read");
  const { remove } = useAnimalActions();
  const deleting = useAction({
    act: () => remove(version),
    at: after,
    says: () => WORDS.deletedMessage(version.animal),
  });
  const { error, isPending } = deleting;
  const content = useRef<HTMLDivElement>(null);
  // After a reload, the button that had the focus is gone.
  useEffect(() => {
    if (document.activeElement === document.body)
      content.current?.querySelector<HTMLElement>("footer a")?.focus();
  }, []);
  const isOutdated = hasCode(error, "precondition_failed");
  const isHeld = hasCode(error, "pet_in_order");
  const shown = isHeld ? new Error(WORDS.held) : error;
  const reload = () => {
    deleting.reset();
    return refresh();
  };
  return (
    <div ref={content}>
      {shown && (
        <Problem error={shown} {...(isOutdated && { onRetry: reload, retryLabel: WORDS.reloadOne })} />
      )}
      {isHeld && mayReadOrders && (
        <p>
          <a href={adoptionsPath({ animal: id })}>{WORDS.showAdoptions}</a>
        </p>
      )}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {status && <StatusBadge status={status} />} {WORDS.deletedPermanently}
      </p>
      <p>{WORDS.noUndo}</p>
      <DialogButtons
        back={back}
        label={WORDS.delete}
        isBusy={isPending}
        isDangerous
        isEnabled={!isOutdated}
        onConfirm={() => deleting.run()}
      />
    </div>
  );
};

/** The dialog that deletes an animal. */
export const DeleteAnimal = ({
  id,
  back,
  after,
}: {
  id: number;
  back: string;
  /** Where to go when it is deleted. */
  after: string;
}) => {
  const { data: version, error, isPending, refetch } = useAnimalVersion(id);
  return (
    <Dialog title={WORDS.deleteTitle} back={back}>
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && <Loading what={WORDS.loadingOne} />}
      {version && (
        <DeleteForm key={version.tag} version={version} back={back} after={after} refresh={refetch} />
      )}
    </Dialog>
  );
};
