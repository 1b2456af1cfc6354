import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { dataOf, hasCode, platform } from "../api/client.ts";
import { Dialog, DialogButtons, useDraftGuard } from "../parts/dialog.tsx";
import { Loading, Notice, Problem } from "../parts/feedback.tsx";
import { Field, Form } from "../parts/form.tsx";
import { OnceShown } from "../parts/once-shown.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/action.tsx";
import { useSession, useSessionRefresh } from "../session.tsx";
import {
  type InvitedPerson,
  PATH,
  PEOPLE,
  type Passkey,
  type Person,
  type Role,
  isSelf,
  mayManage,
  usePerson,
} from "./person.ts";
import { ADD, FIELDS, INVITATION, LIST, ROLES, UNSENT } from "./words.ts";

const BEYOND = new Error("You can't change somebody who may do more than you.");

/** A dialog about one person. Refuses people who may do more than the user. */
const OnePerson = ({
  id,
  title,
  children,
}: {
  /** From the address. */
  id: string;
  title: string;
  children: (person: Person, isOwn: boolean) => ComponentChildren;
}) => {
  const { user } = useSession();
  const { data: person, error, refetch } = usePerson(id);
  return (
    <Dialog title={title} back={PATH}>
      {!person && !error && <Loading what="Loading the person" isForm />}
      {!person && error && (
        <Problem error={error} {...(!hasCode(error, "not_found") && { onRetry: refetch })} />
      )}
      {person && !mayManage(user, person.role) && <Problem error={BEYOND} />}
      {person && mayManage(user, person.role) && children(person, isSelf(user, person))}
    </Dialog>
  );
};

