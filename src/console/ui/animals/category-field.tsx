import { useState } from "preact/hooks";
import { type Category, categoryOf } from "../categories/category.ts";
import { Field } from "../parts/field.tsx";
import { WORDS } from "./words.ts";

const BY_NUMBER = "number";
/** The field in the API. */
const NAME = "categoryId";

interface CategoryFieldProps {
  /** The id, as typed. */
  value: string;
  onChoose: (value: string) => void;
  hint?: string | undefined;
}

const NumberField = ({
  label,
  value,
  onChoose,
  hint = WORDS.categoryNumberHint,
}: CategoryFieldProps & { label: string }) => (
  <Field label={label} name={NAME} hint={hint}>
    {(tied) => (
      <input
        {...tied}
        name={NAME}
        inputMode="numeric"
        autocomplete="off"
        required
        value={value}
        onInput={(event) => onChoose(event.currentTarget.value)}
      />
    )}
  </Field>
);

const Choice = ({ categories, ...given }: CategoryFieldProps & { categories: readonly Category[] }) => {
  const { value, onChoose, hint = "" } = given;
  const isKnown = categoryOf(categories, value) !== undefined;
  const isOther = value !== "" && !isKnown;
  const [isChosen, setChosen] = useState(isOther);
  const isByNumber = isChosen || isOther;
  return (
    <>
      <Field label={WORDS.category} name={isByNumber ? "" : NAME} hint={isByNumber ? "" : hint}>
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
              {WORDS.chooseCategory}
            </option>
            {categories.map(({ id, name }) => (
              <option key={id} value={String(id)}>
                {name}
              </option>
            ))}
            <option value={BY_NUMBER}>{WORDS.otherCategory}</option>
          </select>
        )}
      </Field>
      {isByNumber && <NumberField label={WORDS.categoryNumber} {...given} />}
    </>
  );
};

/** Shown while the categories load. */
const LoadingChoice = () => (
  <Field label={WORDS.category}>
    {(tied) => (
      <select {...tied} disabled>
        <option>{WORDS.loadingCategories}</option>
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
  if (categories.length === 0) return <NumberField label={WORDS.category} {...given} />;
  return <Choice categories={categories} {...given} />;
};
