import type { ComponentChildren } from "preact";
import type { components } from "../../../../client/types/platform.d.ts";
import { dataOf, pageOf, platform } from "../api/client.ts";
import { type FormWords, NAME, pluralize } from "../parts/wording.ts";
import { useAll, useOne } from "../parts/queries.ts";
import { type User, useSession, useSessionRefresh } from "../session.tsx";
import { About, Confirm, Dialog, DialogForm, OnceShown, useDraftGuard } from "../parts/dialog.tsx";
import { Badge, Email, Notice, One, Page, Problem, Time, useClock } from "../parts/page.tsx";
import { SelectField, TextField, useDraft } from "../parts/form.tsx";
import { ActionButton, useAction } from "../parts/action.tsx";
import { useRoute } from "../parts/navigation.ts";
import { type Column, List, RowLinks, byId } from "../parts/table.tsx";

export type Person = components["schemas"]["Person"];
type InvitedPerson = components["schemas"]["InvitedPerson"];
export type Passkey = components["schemas"]["Passkey"];
type Role = Person["role"];

/** The roles: the title of each, "as a volunteer", and its permissions. */
export const ROLES: Record<Role, { name: string; as: string; may: string }> = {
  volunteer: { name: "Volunteer", as: "a volunteer", may: "Sees animals. Starts and changes adoptions." },
  staff: {
    name: "Staff",
    as: "staff",
    may: "Adds, changes and deletes animals and categories. Starts and changes adoptions.",
  },
  administrator: {
    name: "Administrator",
    as: "an administrator",
    may: "May do everything, including projects, keys and people.",
  },
};

export const PASSKEY_FIELDS: FormWords = {
  name: { otherwise: "Enter a name without line breaks or tabs." },
};
export const NO_PASSKEYS = "Passkeys need a current browser and an https:// address.";

/** The scopes of each role, as the API has them. */
const ROLE_SCOPES: Record<Role, User["scopes"]> = {
  volunteer: ["pets:read", "orders:read", "orders:write"],
  staff: ["pets:read", "pets:write", "orders:read", "orders:write"],
  administrator: ["*"],
};

type Manager = Pick<User, "scopes" | "expiresAt" | "rateLimit">;

/** True if the page offers to give this role, or to change people with it: no user grants more than they hold. */
const mayManage = ({ scopes, expiresAt, rateLimit }: Manager, role: Role): boolean =>
  expiresAt === undefined &&
  rateLimit === undefined &&
  (scopes.includes("*") || ROLE_SCOPES[role].every((scope) => scopes.includes(scope)));

const isSelf = (user: Pick<User, "kind" | "id">, { id }: Pick<Person, "id">): boolean =>
  user.kind === "person" && user.id === id;

/** The state of an invitation that was not accepted. @param now milliseconds UTC */
const invitationOf = ({ invitedUntil }: Person, now: number): "none" | "open" | "expired" => {
  if (invitedUntil === undefined) return "none";
  return Date.parse(invitedUntil) > now ? "open" : "expired";
};

/** The host of an OpenID Connect issuer, which is how people know it. */
const issuerName = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

const PEOPLE = ["people"] as const;
const PATH = "/console/people";
const LIVE_MS = 30_000;

const usePeople = () =>
  useAll([...PEOPLE, "list"], (query) => pageOf(platform.GET("/platform/people", { params: { query } })), {
    refetchInterval: LIVE_MS,
  });

/** One person. @param id from the address */
const usePerson = (id: string) =>
  useOne(
    [...PEOPLE, id],
    () => platform.GET("/platform/people/{personId}", { params: { path: { personId: Number(id) } } }),
    { refetchInterval: LIVE_MS },
  );

const BEYOND = "You can't change a person who has more rights than you.";

const FIELDS: FormWords = {
  name: NAME,
  email: {
    missing: "Enter an e-mail address.",
    otherwise: "Enter a valid e-mail address.",
    rules: { taken: "Another person has this e-mail address." },
  },
  role: {
    otherwise: "Choose a role.",
    rules: { forbidden: "You can't give a role that may do more than you." },
  },
};

interface OneProps {
  person: Person;
  isOwn: boolean;
}

interface OnePersonProps {
  /** From the address. */
  id: string;
  title: string;
  children: (props: OneProps) => ComponentChildren;
}

/** A dialog about one person. Refuses people who may do more than the user. */
const OnePerson = ({ id, title, children }: OnePersonProps) => {
  const { user } = useSession();
  return (
    <Dialog title={title} back={PATH}>
      <One found={usePerson(id)} what="the person" isForm>
        {(person) =>
          mayManage(user, person.role) ? (
            children({ person, isOwn: isSelf(user, person) })
          ) : (
            <Problem error={BEYOND} />
          )
        }
      </One>
    </Dialog>
  );
};

const RoleField = (field: { name: string; value: Role; onValue: (role: Role) => void }) => {
  const { user } = useSession();
  const offered = (Object.keys(ROLES) as Role[]).filter((role) => mayManage(user, role));
  return (
    <SelectField
      label="Role"
      hint={ROLES[field.value].may}
      options={offered.map((role) => [role, ROLES[role].name])}
      {...field}
    />
  );
};

