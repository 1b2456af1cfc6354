import { useEffect, useRef, useState } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { Notice } from "../parts/feedback.tsx";
import { closeDialog } from "../parts/navigation.ts";
import { useDraftGuard } from "../parts/use-draft-guard.ts";
import { SECRET, UNSTORED } from "./words.ts";

/** A new secret. It is stored nowhere, so it is shown only once, and leaving it before it was copied asks first. */
export const SecretOnce = ({ secret, back }: { secret: string; back: string }) => {
  const shown = useRef<HTMLElement>(null);
  const [isStored, setStored] = useState(false);
  useDraftGuard(!isStored, UNSTORED);
  useEffect(() => shown.current?.focus(), []);
  return (
    <>
      <div role="alert">
        <Notice tone="waiting">
          <p>
            <strong>{SECRET.once}</strong> {SECRET.store}
          </p>
        </Notice>
      </div>
      <p class="secret">
        <code ref={shown} tabIndex={-1} aria-label={SECRET.label}>
          {secret}
        </code>
        <CopyButton text={secret} what="the secret" onCopied={() => setStored(true)} />
      </p>
      <label>
        <input
          type="checkbox"
          name="stored"
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        {SECRET.stored}
      </label>
      <footer>
        <button type="button" aria-disabled={!isStored} onClick={() => isStored && closeDialog(back)}>
          {SECRET.done}
        </button>
      </footer>
    </>
  );
};
