import type { ApiError } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { AdopterName, AnimalName } from "./adopter.tsx";
import { STATUS_AFTER, STEPS_FROM, type Adoption, type FinalStep, withOrder, stepMessage } from "./order.ts";
import { Note } from "./note.tsx";
import { useAdoption, useStep } from "./queries.ts";

const ASKED: Record<FinalStep, { title: string; consequence: string; word: string; backLabel: string }> = {
  complete: {
    title: "Complete adoption",
    consequence: "The animal goes to its adopter, and its status becomes sold. This can't be undone.",
    word: "Complete adoption",
    backLabel: "Not yet",
  },
  cancel: {
    title: "Cancel adoption",
    consequence:
      "The adoption ends, and the animal becomes available again. To adopt it later, begin a new adoption.",
    word: "Cancel adoption",
    backLabel: "Keep it",
  },
};

const StepForm = ({ adoption, step, back }: { adoption: Adoption; step: FinalStep; back: string }) => {
  const done = useFinish();
  const stepping = useStep(adoption.id, step);
  const { consequence, word, backLabel } = ASKED[step];
  return (
    <>
      {stepping.error && <Problem error={stepping.error} />}
      <dl class="facts">
        <dt>Animal</dt>
        <dd>
          <AnimalName adoption={adoption} />
        </dd>
        <dt>Adopter</dt>
        <dd class="adopter">
          <AdopterName adoption={adoption} />
        </dd>
        {adoption.note && (
          <>
            <dt>Note</dt>
            <dd>
              <Note text={adoption.note} />
            </dd>
          </>
        )}
      </dl>
      <p>{consequence}</p>
      <DialogButtons
        back={back}
        backLabel={backLabel}
        label={word}
        isBusy={stepping.isPending}
        isDangerous={step === "cancel"}
        onConfirm={() =>
          stepping.mutate(undefined, {
            onSuccess: (order) => done(back, stepMessage(withOrder(adoption, order))),
          })
        }
      />
    </>
  );
};

const tooLate = ({ status }: Adoption, step: FinalStep) =>
  new Error(
    status === STATUS_AFTER[step]
      ? `The adoption is already ${status}.`
      : `The adoption is ${status}: it cannot be ${STATUS_AFTER[step]}.`,
  );

/** The dialog that asks before an adoption is completed or cancelled. */
export const EndAdoption = ({ id, step, back }: { id: number; step: FinalStep; back: string }) => {
  const { data: adoption, error, isPending, refetch } = useAdoption(id);
  const isPossible = adoption && STEPS_FROM[adoption.status].includes(step);
  return (
    <Dialog title={ASKED[step].title} back={back}>
      {error && !adoption && (
        <Problem error={error} {...((error as ApiError).status !== 404 && { again: refetch })} />
      )}
      {isPending && <Loading what="Loading the adoption" />}
      {adoption && !isPossible && <Problem error={tooLate(adoption, step)} />}
      {isPossible && <StepForm adoption={adoption} step={step} back={back} />}
    </Dialog>
  );
};
