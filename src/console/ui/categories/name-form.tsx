import { useState } from "preact/hooks";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import type { ActionState } from "../parts/use-action.ts";
import { useDraftGuard } from "../parts/use-draft-guard.ts";
import { categoriesPath } from "./addresses.ts";
import type { Category } from "./category.ts";
import { FIELDS, WORDS } from "./words.ts";

/** The form for a category's name. */
export const NameForm = ({
  given = "",
  submitLabel,
  action: { error, isPending, run },
}: {
  given?: string;
  submitLabel: string;
  action: ActionState<string, Category>;
}) => {
  const [name, setName] = useState(given);
  useDraftGuard(name !== given);
  return (
    <Form error={error} words={FIELDS} onSubmit={() => run(name)}>
      <Field label={WORDS.name} name="name">
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
      <DialogButtons back={categoriesPath()} label={submitLabel} isBusy={isPending} />
    </Form>
  );
};
