import type { ComponentChildren } from "preact";
import { hasCode } from "../api/client.ts";
import type { Category } from "../categories/category.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { Field, fieldError, generalError } from "../parts/field.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { CategoryField } from "./category-field.tsx";
import type { Draft } from "./draft.ts";
import { STATUSES } from "./statuses.ts";

interface FieldProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  hint: string | undefined;
  error: string | undefined;
}

const NameField = ({ draft, onChange, hint, error }: FieldProps) => (
  <Field label="Name" hint={<Sentence text={hint ?? ""} />} error={error}>
    {(tied) => (
      <input
        {...tied}
        name="name"
        required
        autocomplete="off"
        value={draft.name}
        onInput={(event) => onChange({ name: event.currentTarget.value })}
      />
    )}
  </Field>
);

const StatusField = ({ draft, onChange, hint, error }: FieldProps) => (
  <Field label="Status" hint={hint} error={error}>
    {(tied) => (
      <select
        {...tied}
        name="status"
        value={draft.status}
        onChange={(event) => onChange({ status: event.currentTarget.value })}
      >
        <option value="">no status</option>
        {STATUSES.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** The form for an animal. It shows the API's errors at their fields. */
export const AnimalForm = ({
  draft,
  onChange,
  categories,
  hints = {},
  notice,
  submitLabel,
  back,
  error,
  isBusy,
  onSubmit,
}: {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** Undefined while they load. */
  categories: readonly Category[] | undefined;
  /** A hint for each field. */
  hints?: Partial<Draft>;
  /** Shown above the fields. For an outdated animal, it replaces the error message. */
  notice?: ComponentChildren;
  submitLabel: string;
  back: string;
  error: Error | null;
  isBusy: boolean;
  onSubmit: () => void;
}) => {
  const isUncategorized = hasCode(error, "category_not_found");
  const isHeld = hasCode(error, "pet_in_order");
  const isOutdated = hasCode(error, "precondition_failed");
  const isShownElsewhere = isUncategorized || isHeld || isOutdated;
  const general = isShownElsewhere ? undefined : generalError(error, ["name", "categoryId", "status"]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {notice}
      {general && <Problem error={general} />}
      <NameField draft={draft} onChange={onChange} hint={hints.name} error={fieldError(error, "name")} />
      <CategoryField
        categories={categories}
        value={draft.category}
        onChoose={(category) => onChange({ category })}
        hint={hints.category}
        error={isUncategorized ? error?.message : fieldError(error, "categoryId")}
      />
      <StatusField
        draft={draft}
        onChange={onChange}
        hint={hints.status}
        error={isHeld ? error?.message : fieldError(error, "status")}
      />
      <DialogButtons back={back} label={submitLabel} isBusy={isBusy} />
    </form>
  );
};
