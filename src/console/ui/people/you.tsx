import { useState } from "preact/hooks";
import { ActionButton, useAction } from "../parts/action.tsx";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Badge, Notice, Problem } from "../parts/feedback.tsx";
import { Field, Form } from "../parts/form.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useRoute } from "../parts/navigation.ts";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { addPasskey, callAuth, hasPasskeys } from "../passkeys.ts";
import { describeUser, useSession } from "../session.tsx";
import {
  OWN_PASSKEYS,
  OWN_SESSIONS,
  type OwnSession,
  type Passkey,
  YOU_PATH,
  useOwnPasskeys,
  useOwnSessions,
} from "./person.ts";
import { LIST, PASSKEY, ROLES, SESSIONS, YOU } from "./words.ts";

/** The field for a passkey's name. */
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
const AddOwnPasskey = () => {
  const [name, setName] = useState("");
  const adding = useAction({
    act: (name: string) => addPasskey(name.trim()),
    changes: [OWN_PASSKEYS],
    at: YOU_PATH,
    says: () => "Passkey added",
  });
  return (
    <Dialog title="Add passkey" back={YOU_PATH}>
      <Form error={adding.error} words={PASSKEY.fields} onSubmit={() => adding.run(name)}>
        <PasskeyNameField label="Name" hint="Optional, such as “My phone”." name={name} onInput={setName} />
        <DialogButtons back={YOU_PATH} label="Add passkey" isBusy={adding.isPending} />
      </Form>
    </Dialog>
  );
};

/** The dialog that removes a passkey of one's own. */
const RemoveOwnPasskey = ({ passkey: { id, name } }: { passkey: Passkey }) => {
  const removing = useAction({
    act: () => callAuth("DELETE", `passkeys/${id}`),
    changes: [OWN_PASSKEYS],
    at: YOU_PATH,
    says: () => `Passkey “${name}” removed`,
  });
  return (
    <Dialog title="Remove passkey" back={YOU_PATH}>
      {removing.error && <Problem error={removing.error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        will no longer sign you in, and its sessions end. Delete it on your device too.
      </p>
      <DialogButtons
        back={YOU_PATH}
        label="Remove"
        isBusy={removing.isPending}
        isDangerous
        onConfirm={() => removing.run()}
      />
    </Dialog>
  );
};

const { columns: passkeyColumns } = YOU;

const PasskeyRow = ({ passkey: { id, name, createdAt, lastUsedAt } }: { passkey: Passkey }) => (
  <tr>
    <th scope="row">
      <bdi>{name}</bdi>
    </th>
    <td data-column={passkeyColumns.created}>
      <Time at={createdAt} />
    </td>
    <td data-column={passkeyColumns.lastUsed}>{lastUsedAt ? <Time at={lastUsedAt} /> : "Never"}</td>
    <td class="actions">
      <div>
        <a href={`${YOU_PATH}/remove/${id}`} aria-label={`${YOU.remove} ${name}`}>
          {YOU.remove}
        </a>
      </div>
    </td>
  </tr>
);

const PASSKEY_COLUMNS = [
  passkeyColumns.name,
  passkeyColumns.created,
  passkeyColumns.lastUsed,
  { name: passkeyColumns.actions, kind: "actions" },
] as const;

const OwnPasskeys = () => {
  const { part, id = "" } = useRoute().params;
  const found = useOwnPasskeys();
  const chosen = found.data?.find((one) => String(one.id) === id);
  return (
    <>
      <h2>Your passkeys</h2>
      <p>
        A passkey signs you in with your fingerprint, face or PIN. Add one for each device. Remove passkeys
        that you do not recognize.
      </p>
      {!hasPasskeys() && (
        <Notice tone="waiting">
          <p>{YOU.unsupported}</p>
        </Notice>
      )}
      <List found={found} items={found.data ?? []} thing="passkey">
        {(passkeys) => (
          <Table label="List of passkeys" kind="passkeys" stackBelow={40} columns={PASSKEY_COLUMNS}>
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} passkey={passkey} />
            ))}
          </Table>
        )}
      </List>
      {part === "add" && <AddOwnPasskey />}
      {part === "remove" && chosen && <RemoveOwnPasskey key={id} passkey={chosen} />}
    </>
  );
};

