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
const RemoveOwnPasskey = ({ passkey: { id, name } }: { passkey: Passkey }) => {
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

const { columns: passkeyColumns } = YOU;

const PasskeyRow = ({ passkey: { id, name, createdAt, lastUsedAt } }: { passkey: Passkey }) => (
  <tr>
    <th scope="row">
      <bdi>{name}</bdi>
    </th>
    <td data-column={passkeyColumns.created}>
      <Time at={createdAt} />
    </td>
    <td data-column={passkeyColumns.lastUsed}>{lastUsedAt ? <Time at={lastUsedAt} /> : YOU.never}</td>
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
      <h2>{YOU.passkeys}</h2>
      <p>{YOU.explained}</p>
      {!hasPasskeys() && (
        <Notice tone="waiting">
          <p>{YOU.unsupported}</p>
        </Notice>
      )}
      <List found={found} items={found.data ?? []} thing="passkey">
        {(passkeys) => (
          <Table label={YOU.table} kind="passkeys" stackBelow={40} columns={PASSKEY_COLUMNS}>
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
    says: () => SESSIONS.ended(device ?? SESSIONS.unknown),
    isErrorToast: true,
  });
  return (
    <ActionButton
      action={ending}
      class="secondary outline"
      aria-label={SESSIONS.endOne(device ?? SESSIONS.unknown)}
    >
      {SESSIONS.end}
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
            <Badge tone="quiet">{SESSIONS.current}</Badge>
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
    says: () => SESSIONS.endedOthers,
  });
  return (
    <>
      {ending.error && <Problem error={ending.error} />}
      <ActionButton action={ending} class="secondary">
        {SESSIONS.endOthers}
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
      <p>{SESSIONS.explained}</p>
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
      title={YOU.title}
      actions={
        isPerson &&
        hasPasskeys() && (
          <a class="button" href={`${YOU_PATH}/add`}>
            {YOU.add}
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
