import { Field } from "../parts/field.tsx";
import { PLAN_NAMES, type Plan } from "./plans.ts";

/** The choice of a plan. */
export const PlanField = ({
  plan,
  onChoose,
  error,
}: {
  plan: Plan;
  onChoose: (plan: Plan) => void;
  error?: string | undefined;
}) => (
  <Field label="Plan" hint="Custom domains require Pro or above." error={error}>
    {(tied) => (
      <select
        {...tied}
        name="plan"
        value={plan}
        onChange={(event) => onChoose(event.currentTarget.value as Plan)}
      >
        {Object.entries(PLAN_NAMES).map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
);
