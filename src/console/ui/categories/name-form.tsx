import { useState } from "preact/hooks";
import { hasCode } from "../api/client.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { Field, fieldError, generalError } from "../parts/field.tsx";
import { categoriesPath } from "./addresses.ts";

/** The form for a category's name. */
export const NameForm = ({
  given = "",
  submitLabel,
  error,
  isBusy,
  submit,
}: {
  given?: string;
  submitLabel: string;
  error: Error | null;
  isBusy: boolean;
  submit: (name: string) => void;
}) => {
  const [name, setName] = useState(given);
  const isTaken = hasCode(error, "category_name_taken");
  const general = isTaken ? undefined : generalError(error, ["name"]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(name);
      }}
    >
      {general && <Problem error={general} />}
      <Field label="Name" error={isTaken ? error?.message : fieldError(error, "name")}>
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
      <DialogButtons back={categoriesPath()} label={submitLabel} isBusy={isBusy} />
    </form>
  );
};
