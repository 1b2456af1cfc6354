import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { hasCode, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Notice, Problem } from "../parts/feedback.tsx";
import { useSession } from "../session.tsx";
import type { Key } from "./key.ts";
import { OneKey } from "./one.tsx";
import { KEYS } from "./queries.ts";

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
      This is the last usable key that can manage keys. Without it, keys can be created only with{" "}
      <code>adoption-store keys create</code> on the server itself.
    </p>
    <label>
      <input
        type="checkbox"
        name="force"
        checked={isForced}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      Revoke it anyway
    </label>
  </Notice>
);

const RevokeForm = ({ apiKey, isOwn }: { apiKey: Key; isOwn: boolean }) => {
  const queries = useQueryClient();
  const done = useFinish();
  const { signOut } = useSession();
  const [isForced, setForced] = useState(false);
  const revoking = useMutation({
    mutationFn: () =>
      platform.DELETE("/platform/keys/{keyId}", {
        params: { path: { keyId: apiKey.id }, query: isForced ? { force: "true" } : {} },
      }),
    onSuccess() {
      // If it fails, the next request ends the session: its key is revoked.
      if (isOwn) signOut().catch(() => {});
      else void queries.invalidateQueries({ queryKey: KEYS });
    },
  });
  const isRefusedAsLast = hasCode(revoking.error, "last_admin_key");
  const isLast = isForced || isRefusedAsLast;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        revoking.mutate(undefined, { onSuccess: () => done(BACK, `“${apiKey.name}” is revoked.`) });
      }}
    >
      {revoking.error && !isRefusedAsLast && <Problem error={revoking.error} />}
      <p>
        <bdi>
          <strong>{apiKey.name}</strong>
        </bdi>{" "}
        will stop working at once, for good. Every client that uses it will be refused.
      </p>
      {isOwn && (
        <Notice tone="bad">
          <p>You are signed in with this key. You will be signed out.</p>
        </Notice>
      )}
      {isLast && <ForceChoice isForced={isForced} onChoose={setForced} />}
      <DialogButtons
        back={BACK}
        label="Revoke"
        isBusy={revoking.isPending}
        isEnabled={!isLast || isForced}
        isDangerous
      />
    </form>
  );
};

/** The dialog that revokes a key. */
export const RevokeKey = ({ id }: { id: string }) => (
  <Dialog title="Revoke key" back={BACK}>
    <OneKey id={id}>{(key, isOwn) => <RevokeForm apiKey={key} isOwn={isOwn} />}</OneKey>
  </Dialog>
);
