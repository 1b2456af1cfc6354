import { useState } from "preact/hooks";
import { type Category, categoryOf } from "../categories/category.ts";
import { Field } from "../parts/field.tsx";
import { Sentence } from "../parts/sentence.tsx";

const BY_NUMBER = "number";

interface CategoryFieldProps {
  /** The id, as typed. */
  value: string;
  onChoose: (value: string) => void;
  hint?: string | undefined;
  error?: string | undefined;
}

const NumberField = ({
  label,
  value,
  onChoose,
  error,
  hint = "The id of the category.",
}: CategoryFieldProps & { label: string }) => (
  <Field label={label} hint={<Sentence text={hint} />} error={error}>
    {(tied) => (
      <input
        {...tied}
        name="categoryId"
        inputMode="numeric"
        autocomplete="off"
        required
        pattern="\s*-?[0-9]+\s*"
        title="A whole number"
        value={value}
        onInput={(event) => onChoose(event.currentTarget.value)}
      />
    )}
  </Field>
);

const Choice = ({ categories, ...given }: CategoryFieldProps & { categories: readonly Category[] }) => {
  const { value, onChoose, hint, error } = given;
  const isKnown = categoryOf(categories, value) !== undefined;
  const isOther = value !== "" && !isKnown;
  const [isChosen, setChosen] = useState(isOther);
  const isByNumber = isChosen || isOther;
  return (
    <>
      <Field
        label="Category"
        hint={<Sentence text={isByNumber ? "" : (hint ?? "")} />}
        error={isByNumber ? undefined : error}
      >
        {(tied) => (
          <select
            {...tied}
            required
            value={isByNumber ? BY_NUMBER : value.trim()}
            onChange={({ currentTarget: { value: chosen } }) => {
              setChosen(chosen === BY_NUMBER);
              onChoose(chosen === BY_NUMBER ? "" : chosen);
            }}
          >
            <option value="" disabled>
              Choose one
            </option>
            {categories.map(({ id, name }) => (
              <option key={id} value={String(id)}>
                {name}
              </option>
            ))}
            <option value={BY_NUMBER}>Other (enter its id)</option>
          </select>
        )}
      </Field>
      {isByNumber && <NumberField label="Id of the category" {...given} />}
    </>
  );
};

/** Shown while the categories load. */
const LoadingChoice = () => (
  <Field label="Category">
    {(tied) => (
      <select {...tied} disabled>
        <option>Loading…</option>
      </select>
    )}
  </Field>
);

/** The category of an animal: one with a name, or any id. */
export const CategoryField = ({
  categories,
  ...given
}: CategoryFieldProps & { categories: readonly Category[] | undefined }) => {
  if (!categories) return <LoadingChoice />;
  if (categories.length === 0) return <NumberField label="Category" {...given} />;
  return <Choice categories={categories} {...given} />;
};
