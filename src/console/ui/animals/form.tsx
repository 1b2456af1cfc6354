import type { ComponentChildren } from "preact";
import { isRefusedAs } from "../api/client.ts";
import type { Category } from "../categories/category.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { Field, refusalOfField, refusalOfNone } from "../parts/field.tsx";
import { Words } from "../parts/words.tsx";
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
  const isUncategorized = isRefusedAs(error, "category_not_found");
  const isHeld = isRefusedAs(error, "pet_in_order");
  const isOutdated = isRefusedAs(error, "precondition_failed");
  const isAtItsPlace = isUncategorized || isHeld || isOutdated;
  const general = isAtItsPlace ? undefined : refusalOfNone(error, ["name", "categoryId", "status"]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {above}
      {general && <Problem error={general} />}
      <Field label="Name" hint={<Words text={hints.name ?? ""} />} error={refusalOfField(error, "name")}>
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
        choose={(category) => change({ category })}
        hint={hints.category}
        error={isUncategorized ? error?.message : refusalOfField(error, "categoryId")}
      />
      <Field
        label="Status"
        hint={hints.status}
        error={isHeld ? error?.message : refusalOfField(error, "status")}
      >
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
