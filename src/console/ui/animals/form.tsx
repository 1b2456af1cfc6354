import type { ComponentChildren } from "preact";
import { hasCode } from "../api/client.ts";
import type { Category } from "../categories/category.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { CategoryField } from "./category-field.tsx";
import type { Draft } from "./draft.ts";
import { STATUSES } from "./statuses.ts";
import { FIELDS, WORDS } from "./words.ts";

interface FieldProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  hint: string | undefined;
}

const NameField = ({ draft, onChange, hint = "" }: FieldProps) => (
  <Field label={WORDS.name} name="name" hint={hint}>
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

/** The choices of a status. */
export const StatusOptions = () => (
  <>
    <option value="">{WORDS.noStatus}</option>
    {STATUSES.map((one) => (
      <option key={one} value={one}>
        {WORDS.statuses[one]}
      </option>
    ))}
  </>
);

const StatusField = ({ draft, onChange, hint = "" }: FieldProps) => (
  <Field label={WORDS.status} name="status" hint={hint}>
    {(tied) => (
      <select
        {...tied}
        name="status"
        value={draft.status}
        onChange={(event) => onChange({ status: event.currentTarget.value })}
      >
        <StatusOptions />
      </select>
    )}
  </Field>
);

/** The form for an animal. */
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
}) => (
  <Form error={hasCode(error, "precondition_failed") ? null : error} words={FIELDS} onSubmit={onSubmit}>
    {notice}
    <NameField draft={draft} onChange={onChange} hint={hints.name} />
    <CategoryField
      categories={categories}
      value={draft.category}
      onChoose={(category) => onChange({ category })}
      hint={hints.category}
    />
    <StatusField draft={draft} onChange={onChange} hint={hints.status} />
    <DialogButtons back={back} label={submitLabel} isBusy={isBusy} />
  </Form>
);
