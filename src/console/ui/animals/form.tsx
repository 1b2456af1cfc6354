import { useState } from "preact/hooks";
import { Problem } from "../parts/feedback.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Field, refusalOfField, refusalOfNone } from "../parts/field.tsx";
import type { Animal, NewAnimal } from "./statistics.ts";
import { STATUSES, type Status } from "./statuses.ts";

/** A whole number as it was typed: one beyond a double's precision stays exact; what is none is left to the API to refuse. */
const integerOf = (text: string): number =>
  (/^-?\d{1,30}$/.test(text.trim()) ? BigInt(text.trim()) : text) as unknown as number;

/** What is asked of an animal, with what the API says of each field at its place. */
export const AnimalForm = ({
  given,
  submitWord,
  back,
  error,
  isBusy,
  submit,
}: {
  /** What the fields hold at first. */
  given?: Animal;
  submitWord: string;
  back: string;
  error: Error | null;
  isBusy: boolean;
  submit: (animal: NewAnimal) => void;
}) => {
  const [name, setName] = useState(given?.name ?? "");
  const [category, setCategory] = useState(given ? String(given.categoryId) : "");
  const [status, setStatus] = useState<string>(given ? (given.status ?? "") : "available");
  const general = refusalOfNone(error, ["name", "categoryId", "status"]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit({ name, categoryId: integerOf(category), ...(status && { status: status as Status }) });
      }}
    >
      {general && <Problem error={general} />}
      <Field label="Name" error={refusalOfField(error, "name")}>
        {(tied) => (
          <input
            {...tied}
            name="name"
            required
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field
        label="Category"
        hint="The number of the category that it belongs to."
        error={refusalOfField(error, "categoryId")}
      >
        {(tied) => (
          <input
            {...tied}
            name="categoryId"
            inputMode="numeric"
            required
            pattern="\s*-?[0-9]+\s*"
            title="A whole number"
            value={category}
            onInput={(event) => setCategory(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Status" error={refusalOfField(error, "status")}>
        {(tied) => (
          <select
            {...tied}
            name="status"
            value={status}
            onChange={(event) => setStatus(event.currentTarget.value)}
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
