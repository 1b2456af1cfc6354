import { ApiError, hasCode } from "../api/client.ts";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { Sentence } from "../parts/text.tsx";
import { useAction, useIdempotencyKey } from "../parts/action.tsx";
import { adoptionPath } from "./addresses.ts";
import { Facts } from "./facts.tsx";
import { type Adoption, type FinalStep, STEPS_FROM, type Step, withOrder } from "./order.ts";
import { useAdoption, useAdoptionActions } from "./queries.ts";
import { animalLabel, words } from "./words.ts";

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
        if (now) throw new ApiError(409, "order_status_conflict", words.tooLate(now, step));
        throw error;
      }
    },
    ...(at !== undefined && { at }),
    says: (stepped) => ({
      words: words.stepped(stepped),
      ...(hasLink && { link: { href: adoptionPath(adoption.id), label: words.view } }),
    }),
  });
};

const StepForm = ({
  adoption,
  step,
  back,
  hasLink,
}: {
  adoption: Adoption;
  step: FinalStep;
  back: string;
  hasLink: boolean;
}) => {
  const { run, error, isPending } = useStep(adoption, step, { at: back, hasLink });
  const { consequence, label, back: backLabel } = words.ask[step];
  return (
    <>
      {error && <Problem error={error} />}
      <p>
        <Sentence text={consequence(animalLabel(adoption))} />
      </p>
      <Facts adoption={adoption} />
      <DialogButtons
        back={back}
        backLabel={backLabel}
        label={label}
        isBusy={isPending}
        isDangerous={step === "cancel"}
        onConfirm={run}
      />
    </>
  );
};

/** The dialog that asks before an adoption is completed or cancelled. */
export const EndAdoption = ({
  id,
  step,
  back,
  hasLink,
}: {
  id: number;
  step: FinalStep;
  back: string;
  /** The toast leads to the adoption. */
  hasLink: boolean;
}) => {
  const { data: adoption, error, isPending, refetch } = useAdoption(id);
  const isPossible = adoption && STEPS_FROM[adoption.status].includes(step);
  return (
    <Dialog title={words.ask[step].title} back={back}>
      {error && !adoption && (
        <Problem error={error} {...((error as ApiError).status !== 404 && { onRetry: refetch })} />
      )}
      {isPending && <Loading what={words.loadingOne} />}
      {adoption && !isPossible && <Problem error={new Error(words.tooLate(adoption, step))} />}
      {isPossible && <StepForm adoption={adoption} step={step} back={back} hasLink={hasLink} />}
    </Dialog>
  );
};
