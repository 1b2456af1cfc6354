import { useState } from "preact/hooks";
import { hasCode, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { useSession } from "../session.tsx";
import type { Key } from "./key.ts";
import { OneKey } from "./one.tsx";
import { KEYS } from "./queries.ts";
import { REVOKE } from "./words.ts";

const BACK = "/console/keys";

/** Shown after the API refused to revoke the last key that can manage keys. */
const ForceChoice = ({
  isForced,
  onChoose,
}: {
  isForced: boolean;
  onChoose: (isForced: boolean) => void;
}) => (
  <Notice tone="bad">
    <p>
      {REVOKE.last} <code>adoption-store keys create</code>
    </p>
    <label>
      <input
        type="checkbox"
        name="force"
        checked={isForced}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      {REVOKE.force}
    </label>
  </Notice>
);

const RevokeForm = ({ apiKey, isOwn }: { apiKey: Key; isOwn: boolean }) => {
  const { signOut } = useSession();
  const [isForced, setForced] = useState(false);
  const revoking = useAction({
    act: () =>
      platform.DELETE("/platform/keys/{keyId}", {
        params: { path: { keyId: apiKey.id }, query: isForced ? { force: "true" } : {} },
      }),
    onDone() {
      // If it fails, the next request ends the session: its key is revoked.
      if (isOwn) void signOut().catch(() => {});
    },
    changes: isOwn ? [] : [KEYS],
    at: BACK,
    says: () => (isOwn ? undefined : REVOKE.done(apiKey.name)),
  });
  const isRefusedAsLast = hasCode(revoking.error, "last_admin_key");
  const isLast = isForced || isRefusedAsLast;
  return (
    <Form error={isRefusedAsLast ? null : revoking.error} words={{}} onSubmit={revoking.run}>
      <p>
        <bdi>
          <strong>{apiKey.name}</strong>
        </bdi>{" "}
        {REVOKE.text}
      </p>
      {isOwn && (
        <Notice tone="bad">
          <p>{REVOKE.own}</p>
        </Notice>
      )}
      {isLast && <ForceChoice isForced={isForced} onChoose={setForced} />}
      <DialogButtons
        back={BACK}
        label={REVOKE.submit}
        isBusy={revoking.isPending}
        isEnabled={!isLast || isForced}
        isDangerous
      />
    </Form>
  );
};

/** The dialog that revokes a key. */
export const RevokeKey = ({ id }: { id: string }) => (
  <Dialog title={REVOKE.title} back={BACK}>
    <OneKey id={id}>{(key, isOwn) => <RevokeForm apiKey={key} isOwn={isOwn} />}</OneKey>
  </Dialog>
);