const { columns: sessionColumns } = SESSIONS;

const EndButton = ({ session: { id, device } }: { session: OwnSession }) => {
  const ending = useAction({
    act: () => callAuth("DELETE", `sessions/${id}`),
    changes: [OWN_SESSIONS],
    says: () => `Session ended: ${device ?? SESSIONS.unknown}`,
    isErrorToast: true,
  });
  return (
    <ActionButton
      action={ending}
      class="secondary outline"
      aria-label={`End the session: ${device ?? SESSIONS.unknown}`}
    >
      End
    </ActionButton>
  );
};

const SessionRow = ({ session }: { session: OwnSession }) => {
  const { device, openedAt, lastUsedAt, isCurrent } = session;
  return (
    <tr>
      <th scope="row">
        {device ?? SESSIONS.unknown}
        {isCurrent && (
          <>
            {" "}
            <Badge tone="quiet">This session</Badge>
          </>
        )}
      </th>
      <td data-column={sessionColumns.opened}>{openedAt ? <Time at={openedAt} /> : SESSIONS.unknown}</td>
      <td data-column={sessionColumns.lastUsed}>
        <Time at={lastUsedAt} />
      </td>
      <td class="actions">
        <div>{!isCurrent && <EndButton session={session} />}</div>
      </td>
    </tr>
  );
};

const SESSION_COLUMNS = [
  sessionColumns.device,
  sessionColumns.opened,
  sessionColumns.lastUsed,
  { name: sessionColumns.actions, kind: "actions" },
] as const;

const EndOthers = () => {
  const ending = useAction({
    act: () => callAuth("DELETE", "sessions"),
    changes: [OWN_SESSIONS],
    says: () => "All other sessions ended",
  });
  return (
    <>
      {ending.error && <Problem error={ending.error} />}
      <ActionButton action={ending} class="secondary">
        End all other sessions
      </ActionButton>
    </>
  );
};

/** The sessions of the signed-in user. */
const OwnSessions = () => {
  const found = useOwnSessions();
  return (
    <>
      <h2>{SESSIONS.title}</h2>
      <p>End the sessions that you do not recognize.</p>
      <List found={found} items={found.data ?? []} thing="session">
        {(sessions) => (
          <Table label={SESSIONS.title} kind="sessions" stackBelow={40} columns={SESSION_COLUMNS}>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Table>
        )}
      </List>
      {(found.data?.length ?? 0) > 1 && <EndOthers />}
    </>
  );
};

/** The signed-in person. */
const Facts = () => {
  const { user } = useSession();
  const { name, may } = ROLES[user.role!];
  return (
    <dl class="facts">
      <dt>{LIST.columns.name}</dt>
      <dd>
        <bdi>{user.name}</bdi>
      </dd>
      <dt>{LIST.columns.email}</dt>
      <dd>
        <bdi>{user.email}</bdi>
      </dd>
      <dt>{LIST.columns.role}</dt>
      <dd>
        {name}. {may}
      </dd>
    </dl>
  );
};

/** The signed-in user, with their sessions. Only people have passkeys. */
export const You = () => {
  const { user } = useSession();
  const isPerson = user.kind === "person";
  return (
    <Page
      title="You"
      actions={
        isPerson &&
        hasPasskeys() && (
          <a class="button" href={`${YOU_PATH}/add`}>
            Add passkey
          </a>
        )
      }
    >
      {isPerson ? <Facts /> : <p>{describeUser(user)}</p>}
      {isPerson && <OwnPasskeys />}
      <OwnSessions />
    </Page>
  );
};
