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

/** What is asked of an animal, with what the API says of each field at its place. */
export const AnimalForm = ({
  draft,
  change,
  categories,
  hints = {},
  above,
  submitWord,
  back,
  error,
  isBusy,
  submit,
}: {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  /** Those that have a name; undefined while they are read. */
  categories: readonly Category[] | undefined;
  /** What is to be known of a field. */
  hints?: Partial<Draft>;
  /** What is said first; of an animal that is another by now, all of it. */
  above?: ComponentChildren;
  submitWord: string;
  back: string;
  error: Error | null;
  isBusy: boolean;
  submit: () => void;
}) => {
  const isUncategorized = hasCode(error, "category_not_found");
  const isHeld = hasCode(error, "pet_in_order");
  const isOutdated = hasCode(error, "precondition_failed");
  const isAtItsPlace = isUncategorized || isHeld || isOutdated;
  const general = isAtItsPlace ? undefined : generalError(error, ["name", "categoryId", "status"]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {above}
      {general && <Problem error={general} />}
      <Field label="Name" hint={<Sentence text={hints.name ?? ""} />} error={fieldError(error, "name")}>
        {(tied) => (
          <input
            {...tied}
            name="name"
            required
            autocomplete="off"
            value={draft.name}
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <CategoryField
        categories={categories}
        value={draft.category}
        onChoose={(category) => change({ category })}
        hint={hints.category}
        error={isUncategorized ? error?.message : fieldError(error, "categoryId")}
      />
      <Field label="Status" hint={hints.status} error={isHeld ? error?.message : fieldError(error, "status")}>
        {(tied) => (
          <select
            {...tied}
            name="status"
            value={draft.status}
            onChange={(event) => change({ status: event.currentTarget.value })}
          >
            <option value="">without a status</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        )}
      </Field>
      <DialogButtons back={back} word={submitWord} isBusy={isBusy} />
    </form>
  );
};
