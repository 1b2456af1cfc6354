import { ActionButton } from "../parts/action-button.tsx";
import { Badge, Problem } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { callAuth } from "../passkeys.ts";
import type { OwnSession } from "./person.ts";
import { OWN_SESSIONS, useOwnSessions } from "./queries.ts";
import { SESSIONS } from "./words.ts";

const { columns } = SESSIONS;

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

const Row = ({ session }: { session: OwnSession }) => {
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
      <td data-column={columns.opened}>{openedAt ? <Time at={openedAt} /> : SESSIONS.unknown}</td>
      <td data-column={columns.lastUsed}>
        <Time at={lastUsedAt} />
      </td>
      <td class="actions">
        <div>{!isCurrent && <EndButton session={session} />}</div>
      </td>
    </tr>
  );
};

const COLUMNS = [
  columns.device,
  columns.opened,
  columns.lastUsed,
  { name: columns.actions, kind: "actions" },
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

/** The sessions of the user who is signed in. */
export const OwnSessions = () => {
  const found = useOwnSessions();
  return (
    <>
      <h2>{SESSIONS.title}</h2>
      <p>{SESSIONS.explained}</p>
      <List found={found} items={found.data ?? []} thing="session">
        {(sessions) => (
          <Table label={SESSIONS.title} kind="sessions" stackBelow={40} columns={COLUMNS}>
            {sessions.map((session) => (
              <Row key={session.id} session={session} />
            ))}
          </Table>
        )}
      </List>
      {(found.data?.length ?? 0) > 1 && <EndOthers />}
    </>
  );
};
