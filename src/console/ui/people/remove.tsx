import { platform } from "../api/client.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice, Problem } from "../parts/feedback.tsx";
import { useAction } from "../parts/use-action.ts";
import { useSession } from "../session.tsx";
import { OnePerson } from "./one.tsx";
import type { Person } from "./person.ts";
import { PATH, PEOPLE } from "./queries.ts";
import { REMOVE } from "./words.ts";

const RemoveForm = ({ person: { id, name }, isOwn }: { person: Person; isOwn: boolean }) => {
  const { signOut } = useSession();
  const removing = useAction({
    act: () => platform.DELETE("/platform/people/{personId}", { params: { path: { personId: id } } }),
    onDone() {
      // If it fails, the next request ends the session: its person is removed.
      if (isOwn) void signOut().catch(() => {});
    },
    changes: isOwn ? [] : [PEOPLE],
    at: PATH,
    says: () => (isOwn ? undefined : REMOVE.done(name)),
  });
  return (
    <>
      {removing.error && <Problem error={removing.error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {REMOVE.text}
      </p>
      {isOwn && (
        <Notice tone="bad">
          <p>{REMOVE.own}</p>
        </Notice>
      )}
      <DialogButtons
        back={PATH}
        label={REMOVE.submit}
        isBusy={removing.isPending}
        isDangerous
        onConfirm={() => removing.run()}
      />
    </>
  );
};

/** The dialog that removes somebody, from their next request on. */
export const RemovePerson = ({ id }: { id: string }) => (
  <OnePerson id={id} title={REMOVE.title}>
    {(person, isOwn) => <RemoveForm person={person} isOwn={isOwn} />}
  </OnePerson>
);
