import { Notice } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useRoute } from "../parts/router.ts";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { hasPasskeys } from "../passkeys.ts";
import { useSession } from "../session.tsx";
import { AddOwnPasskey, RemoveOwnPasskey } from "./own-passkey.tsx";
import type { Passkey } from "./person.ts";
import { YOU_PATH, useOwnPasskeys } from "./queries.ts";
import { ROLES, YOU } from "./words.ts";

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

const Facts = () => {
  const { name, email, role } = useSession().user;
  return (
    <dl class="facts">
      <dt>{YOU.facts.name}</dt>
      <dd>
        <bdi>{name}</bdi>
      </dd>
      <dt>{YOU.facts.email}</dt>
      <dd>
        <bdi>{email}</bdi>
      </dd>
      {role && (
        <>
          <dt>{YOU.facts.role}</dt>
          <dd>
            {ROLES[role].name}. {ROLES[role].may}
          </dd>
        </>
      )}
    </dl>
  );
};

/** The person who is signed in, and their passkeys. */
export const You = () => {
  const { part, id = "" } = useRoute().params;
  const found = useOwnPasskeys();
  const chosen = found.data?.find((one) => String(one.id) === id);
  return (
    <Page
      title={YOU.title}
      actions={
        hasPasskeys() && (
          <a class="button" href={`${YOU_PATH}/add`}>
            {YOU.add}
          </a>
        )
      }
    >
      <Facts />
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
    </Page>
  );
};
