import { useClock } from "../parts/clock.ts";
import { Email } from "../parts/email.tsx";
import { Badge } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { type Person, invitationOf, isSelf, issuerName, mayManage } from "./person.ts";
import { PATH } from "./queries.ts";
import { LIST, ROLES } from "./words.ts";

const { columns } = LIST;

/** How somebody signs in, or that they have not done so yet. */
const Ways = ({ person }: { person: Person }) => {
  const invitation = useClock((now) => invitationOf(person, now));
  const { passkeys, signsInWith, invitedUntil } = person;
  const ways = [
    ...(passkeys.length > 0 ? [LIST.passkeys(passkeys.length)] : []),
    ...signsInWith.map(issuerName),
  ];
  return (
    <>
      {ways.join(", ")}{" "}
      {invitation === "open" && invitedUntil && (
        <>
          <Badge tone="waiting">{LIST.invited}</Badge>
          <small>
            {LIST.expires} <Time at={invitedUntil} />
          </small>
        </>
      )}
      {invitation === "expired" && <Badge tone="bad">{LIST.expired}</Badge>}
    </>
  );
};

const ACTIONS = [
  ["edit", LIST.change],
  ["invite", LIST.invite],
  ["remove", LIST.remove],
] as const;

const Row = ({ person }: { person: Person }) => {
  const { user } = useSession();
  const { id, name, email, role, lastSeenAt } = person;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi> {isSelf(user, person) && <Badge tone="good">{LIST.you}</Badge>}
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
      <td data-column={columns.lastSeen}>{lastSeenAt ? <Time at={lastSeenAt} /> : LIST.never}</td>
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
export const Rows = ({ people }: { people: readonly Person[] }) => (
  <Table label={LIST.table} kind="people" stackBelow={60} columns={COLUMNS}>
    {people.map((person) => (
      <Row key={person.id} person={person} />
    ))}
  </Table>
);
