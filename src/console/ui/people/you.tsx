import { Notice } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useRoute } from "../parts/router.ts";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { hasPasskeys } from "../passkeys.ts";
import { describeUser, useSession } from "../session.tsx";
import { AddOwnPasskey, RemoveOwnPasskey } from "./own-passkey.tsx";
import type { Passkey } from "./person.ts";
import { YOU_PATH, useOwnPasskeys } from "./queries.ts";
import { OwnSessions } from "./sessions.tsx";
import { LIST, ROLES, YOU } from "./words.ts";

const { columns } = YOU;

const Row = ({ passkey: { id, name, createdAt, lastUsedAt } }: { passkey: Passkey }) => (
  <tr>
    <th scope="row">
      <bdi>{name}</bdi>
    </th>
    <td data-column={columns.created}>
      <Time at={createdAt} />
    </td>
    <td data-column={columns.lastUsed}>{lastUsedAt ? <Time at={lastUsedAt} /> : YOU.never}</td>
    <td class="actions">
      <div>
        <a href={`${YOU_PATH}/remove/${id}`} aria-label={`${YOU.remove} ${name}`}>
          {YOU.remove}
        </a>
      </div>
    </td>
  </tr>
);

const COLUMNS = [
  columns.name,
  columns.created,
  columns.lastUsed,
  { name: columns.actions, kind: "actions" },
] as const;

const Rows = ({ passkeys }: { passkeys: readonly Passkey[] }) => (
  <Table label={YOU.table} kind="passkeys" stackBelow={40} columns={COLUMNS}>
    {passkeys.map((passkey) => (
      <Row key={passkey.id} passkey={passkey} />
    ))}
  </Table>
);

/** The person who is signed in. */
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
        {(passkeys) => <Rows passkeys={passkeys} />}
      </List>
      {part === "add" && <AddOwnPasskey />}
      {part === "remove" && chosen && <RemoveOwnPasskey key={id} passkey={chosen} />}
    </>
  );
};

/** The user who is signed in, with their sessions. Only people have passkeys. */
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
