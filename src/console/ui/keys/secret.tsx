import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { Notice } from "../parts/feedback.tsx";

/** A new secret. It is stored nowhere, so it is shown only once. */
export const SecretOnce = ({ secret, back }: { secret: string; back: string }) => {
  const shown = useRef<HTMLElement>(null);
  useEffect(() => shown.current?.focus(), []);
  return (
    <>
      <div role="alert">
        <Notice tone="waiting">
          <p>
            <strong>This secret is shown only once.</strong> Store it in a safe place now, such as a password
            manager. Anyone who has it can use the key.
          </p>
        </Notice>
      </div>
      <p class="secret">
        <code ref={shown} tabIndex={-1} aria-label="The secret">
          {secret}
        </code>
        <CopyButton text={secret} what="the secret" />
      </p>
      <footer>
        <a class="button" href={back}>
          I have stored it
        </a>
      </footer>
    </>
  );
};
