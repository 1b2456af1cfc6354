import type { Refusal } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useDone } from "../parts/done.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { AdopterName, AnimalName } from "./adopter.tsx";
import { AFTER, ALLOWED, type Adoption, type LastStep, renewed, steppedWords } from "./order.ts";
import { Note } from "./note.tsx";
import { useAdoption, useStep } from "./queries.ts";

const ASKED: Record<LastStep, { title: string; consequence: string; word: string; backWord: string }> = {
  complete: {
    title: "Complete adoption",
    consequence: "The animal goes to its adopter and is sold from then on. Nothing leads back from it.",
    word: "Complete adoption",
    backWord: "Not yet",
  },
  cancel: {
    title: "Cancel adoption",
    consequence:
      "The adoption ends, and the animal is available again. Whoever still wants it begins another adoption.",
    word: "Cancel adoption",
    backWord: "Keep it",
  },
};

const StepForm = ({ adoption, step, back }: { adoption: Adoption; step: LastStep; back: string }) => {
  const done = useDone();
  const stepping = useStep(adoption.id, step);
  const { consequence, word, backWord } = ASKED[step];
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
        backWord={backWord}
        word={word}
        isBusy={stepping.isPending}
        isDangerous={step === "cancel"}
        act={() =>
          stepping.mutate(undefined, {
            onSuccess: (order) => done(back, steppedWords(renewed(adoption, order))),
          })
        }
      />
    </>
  );
};

const tooLate = ({ status }: Adoption, step: LastStep) =>
  new Error(
    status === AFTER[step]
      ? `The adoption is ${status} already.`
      : `The adoption is ${status}: it cannot be ${AFTER[step]}.`,
  );

/** The dialog that asks before an adoption ends, one way or the other. */
export const EndAdoption = ({ id, step, back }: { id: number; step: LastStep; back: string }) => {
  const { data: adoption, error, isPending, refetch } = useAdoption(id);
  const isPossible = adoption && ALLOWED[adoption.status].includes(step);
  return (
    <Dialog title={ASKED[step].title} back={back}>
      {error && !adoption && (
        <Problem error={error} {...((error as Refusal).status !== 404 && { again: refetch })} />
      )}
      {isPending && <Loading what="Loading the adoption" />}
      {adoption && !isPossible && <Problem error={tooLate(adoption, step)} />}
      {isPossible && <StepForm adoption={adoption} step={step} back={back} />}
    </Dialog>
  );
};