/** Asked before the user leaves a link that has not been copied. */
const UNSENT = {
  title: "Close without copying the link?",
  text: "It is shown only once. You can invite them again later.",
  stay: "Keep it open",
  leave: "Close",
};

/**
 * The dialog with a new invitation's link. Only its hash is stored, so it is shown only once. This is not a component, so that the
 * dialog of the form before it stays, and with it the focus.
 */
const linkOnce = ({ name, invitation }: InvitedPerson) => (
  <Dialog title={`Invitation for “${name}”`} back={PATH}>
    <OnceShown
      text={invitation.link}
      what="the link"
      once="This link is shown only once, and works once."
      stored="I have sent it"
      question={UNSENT}
    >
      Send it to them now. Anyone who has it can sign in as them until it is used or expires. It expires{" "}
      <Time at={invitation.expiresAt} />.
    </OnceShown>
  </Dialog>
);

const EMPTY: { name: string; email: string; role: Role } = { name: "", email: "", role: "volunteer" };

const AddPerson = () => {
  const { draft, bind } = useDraft(EMPTY);
  const adding = useAction({
    act: ({ name, email, role }: typeof EMPTY) =>
      dataOf(platform.POST("/platform/people", { body: { name, email: email.trim(), role } })),
    changes: [PEOPLE],
  });
  if (adding.data) return linkOnce(adding.data);
  return (
    <Dialog title="Add person" back={PATH} isDirty={draft.name !== "" || draft.email !== ""}>
      <DialogForm action={adding} words={FIELDS} label="Add person" onSubmit={() => adding.run(draft)}>
        <TextField label="Name" hint="As colleagues know them." required {...bind("name")} />
        <TextField label="E-mail address" inputMode="email" isCode required {...bind("email")} />
        <RoleField {...bind("role")} />
      </DialogForm>
    </Dialog>
  );
};

type Change = Pick<Person, "name" | "role">;

const patch = (personId: number, body: Partial<Change>) =>
  dataOf(platform.PATCH("/platform/people/{personId}", { params: { path: { personId } }, body }));

const ChangeForm = ({ person: { id, name, role }, isOwn }: OneProps) => {
  const refreshSession = useSessionRefresh();
  const { draft, typed, bind, isDirty } = useDraft<Change>({ name, role });
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
    <DialogForm action={changing} words={FIELDS} label="Save" onSubmit={() => changing.run(typed)}>
      <TextField label="Name" required {...bind("name")} />
      <RoleField {...bind("role")} />
      {isOwn && draft.role !== role && (
        <Notice
          tone="waiting"
          text="This is you. With another role, you may not be able to change it back."
        />
      )}
    </DialogForm>
  );
};

/** Another person's passkey, which an administrator can remove after a device was lost. */
const PasskeyItem = ({ personId, passkey: { id, name } }: { personId: number; passkey: Passkey }) => {
  const path = { personId, passkeyId: id };
  const removing = useAction({
    act: () => platform.DELETE("/platform/people/{personId}/passkeys/{passkeyId}", { params: { path } }),
    changes: [PEOPLE],
    says: () => `Passkey “${name}” removed`,
  });
  return (
    <li>
      <bdi>{name}</bdi>{" "}
      <ActionButton action={removing} class="link" aria-label={`Remove the passkey ${name}`}>
        Remove
      </ActionButton>
      {removing.error && <Problem error={removing.error} />}
    </li>
  );
};

const InvitePerson = ({ id }: { id: string }) => {
  const path = { personId: Number(id) };
  const inviting = useAction({
    act: () => dataOf(platform.POST("/platform/people/{personId}/invite", { params: { path } })),
    changes: [PEOPLE],
  });
  if (inviting.data) return linkOnce(inviting.data);
  return (
    <OnePerson id={id} title="Invite again">
      {({ person: { id, name, passkeys } }) => (
        <Confirm action={inviting} label="Create link">
          <About name={name}>
            gets a new link to sign in. An earlier link stops working. Remove the passkeys of lost devices.
          </About>
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
        </Confirm>
      )}
    </OnePerson>
  );
};

const RemoveForm = ({ person: { id, name }, isOwn }: OneProps) => {
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
    <Confirm action={removing} label="Remove" isDangerous>
      <About name={name}>
        will be signed out and can't sign in again. Their e-mail address and passkeys are deleted. Their name
        stays in the history. This can't be undone.
      </About>
      {isOwn && <Notice tone="bad" text="This is you. You will be signed out." />}
    </Confirm>
  );
};

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

const linksOf = (path: string) => ({
  Edit: `${path}/edit`,
  "Invite again": `${path}/invite`,
  Remove: `${path}/remove`,
});

export const People = () => {
  const { user } = useSession();
  const { id = "", part } = useRoute().params;
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
        mayManage(user, role) && <RowLinks name={name} links={linksOf(`${PATH}/${id}`)} />,
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
      {part === "edit" && (
        <OnePerson key={id} id={id} title="Edit person">
          {(props) => <ChangeForm {...props} />}
        </OnePerson>
      )}
      {part === "invite" && <InvitePerson key={id} id={id} />}
      {part === "remove" && (
        <OnePerson key={id} id={id} title="Remove person">
          {(props) => <RemoveForm {...props} />}
        </OnePerson>
      )}
    </Page>
  );
};
