import { useState } from "preact/hooks";
import { isRefusedAs } from "../api/client.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { Field, refusalOfField, refusalOfNone } from "../parts/field.tsx";
import { categoriesPath } from "./addresses.ts";

/** What is asked of a category: its name. */
export const NameForm = ({
  given = "",
  submitWord,
  error,
  isBusy,
  submit,
}: {
  given?: string;
  submitWord: string;
  error: Error | null;
  isBusy: boolean;
  submit: (name: string) => void;
}) => {
  const [name, setName] = useState(given);
  const isTaken = isRefusedAs(error, "category_name_taken");
  const general = isTaken ? undefined : refusalOfNone(error, ["name"]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(name);
      }}
    >
      {general && <Problem error={general} />}
      <Field label="Name" error={isTaken ? error?.message : refusalOfField(error, "name")}>
        {(tied) => (
          <input
            {...tied}
            name="name"
            required
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <DialogButtons back={categoriesPath()} word={submitWord} isBusy={isBusy} />
    </form>
  );
};
