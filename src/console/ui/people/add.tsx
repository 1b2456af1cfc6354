import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { LinkOnce } from "./link-once.tsx";
import type { Role } from "./person.ts";
import { PATH, PEOPLE } from "./queries.ts";
import { RoleField } from "./role-field.tsx";
import { ADD, FIELDS, INVITATION } from "./words.ts";

interface Draft {
  name: string;
  email: string;
  role: Role;
}

const EMPTY: Draft = { name: "", email: "", role: "volunteer" };

/** The dialog that adds somebody and then shows their invitation once. */
export const AddPerson = () => {
  const [draft, setDraft] = useState(EMPTY);
  const change = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const adding = useAction({
    act: ({ name, email, role }: Draft) =>
      dataOf(platform.POST("/platform/people", { body: { name, email: email.trim(), role } })),
    changes: [PEOPLE],
  });
  const { data: added, error, isPending } = adding;
  if (added)
    return (
      <Dialog title={INVITATION.titleOf(added.name)} back={PATH}>
        <LinkOnce person={added} />
      </Dialog>
    );
  return (
    <Dialog title={ADD.title} back={PATH} isDirty={draft.name !== "" || draft.email !== ""}>
      <Form error={error} words={FIELDS} onSubmit={() => adding.run(draft)}>
        <Field label={ADD.name} name="name" hint={ADD.nameHint}>
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
        <Field label={ADD.email} name="email">
          {(tied) => (
            <input
              {...tied}
              name="email"
              inputMode="email"
              required
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={draft.email}
              onInput={(event) => change({ email: event.currentTarget.value })}
            />
          )}
        </Field>
        <RoleField role={draft.role} onChoose={(role) => change({ role })} />
        <DialogButtons back={PATH} label={ADD.submit} isBusy={isPending} />
      </Form>
    </Dialog>
  );
};
