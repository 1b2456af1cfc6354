import { useState } from "preact/hooks";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { categoriesPath } from "./addresses.ts";
import { FIELDS } from "./words.ts";

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
  return (
    <Form error={error} words={FIELDS} onSubmit={() => submit(name)}>
      <Field label="Name" name="name">
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
    </Form>
  );
};
