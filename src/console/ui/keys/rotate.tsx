import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { type Key, type MintedKey, DEFAULT_GRACE, gracesOf } from "./key.ts";
import { OneKey } from "./one.tsx";
import { KEYS } from "./queries.ts";
import { SecretOnce } from "./secret.tsx";
import { ROTATE, SECRET } from "./words.ts";

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
  const [graceSeconds, setGrace] = useState(DEFAULT_GRACE);
  const rotating = useAction({
    act: (graceSeconds: number) =>
      dataOf(
        platform.POST("/platform/keys/{keyId}/rotate", {
          params: { path: { keyId: apiKey.id } },
          body: { graceSeconds },
        }),
      ),
    onDone: onRotated,
    changes: [[...KEYS, "list"]],
  });
  return (
    <Form error={rotating.error} words={{}} onSubmit={() => rotating.run(graceSeconds)}>
      <p>
        <bdi>
          <strong>{apiKey.name}</strong>
        </bdi>{" "}
        {ROTATE.text(apiKey.prefix)}
      </p>
      {isOwn && (
        <Notice tone="waiting">
          <p>{ROTATE.own}</p>
        </Notice>
      )}
      <Field label={ROTATE.grace}>
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
      <DialogButtons back={BACK} label={ROTATE.submit} isBusy={rotating.isPending} />
    </Form>
  );
};

/** The dialog that gives a key a new secret and then shows it once. */
export const RotateKey = ({ id }: { id: string }) => {
  const [minted, setMinted] = useState<MintedKey>();
  if (minted)
    return (
      <Dialog title={SECRET.titleOf(minted.name)} back={BACK}>
        <SecretOnce secret={minted.secret} back={BACK} />
      </Dialog>
    );
  return (
    <Dialog title={ROTATE.title} back={BACK}>
      <OneKey id={id}>
        {(key, isOwn) => <RotateForm apiKey={key} isOwn={isOwn} onRotated={setMinted} />}
      </OneKey>
    </Dialog>
  );
};
