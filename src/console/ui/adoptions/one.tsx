import { ActionButton } from "../parts/action.tsx";
import { ApiError, isGone } from "../api/client.ts";
import { History } from "../audit/entries.tsx";
import { Badge, One, Problem } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { adoptionPath, adoptionsPath } from "./addresses.ts";
import { AdoptionFacts } from "./facts.tsx";
import { type Adoption, STEPS_FROM, TONES } from "./order.ts";
import { useAdoption, useAdoptionLive } from "./queries.ts";
import { useStep } from "./step.tsx";

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

/** The page of one adoption: its adopter, animal and note, and its next step. */
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
