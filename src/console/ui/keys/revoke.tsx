import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useDone } from "../parts/done.ts";
import { Notice, Problem } from "../parts/feedback.tsx";
import { useSession } from "../session.tsx";
import type { Key } from "./key.ts";
import { OneKey } from "./one.tsx";
import { KEYS } from "./queries.ts";

const BACK = "/console/keys";

const RevokeForm = ({ apiKey, isOwn }: { apiKey: Key; isOwn: boolean }) => {
  const queries = useQueryClient();
  const done = useDone();
  const { signOut } = useSession();
  const revoking = useMutation({
    mutationFn: () => platform.DELETE("/platform/keys/{keyId}", { params: { path: { keyId: apiKey.id } } }),
    onSuccess() {
      void (isOwn ? signOut() : queries.invalidateQueries({ queryKey: KEYS }));
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        revoking.mutate(undefined, { onSuccess: () => done(BACK, `“${apiKey.name}” is revoked.`) });
      }}
    >
      {revoking.error && <Problem error={revoking.error} />}
      <p>
        <bdi>
          <strong>{apiKey.name}</strong>
        </bdi>{" "}
        stops working from the next request on, for ever. Whatever uses it then is refused.
      </p>
      {isOwn && (
        <Notice tone="bad">
          <p>You are signed in with this key: you will be signed out.</p>
        </Notice>
      )}
      <DialogButtons back={BACK} word="Revoke" isBusy={revoking.isPending} isDangerous />
    </form>
  );
};

/** The dialog that ends a key. */
export const RevokeKey = ({ id }: { id: string }) => (
  <Dialog title="Revoke key" back={BACK}>
    <OneKey id={id}>{(key, isOwn) => <RevokeForm apiKey={key} isOwn={isOwn} />}</OneKey>
  </Dialog>
);
