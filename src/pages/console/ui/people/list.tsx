import { Time, useClock } from "../parts/time.tsx";
import { Email } from "../parts/text.tsx";
import { Badge } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { useFresh } from "../parts/queries.ts";
import { useRoute } from "../parts/navigation.ts";
import { type Column, List, byId } from "../parts/table.tsx";
import { pluralize } from "../parts/wording.ts";
import { useSession } from "../session.tsx";
import { AddPerson, ChangePerson, InvitePerson, RemovePerson } from "./dialogs.tsx";
import {
  PATH,
  PEOPLE,
  type Person,
  ROLES,
  invitationOf,
  isSelf,
  issuerName,
  mayManage,
  usePeople,
} from "./person.ts";

/** A person's ways to sign in, or that they have not signed in yet. */
const Ways = ({ person }: { person: Person }) => {
  const invitation = useClock((now) => invitationOf(person, now));
  const { passkeys, signsInWith, invitedUntil } = person;
  const ways = [
    ...(passkeys.length > 0 ? [pluralize(passkeys.length, "passkey")] : []),
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
  ["remove", "Remove"],
] as const;

const LIVE_MS = 30_000;

export const People = () => {
  const { user } = useSession();
  const { id = "", part } = useRoute().params;
  useFresh(PEOPLE, LIVE_MS);
  const columns: readonly Column<Person>[] = [
    {
      name: "Name",
      kind: "row",
      cell: (person) => (
        <>
          <bdi>{person.name}</bdi> {isSelf(user, person) && <Badge tone="good">You</Badge>}
        </>
      ),
    },
    { name: "E-mail", cell: ({ email }) => <Email address={email} /> },
    { name: "Role", title: ({ role }) => ROLES[role].may, cell: ({ role }) => ROLES[role].name },
    { name: "Signs in with", kind: "group", cell: (person) => <Ways person={person} /> },
    { name: "Last seen", cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : "Never") },
    {
      name: "Actions",
      kind: "actions",
      cell: ({ id, name, role }) =>
        mayManage(user, role) &&
        ACTIONS.map(([part, label]) => (
          <a key={part} href={`${PATH}/${id}/${part}`} aria-label={`${label} ${name}`}>
            {label}
          </a>
        )),
    },
  ];
  return (
    <Page title="People" add={{ href: `${PATH}/new`, label: "Add person" }}>
      <List
        found={usePeople()}
        thing="person"
        things="people"
        purpose="Add yourself as an administrator first, then your colleagues. People sign in without a key."
        table={{ label: "List of people", kind: "people", stackBelow: 60, columns, keyOf: byId }}
      />
      {id === "new" && <AddPerson />}
      {part === "edit" && <ChangePerson key={id} id={id} />}
      {part === "invite" && <InvitePerson key={id} id={id} />}
      {part === "remove" && <RemovePerson key={id} id={id} />}
    </Page>
  );
};
