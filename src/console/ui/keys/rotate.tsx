import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice, Problem } from "../parts/feedback.tsx";
import { Field } from "../parts/field.tsx";
import { type Key, type MintedKey, DEFAULT_GRACE, gracesOf } from "./key.ts";
import { OneKey } from "./one.tsx";
import { KEYS } from "./queries.ts";
import { SecretOnce } from "./secret.tsx";

const BACK = "/console/keys";

const RotateForm = ({
  apiKey,
  isOwn,
  onRotated,
}: {
  apiKey: Key;
  isOwn: boolean;
  onRotated: (minted: MintedKey) => void;
}) => {
  const queries = useQueryClient();
  const [graceSeconds, setGrace] = useState(DEFAULT_GRACE);
  const rotating = useMutation({
    mutationFn: (graceSeconds: number) =>
      dataOf(
        platform.POST("/platform/keys/{keyId}/rotate", {
          params: { path: { keyId: apiKey.id } },
          body: { graceSeconds },
        }),
      ),
    onSuccess(minted) {
      onRotated(minted);
      void queries.invalidateQueries({ queryKey: [...KEYS, "list"] });
    },
    // The secret is dropped with the dialog.
    gcTime: 0,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rotating.mutate(graceSeconds);
      }}
    >
      {rotating.error && <Problem error={rotating.error} />}
      <p>
        <bdi>
          <strong>{apiKey.name}</strong>
        </bdi>{" "}
        gets a new secret. The old one, which begins with <code>{apiKey.prefix}</code>, can remain valid for a
        while, so that you have time to replace it everywhere.
      </p>
      {isOwn && (
        <Notice tone="waiting">
          <p>You are signed in with this key. When the old secret expires, sign in with the new one.</p>
        </Notice>
      )}
      <Field label="How long should the old secret remain valid?">
        {(tied) => (
          <select
            {...tied}
            value={graceSeconds}
            onChange={(event) => setGrace(Number(event.currentTarget.value))}
          >
            {gracesOf(isOwn).map(({ seconds, words }) => (
              <option key={seconds} value={seconds}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <DialogButtons back={BACK} label="Create new secret" isBusy={rotating.isPending} />
    </form>
  );
};

/** The dialog that gives a key a new secret and then shows it once. */
export const RotateKey = ({ id }: { id: string }) => {
  const [minted, setMinted] = useState<MintedKey>();
  if (minted)
    return (
      <Dialog title={`The new secret of “${minted.name}”`} back={BACK}>
        <SecretOnce secret={minted.secret} back={BACK} />
      </Dialog>
    );
  return (
    <Dialog title="Rotate key" back={BACK}>
      <OneKey id={id}>
        {(key, isOwn) => <RotateForm apiKey={key} isOwn={isOwn} onRotated={setMinted} />}
      </OneKey>
    </Dialog>
  );
};
