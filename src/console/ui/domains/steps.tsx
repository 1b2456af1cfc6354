import { Time } from "../parts/time.tsx";
import type { Step, StepState } from "./progress.ts";
import { PAGE, STEP_STATES } from "./words.ts";

const CURRENT: ReadonlySet<StepState> = new Set(["now", "stuck", "suspended"]);

const Row = ({ step: { name, state, at } }: { step: Step }) => (
  <li class={`step ${state}`} aria-current={CURRENT.has(state) ? "step" : undefined}>
    <span class="mark" aria-hidden="true" />
    <div>
      <strong>{name}</strong> <small>{at ? <Time at={at} /> : STEP_STATES[state]}</small>
    </div>
  </li>
);

/** The steps until a domain is active. They are folded away once all are done. */
export const Steps = ({ steps }: { steps: readonly Step[] }) => {
  const list = (
    <ol class="steps">
      {steps.map((step) => (
        <Row key={step.name} step={step} />
      ))}
    </ol>
  );
  if (steps.every(({ state }) => state === "done"))
    return (
      <details>
        <summary>{PAGE.progressDone}</summary>
        {list}
      </details>
    );
  return (
    <>
      <h3>{PAGE.progress}</h3>
      {list}
    </>
  );
};
