import { ActionButton } from "../parts/action.tsx";
import { ApiError } from "../api/client.ts";
import { History } from "../audit/entries.tsx";
import { Badge, Loading, Problem } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { adoptionPath, adoptionsPath } from "./addresses.ts";
import { Facts } from "./facts.tsx";
import { type Adoption, STEPS_FROM, TONES } from "./order.ts";
import { useAdoption, useAdoptionLive } from "./queries.ts";
import { useStep } from "./step.tsx";
import { words } from "./words.ts";

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
      <p>{words.next[status]}</p>
      {possible.length > 0 && (
        <div>
          {possible.map((step) =>
            step === "cancel" ? (
              <a key={step} class="button secondary outline" href={adoptionPath(id, step)}>
                {words.ask.cancel.label}
              </a>
            ) : (
              <ActionButton key={step} action={stepping[step]}>
                {words.stepOne[step]}
              </ActionButton>
            ),
          )}
        </div>
      )}
    </section>
  );
};

const Details = ({ adoption }: { adoption: Adoption }) => {
  const { status, createdAt, updatedAt } = adoption;
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
      <Facts adoption={adoption} />
      <Steps adoption={adoption} />
    </>
  );
};

/** The page of one adoption: its adopter, animal and note, and its next step. */
export const AdoptionPage = ({ id }: { id: number }) => {
  const { data: adoption, error, isPending, refetch } = useAdoption(id);
  useAdoptionLive(id);
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Page title={`Adoption no. ${id}`} back={{ href: adoptionsPath(), label: "Back to adoptions" }}>
      {isGone && <Problem error={new Error("There is no adoption with this number.")} />}
      {error && !adoption && !isGone && <Problem error={error} onRetry={refetch} />}
      {isPending && <Loading what={words.loadingOne} />}
      {adoption && (
        <>
          <Details adoption={adoption} />
          <History resource="order" id={id} />
        </>
      )}
    </Page>
  );
};
