import { useQueryClient } from "@tanstack/preact-query";
import { Time, useClock } from "../parts/time.tsx";
import { Email } from "../parts/text.tsx";
import { Badge, Empty } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useRoute } from "../parts/navigation.ts";
import { Table } from "../parts/table.tsx";
import { useLive } from "../parts/visibility.ts";
import { useSession } from "../session.tsx";
import { AddPerson, ChangePerson, InvitePerson, RemovePerson } from "./dialogs.tsx";
import {
  PATH,
  PEOPLE,
  type Person,
  invitationOf,
  isSelf,
  issuerName,
  mayManage,
  usePeople,
} from "./person.ts";
import { LIST, ROLES } from "./words.ts";

const { columns } = LIST;

/** A person's ways to sign in, or that they have not signed in yet. */
const Ways = ({ person }: { person: Person }) => {
  const invitation = useClock((now) => invitationOf(person, now));
  const { passkeys, signsInWith, invitedUntil } = person;
  const ways = [
    ...(passkeys.length > 0 ? [`${passkeys.length} ${passkeys.length === 1 ? "passkey" : "passkeys"}`] : []),
    ...signsInWith.map(issuerName),
  ];
  return (
    <>
      {ways.join(", ")}{" "}
      {invitation === "open" && invitedUntil && (
        <>
          <Badge tone="waiting">Invited</Badge>
          <small>
            Expires <Time at={invitedUntil} />
          </small>
        </>
      )}
      {invitation === "expired" && <Badge tone="bad">Invitation expired</Badge>}
    </>
  );
};

const ACTIONS = [
  ["edit", "Edit"],
  ["invite", "Invite again"],
  ["remove", LIST.remove],
] as const;

const Row = ({ person }: { person: Person }) => {
  const { user } = useSession();
  const { id, name, email, role, lastSeenAt } = person;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi> {isSelf(user, person) && <Badge tone="good">You</Badge>}
      </th>
      <td data-column={columns.email}>
        <Email address={email} />
      </td>
      <td data-column={columns.role} title={ROLES[role].may}>
        {ROLES[role].name}
      </td>
      <td data-column={columns.ways}>
        <div>
          <Ways person={person} />
        </div>
      </td>
      <td data-column={columns.lastSeen}>{lastSeenAt ? <Time at={lastSeenAt} /> : "Never"}</td>
      <td class="actions">
        <div>
          {mayManage(user, role) &&
            ACTIONS.map(([part, label]) => (
              <a key={part} href={`${PATH}/${id}/${part}`} aria-label={`${label} ${name}`}>
                {label}
              </a>
            ))}
        </div>
      </td>
    </tr>
  );
};

const COLUMNS = [
  columns.name,
  columns.email,
  columns.role,
  columns.ways,
  columns.lastSeen,
  { name: columns.actions, kind: "actions" },
] as const;

/** A table of people with their actions. */
const Rows = ({ people }: { people: readonly Person[] }) => (
  <Table label="List of people" kind="people" stackBelow={60} columns={COLUMNS}>
    {people.map((person) => (
      <Row key={person.id} person={person} />
    ))}
  </Table>
);

const LIVE_MS = 30_000;

/** The people who sign in to the console. */
export const People = () => {
  const queries = useQueryClient();
  const { id = "", part } = useRoute().params;
  useLive(() => queries.invalidateQueries({ queryKey: PEOPLE }), LIVE_MS);
  return (
    <Page
      title="People"
      actions={
        <a class="button" href={`${PATH}/new`}>
          Add person
        </a>
      }
    >
      <List
        found={usePeople()}
        thing="person"
        things="people"
        empty={
          <Empty title="No people yet">
            <p>Add yourself as an administrator first, then your colleagues. People sign in without a key.</p>
          </Empty>
        }
      >
        {(people) => <Rows people={people} />}
      </List>
      {id === "new" && <AddPerson />}
      {part === "edit" && <ChangePerson key={id} id={id} />}
      {part === "invite" && <InvitePerson key={id} id={id} />}
      {part === "remove" && <RemovePerson key={id} id={id} />}
    </Page>
  );
};
