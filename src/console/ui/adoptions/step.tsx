import { ApiError, hasCode } from "../api/client.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { One, Problem } from "../parts/feedback.tsx";
import { useAction, useIdempotencyKey } from "../parts/action.tsx";
import { adoptionPath } from "./addresses.ts";
import { AdoptionFacts } from "./facts.tsx";
import {
  type Adoption,
  type FinalStep,
  STATUS_AFTER,
  STEPS_FROM,
  type Step,
  animalLabel,
  doneWords,
  withOrder,
} from "./order.ts";
import { useAdoption, useAdoptionActions } from "./queries.ts";

const tooLate = ({ status }: Pick<Adoption, "status">, step: Step): string =>
  status === STATUS_AFTER[step]
    ? `This adoption is already ${status}.`
    : `This adoption is ${status} now, so it can't be ${STATUS_AFTER[step]}.`;

/**
 * Takes an adoption to its next step. If another user has changed it first, the page shows their change.
 * @param at the address to open then
 */
export const useStep = (
  adoption: Adoption,
  step: Step,
  { at, hasLink = true }: { at?: string; hasLink?: boolean } = {},
) => {
  const header = useIdempotencyKey();
  const actions = useAdoptionActions();
  return useAction({
    async act() {
      try {
        return withOrder(adoption, await actions.step(adoption.id, step, header));
      } catch (error) {
        const now = hasCode(error as Error, "order_status_conflict") && (await actions.reread(adoption.id));
        if (now) throw new ApiError(409, "order_status_conflict", tooLate(now, step));
        throw error;
      }
    },
    ...(at !== undefined && { at }),
    says: (stepped) => ({
      words: doneWords(stepped),
      ...(hasLink && { link: { href: adoptionPath(adoption.id), label: "View adoption" } }),
    }),
  });
};

const QUESTIONS = {
  complete: {
    title: "Complete adoption",
    back: "Not yet",
    consequence: "will be marked as adopted. This can't be undone.",
  },
  cancel: {
    title: "Cancel adoption",
    back: "Keep adoption",
    consequence: "will be available again. This can't be undone, but you can start a new adoption.",
  },
} satisfies Record<FinalStep, object>;

interface EndProps {
  step: FinalStep;
  back: string;
  /** The toast leads to the adoption. */
  hasLink: boolean;
}

const StepForm = ({ adoption, step, back, hasLink }: EndProps & { adoption: Adoption }) => {
  const question = QUESTIONS[step];
  return (
    <Confirm
      action={useStep(adoption, step, { at: back, hasLink })}
      backLabel={question.back}
      label={question.title}
      isDangerous={step === "cancel"}
    >
      <p>
        <bdi>{animalLabel(adoption)}</bdi> {question.consequence}
      </p>
      <AdoptionFacts adoption={adoption} />
    </Confirm>
  );
};

/** The dialog that asks before an adoption is completed or cancelled. */
export const EndAdoption = ({ id, ...end }: EndProps & { id: number }) => (
  <Dialog title={QUESTIONS[end.step].title} back={end.back}>
    <One found={useAdoption(id)} what="the adoption">
      {(adoption) =>
        STEPS_FROM[adoption.status].includes(end.step) ? (
          <StepForm adoption={adoption} {...end} />
        ) : (
          <Problem error={new Error(tooLate(adoption, end.step))} />
        )
      }
    </One>
  </Dialog>
);
