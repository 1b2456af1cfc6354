import { Refusal } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useDone } from "../parts/done.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { AdopterName, AnimalName } from "./adopter.tsx";
import { AFTER, ALLOWED, type Adoption, type LastStep, renewed, steppedWords } from "./order.ts";
import { useAdoption, useStep } from "./queries.ts";

const ASKED: Record<LastStep, { title: string; consequence: string; word: string }> = {
  complete: {
    title: "Complete adoption",
    consequence: "The animal goes to its adopter and is sold from then on. Nothing leads back from it.",
    word: "Complete adoption",
  },
  cancel: {
    title: "Cancel adoption",
    consequence:
      "The adoption ends, and the animal is available again. Whoever still wants it begins another adoption.",
    word: "Cancel adoption",
  },
};

const StepForm = ({ adoption, step, back }: { adoption: Adoption; step: LastStep; back: string }) => {
  const done = useDone();
  const stepping = useStep(adoption.id, step);
  const { consequence, word } = ASKED[step];
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
              <bdi class="note">{adoption.note}</bdi>
            </dd>
          </>
        )}
      </dl>
      <p>{consequence}</p>
      <DialogButtons
        back={back}
        backWord="Leave it as it is"
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
  new Refusal(409, "order_status_conflict", `The adoption is ${status}: it cannot be ${AFTER[step]}.`);

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
