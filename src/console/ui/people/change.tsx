import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { useDraftGuard } from "../parts/use-draft-guard.ts";
import { useSessionRefresh } from "../session.tsx";
import { OnePerson } from "./one.tsx";
import type { Person } from "./person.ts";
import { PATH, PEOPLE } from "./queries.ts";
import { RoleField } from "./role-field.tsx";
import { ADD, CHANGE, FIELDS } from "./words.ts";

type Draft = Pick<Person, "name" | "role">;

const patch = (personId: number, body: Partial<Draft>) =>
  dataOf(platform.PATCH("/platform/people/{personId}", { params: { path: { personId } }, body }));

const ChangeForm = ({ person, isOwn }: { person: Person; isOwn: boolean }) => {
  const refreshSession = useSessionRefresh();
  const { id, name, role } = person;
  // Undefined until typed, so that what somebody else changes is shown.
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const draft: Draft = { name, role, ...typed };
  const isDirty = draft.name !== name || draft.role !== role;
  useDraftGuard(isDirty);
  const changing = useAction({
    act: (wanted: Partial<Draft>) => patch(id, wanted),
    isUnchanged: () => !isDirty,
    changes: [PEOPLE],
    onDone() {
      // One's own name and permissions are in the session.
      if (isOwn) void refreshSession().catch(() => {});
    },
    at: PATH,
    says: (changed) => CHANGE.done(changed.name),
    undo: () => patch(id, { name, role }),
  });
  return (
    <Form error={changing.error} words={FIELDS} onSubmit={() => changing.run(typed)}>
      <Field label={ADD.name} name="name">
        {(tied) => (
          <input
            {...tied}
            name="name"
            required
            autocomplete="off"
            value={draft.name}
            onInput={(event) => setTyped({ ...typed, name: event.currentTarget.value })}
          />
        )}
      </Field>
      <RoleField role={draft.role} onChoose={(chosen) => setTyped({ ...typed, role: chosen })} />
      {isOwn && draft.role !== role && (
        <Notice tone="waiting">
          <p>{CHANGE.own}</p>
        </Notice>
      )}
      <DialogButtons back={PATH} label={CHANGE.submit} isBusy={changing.isPending} />
    </Form>
  );
};

/** The dialog that changes somebody's name and role. */
export const ChangePerson = ({ id }: { id: string }) => (
  <OnePerson id={id} title={CHANGE.title}>
    {(person, isOwn) => <ChangeForm person={person} isOwn={isOwn} />}
  </OnePerson>
);
