import type { ComponentChildren } from "preact";
import { animalPath } from "../animals/animal.ts";
import { ApiError, hasCode, isGone } from "../api/client.ts";
import { History } from "../audit/activity.tsx";
import { ActionButton, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Badge, Email, Facts, One, Page, Problem, Time } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import {
  type Adoption,
  type FinalStep,
  STATUS_AFTER,
  STEPS_FROM,
  type Step,
  TONES,
  adoptionPath,
  adoptionsPath,
  animalLabel,
  doneWords,
  withOrder,
} from "./order.ts";
import { useAdoption, useAdoptionActions, useAdoptionLive } from "./queries.ts";

const Erased = () => <em>data erased</em>;

/** The adopter, unless `orders forget` erased their data, with a link to the adoption. */
export const AdopterName = ({ adoption: { id, adopter } }: { adoption: Adoption }) => (
  <>
    <a href={adoptionPath(id)}>{adopter ? <bdi>{adopter.name}</bdi> : <Erased />}</a>
    {adopter && (
      <small>
        <Email address={adopter.email} />
      </small>
    )}
  </>
);

export const AnimalName = ({ adoption: { animal, petId } }: { adoption: Adoption }) => {
  const mayRead = useSession().can("pets:read");
  if (animal === null) return <>animal {petId}, deleted</>;
  const name = animal ? <bdi>{animal.name}</bdi> : `animal ${petId}`;
  return mayRead ? <a href={animalPath(petId)}>{name}</a> : <>{name}</>;
};

const SHORT = 120;

/** The note of an adoption. A long one is folded. */
export const Note = ({ text }: { text: string | undefined }) => {
  if (!text) return null;
  const isShort = text.length <= SHORT && text.split("\n").length <= 3;
  if (isShort) return <bdi class="note">{text}</bdi>;
  return (
    <details class="note">
      <summary>
        <bdi>{text.slice(0, SHORT / 2).trimEnd()}…</bdi>
      </summary>
      <bdi>{text}</bdi>
    </details>
  );
};

const AdoptionFacts = ({ adoption }: { adoption: Adoption }) => {
  const { adopter, note } = adoption;
  const facts: [string, ComponentChildren][] = [
    ["Animal", <AnimalName adoption={adoption} />],
    ["Adopter", adopter ? <bdi>{adopter.name}</bdi> : <Erased />],
  ];
  if (adopter) {
    const href = `mailto:${adopter.email.split("@").map(encodeURIComponent).join("@")}`;
    facts.push([
      "E-mail",
      <a href={href}>
        <Email address={adopter.email} />
      </a>,
    ]);
  }
  if (note) facts.push(["Note", <Note text={note} />]);
  return <Facts facts={facts} />;
};

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

export const EndAdoption = ({ id, ...end }: EndProps & { id: number }) => (
  <Dialog title={QUESTIONS[end.step].title} back={end.back}>
    <One found={useAdoption(id)} what="the adoption">
      {(adoption) =>
        STEPS_FROM[adoption.status].includes(end.step) ? (
          <StepForm adoption={adoption} {...end} />
        ) : (
          <Problem error={tooLate(adoption, end.step)} />
        )
      }
    </One>
  </Dialog>
);

const NEXT = {
  placed: "Approve the adoption if the adopter can have the animal.",
  approved: "Complete the adoption when the adopter takes the animal home. This can't be undone.",
  completed: "The animal has a new home.",
  cancelled: "This adoption was cancelled.",
};

/** The next step, taken without confirmation: the text above the button describes its effect. Only cancelling asks. */
const Steps = ({ adoption }: { adoption: Adoption }) => {
  const { id, status } = adoption;
  const mayChange = useSession().can("orders:write");
  const stepping = {
    approve: useStep(adoption, "approve", { hasLink: false }),
    complete: useStep(adoption, "complete", { hasLink: false }),
  };
  const error = stepping.approve.error ?? stepping.complete.error;
  const possible = mayChange ? STEPS_FROM[status] : [];
  return (
    <section class={`step notice ${TONES[status]}`} aria-label="Next step">
      {error && <Problem error={error} />}
      <p>{NEXT[status]}</p>
      {possible.length > 0 && (
        <div>
          {possible.map((step) =>
            step === "cancel" ? (
              <a key={step} class="button secondary outline" href={adoptionPath(id, step)}>
                Cancel adoption
              </a>
            ) : (
              <ActionButton key={step} action={stepping[step]}>
                {step === "approve" ? "Approve adoption" : "Complete adoption"}
              </ActionButton>
            ),
          )}
        </div>
      )}
    </section>
  );
};

const Details = ({ adoption }: { adoption: Adoption }) => {
  const { id, status, createdAt, updatedAt } = adoption;
  return (
    <>
      <p>
        <Badge tone={TONES[status]}>{status}</Badge> Started <Time at={createdAt} />
        {updatedAt !== createdAt && (
          <>
            , {status} <Time at={updatedAt} />
          </>
        )}
      </p>
      <AdoptionFacts adoption={adoption} />
      <Steps adoption={adoption} />
      <History resource="order" id={id} />
    </>
  );
};

const NOT_FOUND = new ApiError(404, "not_found", "There is no adoption with this number.");

export const AdoptionPage = ({ id }: { id: number }) => {
  const found = useAdoption(id);
  useAdoptionLive(id);
  const isMissing = isGone(found.error);
  return (
    <Page title={`Adoption no. ${id}`} back={{ href: adoptionsPath(), label: "Back to adoptions" }}>
      <One
        found={isMissing ? { ...found, error: NOT_FOUND } : found}
        what="the adoption"
        withErrors={isMissing}
      >
        {(adoption) => <Details adoption={adoption} />}
      </One>
    </Page>
  );
};
