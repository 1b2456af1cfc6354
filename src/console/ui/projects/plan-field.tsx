import { Field } from "../parts/field.tsx";
import { PLAN_NAMES, type Plan } from "./plans.ts";
import { FIELDS } from "./words.ts";

/** The choice of a plan. */
export const PlanField = ({ plan, onChoose }: { plan: Plan; onChoose: (plan: Plan) => void }) => (
  <Field label={FIELDS.plan} name="plan" hint={FIELDS.planHint}>
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
