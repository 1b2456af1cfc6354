import { Time, useNow } from "../parts/time.tsx";
import type { Domain, Event } from "./model.ts";
import { type Step, type StepState, timelineOf } from "./timeline.ts";

const STATES: Record<StepState, string> = {
  done: "done",
  now: "under way",
  later: "later",
  stuck: "needs you",
};

const StepRow = ({ step: { name, state, at, words } }: { step: Step }) => (
  <li class={`step ${state}`} aria-current={state === "now" || state === "stuck" ? "step" : undefined}>
    <span class="mark" aria-hidden="true" />
    <div>
      <strong>{name}</strong> <small>{at ? <Time at={at} /> : STATES[state]}</small>
      <p>{words}</p>
    </div>
  </li>
);

/** The steps until a domain is live. They stay up to date. */
export const Steps = ({
  domain,
  history,
  isSecured,
}: {
  domain: Domain;
  history: readonly Event[];
  isSecured: boolean;
}) => {
  const steps = timelineOf(domain, history, isSecured, useNow());
  const current = steps.find(({ state }) => state === "now" || state === "stuck");
  return (
    <>
      <ol class="steps">
        {steps.map((step) => (
          <StepRow key={step.name} step={step} />
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {current ? `${current.name}: ${STATES[current.state]}.` : "The domain is live."}
      </p>
    </>
  );
};
