import { useQuery } from "@tanstack/preact-query";
import { ActionButton, useAction } from "../parts/action.tsx";
import { About, Confirm, Dialog, DialogForm } from "../parts/dialog.tsx";
import { Badge, Facts, Notice, Page, Problem, Time } from "../parts/page.tsx";
import { TextField, useDraft } from "../parts/form.tsx";
import { useRoute } from "../parts/navigation.ts";
import { type Column, List, RowLinks, byId } from "../parts/table.tsx";
import { callAuth } from "../api/client.ts";
import { addPasskey, hasPasskeys } from "../passkeys.ts";
import { describeUser, useSession } from "../session.tsx";
import { NO_PASSKEYS, PASSKEY_FIELDS, type Passkey, ROLES } from "./people.tsx";

/** A session of the user, as the console's endpoint lists it. */
interface OwnSession {
  id: string;
  /** Absent for sessions of earlier versions, as is `openedAt`. */
  device?: string;
  openedAt?: string;
  lastUsedAt: string;
  isCurrent: boolean;
}

const PATH = "/console/you";
const PASSKEYS = ["own passkeys"];
const SESSIONS = ["own sessions"];

const AddOwnPasskey = () => {
  const { draft, bind } = useDraft({ name: "" });
  const adding = useAction({
    act: (name: string) => addPasskey(name.trim()),
    changes: [PASSKEYS],
    at: PATH,
    says: () => "Passkey added",
  });
  return (
    <Dialog title="Add passkey" back={PATH}>
      <DialogForm
        action={adding}
        words={PASSKEY_FIELDS}
        label="Add passkey"
        onSubmit={() => adding.run(draft.name)}
      >
        <TextField label="Name" hint="Optional, such as “My phone”." maxLength={60} {...bind("name")} />
      </DialogForm>
    </Dialog>
  );
};

const RemoveOwnPasskey = ({ passkey: { id, name } }: { passkey: Passkey }) => {
  const removing = useAction({
    act: () => callAuth("DELETE", `passkeys/${id}`),
    changes: [PASSKEYS],
    at: PATH,
    says: () => `Passkey “${name}” removed`,
  });
  return (
    <Dialog title="Remove passkey" back={PATH}>
      <Confirm action={removing} label="Remove" isDangerous>
        <About name={name}>
          will no longer sign you in, and its sessions end. Delete it on your device too.
        </About>
      </Confirm>
    </Dialog>
  );
};

const PASSKEY_COLUMNS: readonly Column<Passkey>[] = [
  { name: "Name", kind: "row", cell: ({ name }) => <bdi>{name}</bdi> },
  { name: "Added", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "Last used", cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : "Never") },
  {
    name: "Actions",
    kind: "actions",
    cell: ({ id, name }) => <RowLinks name={name} links={{ Remove: `${PATH}/remove/${id}` }} />,
  },
];

const OwnPasskeys = () => {
  const { part, id = "" } = useRoute().params;
  const found = useQuery({ queryKey: PASSKEYS, queryFn: () => callAuth<Passkey[]>("GET", "passkeys") });
  const chosen = found.data?.find((one) => String(one.id) === id);
  return (
    <>
      <h2>Your passkeys</h2>
      <p>
        A passkey signs you in with your fingerprint, face or PIN. Add one for each device. Remove passkeys
        that you do not recognize.
      </p>
      {!hasPasskeys() && <Notice tone="waiting" text={NO_PASSKEYS} />}
      <List
        found={found}
        items={found.data ?? []}
        thing="passkey"
        table={{
          label: "List of passkeys",
          kind: "passkeys",
          stackBelow: 40,
          columns: PASSKEY_COLUMNS,
          keyOf: byId,
        }}
      />
      {part === "add" && <AddOwnPasskey />}
      {part === "remove" && chosen && <RemoveOwnPasskey key={id} passkey={chosen} />}
    </>
  );
};

const SIGNED_IN = "Where you are signed in";
const UNKNOWN = "Unknown";

const EndButton = ({ session: { id, device = UNKNOWN } }: { session: OwnSession }) => {
  const ending = useAction({
    act: () => callAuth("DELETE", `sessions/${id}`),
    changes: [SESSIONS],
    says: () => `Session ended: ${device}`,
    isErrorToast: true,
  });
  return (
    <ActionButton action={ending} class="secondary outline" aria-label={`End the session: ${device}`}>
      End
    </ActionButton>
  );
};

const SESSION_COLUMNS: readonly Column<OwnSession>[] = [
  {
    name: "Device",
    kind: "row",
    cell: ({ device = UNKNOWN, isCurrent }) => (
      <>
        {device} {isCurrent && <Badge tone="quiet">This session</Badge>}
      </>
    ),
  },
  { name: "Signed in", cell: ({ openedAt }) => (openedAt ? <Time at={openedAt} /> : UNKNOWN) },
  { name: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  {
    name: "Actions",
    kind: "actions",
    cell: (session) => !session.isCurrent && <EndButton session={session} />,
  },
];

const OwnSessions = () => {
  const found = useQuery({ queryKey: SESSIONS, queryFn: () => callAuth<OwnSession[]>("GET", "sessions") });
  const endingOthers = useAction({
    act: () => callAuth("DELETE", "sessions"),
    changes: [SESSIONS],
    says: () => "All other sessions ended",
  });
  return (
    <>
      <h2>{SIGNED_IN}</h2>
      <p>End the sessions that you do not recognize.</p>
      <List
        found={found}
        items={found.data ?? []}
        thing="session"
        table={{ label: SIGNED_IN, kind: "sessions", stackBelow: 40, columns: SESSION_COLUMNS, keyOf: byId }}
      />
      {(found.data?.length ?? 0) > 1 && (
        <>
          {endingOthers.error && <Problem error={endingOthers.error} />}
          <ActionButton action={endingOthers} class="secondary">
            End all other sessions
          </ActionButton>
        </>
      )}
    </>
  );
};

/** The signed-in user, with their sessions. Only people have passkeys. */
export const You = () => {
  const { user } = useSession();
  const isPerson = user.kind === "person";
  return (
    <Page title="You" add={isPerson && hasPasskeys() && { href: `${PATH}/add`, label: "Add passkey" }}>
      {user.role ? (
        <Facts
          facts={[
            ["Name", <bdi>{user.name}</bdi>],
            ["E-mail", <bdi>{user.email}</bdi>],
            ["Role", `${ROLES[user.role].name}. ${ROLES[user.role].may}`],
          ]}
        />
      ) : (
        <p>{describeUser(user)}</p>
      )}
      {isPerson && <OwnPasskeys />}
      <OwnSessions />
    </Page>
  );
};
