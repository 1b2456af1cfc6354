import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { useSessionRefresh } from "../session.tsx";
import { OnePerson } from "./one.tsx";
import type { Person } from "./person.ts";
import { PATH, PEOPLE } from "./queries.ts";
import { RoleField } from "./role-field.tsx";
import { ADD, CHANGE, FIELDS } from "./words.ts";

type Draft = Pick<Person, "name" | "role">;

const patch = (personId: number, body: Draft) =>
  dataOf(platform.PATCH("/platform/people/{personId}", { params: { path: { personId } }, body }));

const ChangeForm = ({
  person,
  isOwn,
  draft,
  change,
}: {
  person: Person;
  isOwn: boolean;
  draft: Draft;
  change: (draft: Draft) => void;
}) => {
  const refreshSession = useSessionRefresh();
  const { id, name, role } = person;
  const changing = useAction({
    act: (wanted: Draft) => patch(id, wanted),
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
    <Form error={changing.error} words={FIELDS} onSubmit={() => changing.run(draft)}>
      <Field label={ADD.name} name="name">
        {(tied) => (
          <input
            {...tied}
            name="name"
            required
            autocomplete="off"
            value={draft.name}
            onInput={(event) => change({ ...draft, name: event.currentTarget.value })}
          />
        )}
      </Field>
      <RoleField role={draft.role} onChoose={(chosen) => change({ ...draft, role: chosen })} />
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
export const ChangePerson = ({ id }: { id: string }) => {
  const [draft, setDraft] = useState<Draft>();
  return (
    <OnePerson id={id} title={CHANGE.title} isDirty={draft !== undefined}>
      {(person, isOwn) => (
        <ChangeForm
          person={person}
          isOwn={isOwn}
          draft={draft ?? { name: person.name, role: person.role }}
          change={setDraft}
        />
      )}
    </OnePerson>
  );
};