/** The choice of a role. Only those that the user may give are offered. */
const RoleField = ({ role, onChoose }: { role: Role; onChoose: (role: Role) => void }) => {
  const { user } = useSession();
  const offered = (Object.keys(ROLES) as Role[]).filter((one) => mayManage(user, one));
  return (
    <Field label="Role" name="role" hint={ROLES[role].may}>
      {(tied) => (
        <select
          {...tied}
          name="role"
          value={role}
          onChange={(event) => onChoose(event.currentTarget.value as Role)}
        >
          {offered.map((one) => (
            <option key={one} value={one}>
              {ROLES[one].name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};

/** A new invitation's link. Only its hash is stored, so it is shown only once. */
const LinkOnce = ({ person: { invitation } }: { person: InvitedPerson }) => (
  <OnceShown text={invitation.link} back={PATH} words={{ ...INVITATION, question: UNSENT }}>
    {INVITATION.send} {INVITATION.expires} <Time at={invitation.expiresAt} />.
  </OnceShown>
);

interface Draft {
  name: string;
  email: string;
  role: Role;
}

const EMPTY: Draft = { name: "", email: "", role: "volunteer" };

/** The dialog that adds a person and then shows their invitation once. */
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
    <Dialog title="Add person" back={PATH} isDirty={draft.name !== "" || draft.email !== ""}>
      <Form error={error} words={FIELDS} onSubmit={() => adding.run(draft)}>
        <Field label={ADD.name} name="name" hint="As colleagues know them.">
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
        <Field label="E-mail address" name="email">
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
        <DialogButtons back={PATH} label="Add person" isBusy={isPending} />
      </Form>
    </Dialog>
  );
};

type Change = Pick<Person, "name" | "role">;

const patch = (personId: number, body: Partial<Change>) =>
  dataOf(platform.PATCH("/platform/people/{personId}", { params: { path: { personId } }, body }));

const ChangeForm = ({ person, isOwn }: { person: Person; isOwn: boolean }) => {
  const refreshSession = useSessionRefresh();
  const { id, name, role } = person;
  // Undefined until typed, so that another user's changes are shown.
  const [typed, setTyped] = useState<Partial<Change>>({});
  const draft: Change = { name, role, ...typed };
  const isDirty = draft.name !== name || draft.role !== role;
  useDraftGuard(isDirty);
  const changing = useAction({
    act: (wanted: Partial<Change>) => patch(id, wanted),
    isUnchanged: () => !isDirty,
    changes: [PEOPLE],
    onDone() {
      // One's own name and permissions are in the session.
      if (isOwn) void refreshSession().catch(() => {});
    },
    at: PATH,
    says: (changed) => `“${changed.name}” changed`,
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
          <p>This is you. With another role, you may not be able to change it back.</p>
        </Notice>
      )}
      <DialogButtons back={PATH} label="Save" isBusy={changing.isPending} />
    </Form>
  );
};

/** The dialog that changes a person's name and role. */
export const ChangePerson = ({ id }: { id: string }) => (
  <OnePerson id={id} title="Edit person">
    {(person, isOwn) => <ChangeForm person={person} isOwn={isOwn} />}
  </OnePerson>
);

/** Another person's passkey, which an administrator can remove after a device was lost. */
const PasskeyItem = ({ personId, passkey: { id, name } }: { personId: number; passkey: Passkey }) => {
  const removing = useAction({
    act: () =>
      platform.DELETE("/platform/people/{personId}/passkeys/{passkeyId}", {
        params: { path: { personId, passkeyId: id } },
      }),
    changes: [PEOPLE],
    says: () => `Passkey “${name}” removed`,
  });
  return (
    <li>
      <bdi>{name}</bdi>{" "}
      <button
        type="button"
        class="link"
        aria-label={`Remove the passkey ${name}`}
        aria-disabled={removing.isPending}
        onClick={() => removing.run()}
      >
        {LIST.remove}
      </button>
      {removing.error && <Problem error={removing.error} />}
    </li>
  );
};

const InviteForm = ({
  person: { id, name, passkeys },
  onInvited,
}: {
  person: Person;
  onInvited: (invited: InvitedPerson) => void;
}) => {
  const inviting = useAction({
    act: () =>
      dataOf(platform.POST("/platform/people/{personId}/invite", { params: { path: { personId: id } } })),
    onDone: onInvited,
    changes: [PEOPLE],
  });
  return (
    <>
      {inviting.error && <Problem error={inviting.error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        gets a new link to sign in. An earlier link stops working. Remove the passkeys of lost devices.
      </p>
      {passkeys.length > 0 && (
        <>
          <h3>Passkeys</h3>
          <ul>
            {passkeys.map((passkey) => (
              <PasskeyItem key={passkey.id} personId={id} passkey={passkey} />
            ))}
          </ul>
        </>
      )}
      <DialogButtons
        back={PATH}
        label="Create link"
        isBusy={inviting.isPending}
        onConfirm={() => inviting.run()}
      />
    </>
  );
};

/** The dialog that makes a new invitation and then shows it once. */
export const InvitePerson = ({ id }: { id: string }) => {
  const [invited, setInvited] = useState<InvitedPerson>();
  if (invited)
    return (
      <Dialog title={INVITATION.titleOf(invited.name)} back={PATH}>
        <LinkOnce person={invited} />
      </Dialog>
    );
  return (
    <OnePerson id={id} title="Invite again">
      {(person) => <InviteForm person={person} onInvited={setInvited} />}
    </OnePerson>
  );
};

const RemoveForm = ({ person: { id, name }, isOwn }: { person: Person; isOwn: boolean }) => {
  const { signOut } = useSession();
  const removing = useAction({
    act: () => platform.DELETE("/platform/people/{personId}", { params: { path: { personId: id } } }),
    onDone() {
      // If it fails, the next request ends the session: its person is removed.
      if (isOwn) void signOut().catch(() => {});
    },
    changes: isOwn ? [] : [PEOPLE],
    at: PATH,
    says: () => (isOwn ? undefined : `“${name}” removed`),
  });
  return (
    <>
      {removing.error && <Problem error={removing.error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        will be signed out and can't sign in again. Their e-mail address and passkeys are deleted. Their name
        stays in the history. This can't be undone.
      </p>
      {isOwn && (
        <Notice tone="bad">
          <p>This is you. You will be signed out.</p>
        </Notice>
      )}
      <DialogButtons
        back={PATH}
        label="Remove"
        isBusy={removing.isPending}
        isDangerous
        onConfirm={() => removing.run()}
      />
    </>
  );
};

/** The dialog that removes a person, from their next request on. */
export const RemovePerson = ({ id }: { id: string }) => (
  <OnePerson id={id} title="Remove person">
    {(person, isOwn) => <RemoveForm person={person} isOwn={isOwn} />}
  </OnePerson>
);
