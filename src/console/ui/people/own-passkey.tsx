import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { addPasskey, callAuth } from "../passkeys.ts";
import type { Passkey } from "./person.ts";
import { OWN_PASSKEYS, YOU_PATH } from "./queries.ts";
import { PASSKEY } from "./words.ts";

/** The field for what a passkey is called. */
export const PasskeyNameField = ({
  label,
  hint,
  name,
  onInput,
}: {
  label: string;
  hint: string;
  name: string;
  onInput: (name: string) => void;
}) => (
  <Field label={label} name="name" hint={hint}>
    {(tied) => (
      <input
        {...tied}
        name="name"
        autocomplete="off"
        maxLength={60}
        value={name}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** The dialog that adds a passkey of one's own. */
export const AddOwnPasskey = () => {
  const [name, setName] = useState("");
  const adding = useAction({
    act: (name: string) => addPasskey(name.trim()),
    changes: [OWN_PASSKEYS],
    at: YOU_PATH,
    says: () => PASSKEY.added,
  });
  return (
    <Dialog title={PASSKEY.addTitle} back={YOU_PATH}>
      <Form error={adding.error} words={PASSKEY.fields} onSubmit={() => adding.run(name)}>
        <PasskeyNameField label={PASSKEY.name} hint={PASSKEY.nameHint} name={name} onInput={setName} />
        <DialogButtons back={YOU_PATH} label={PASSKEY.submit} isBusy={adding.isPending} />
      </Form>
    </Dialog>
  );
};

/** The dialog that removes a passkey of one's own. */
export const RemoveOwnPasskey = ({ passkey: { id, name } }: { passkey: Passkey }) => {
  const removing = useAction({
    act: () => callAuth("DELETE", `passkeys/${id}`),
    changes: [OWN_PASSKEYS],
    at: YOU_PATH,
    says: () => PASSKEY.removed(name),
  });
  return (
    <Dialog title={PASSKEY.removeTitle} back={YOU_PATH}>
      {removing.error && <Problem error={removing.error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {PASSKEY.removeText}
      </p>
      <DialogButtons
        back={YOU_PATH}
        label={PASSKEY.removeSubmit}
        isBusy={removing.isPending}
        isDangerous
        onConfirm={() => removing.run()}
      />
    </Dialog>
  );
};
