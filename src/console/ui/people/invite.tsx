import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { useAction } from "../parts/use-action.ts";
import { LinkOnce } from "./link-once.tsx";
import { OnePerson } from "./one.tsx";
import type { InvitedPerson, Passkey, Person } from "./person.ts";
import { PATH, PEOPLE } from "./queries.ts";
import { INVITATION, INVITE, LIST } from "./words.ts";

/** A passkey of somebody else, which an administrator can remove after a device was lost. */
const PasskeyItem = ({ personId, passkey: { id, name } }: { personId: number; passkey: Passkey }) => {
  const removing = useAction({
    act: () =>
      platform.DELETE("/platform/people/{personId}/passkeys/{passkeyId}", {
        params: { path: { personId, passkeyId: id } },
      }),
    changes: [PEOPLE],
    says: () => INVITE.removed(name),
  });
  return (
    <li>
      <bdi>{name}</bdi>{" "}
      <button
        type="button"
        class="link"
        aria-label={INVITE.removePasskey(name)}
        aria-disabled={removing.isPending}
        onClick={() => removing.run()}
      >
        {LIST.remove}
      </button>
      {removing.error && <Problem error={removing.error} />}
    </li>
  );
};

const InviteForm = ({
  person: { id, name, passkeys },
  onInvited,
}: {
  person: Person;
  onInvited: (invited: InvitedPerson) => void;
}) => {
  const inviting = useAction({
    act: () =>
      dataOf(platform.POST("/platform/people/{personId}/invite", { params: { path: { personId: id } } })),
    onDone: onInvited,
    changes: [PEOPLE],
  });
  return (
    <>
      {inviting.error && <Problem error={inviting.error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {INVITE.text}
      </p>
      {passkeys.length > 0 && (
        <>
          <h3>{INVITE.passkeys}</h3>
          <ul>
            {passkeys.map((passkey) => (
              <PasskeyItem key={passkey.id} personId={id} passkey={passkey} />
            ))}
          </ul>
        </>
      )}
      <DialogButtons
        back={PATH}
        label={INVITE.submit}
        isBusy={inviting.isPending}
        onConfirm={() => inviting.run()}
      />
    </>
  );
};

/** The dialog that makes a new invitation and then shows it once. */
export const InvitePerson = ({ id }: { id: string }) => {
  const [invited, setInvited] = useState<InvitedPerson>();
  if (invited)
    return (
      <Dialog title={INVITATION.titleOf(invited.name)} back={PATH}>
        <LinkOnce person={invited} />
      </Dialog>
    );
  return (
    <OnePerson id={id} title={INVITE.title}>
      {(person) => <InviteForm person={person} onInvited={setInvited} />}
    </OnePerson>
  );
};
