import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { Notice } from "../parts/feedback.tsx";

/** A new secret, for the one time that it is shown; it is kept nowhere, so that a reload does not show it again. */
export const SecretOnce = ({ secret, back }: { secret: string; back: string }) => {
  const shown = useRef<HTMLElement>(null);
  useEffect(() => shown.current?.focus(), []);
  return (
    <>
      <div role="alert">
        <Notice tone="waiting">
          <p>
            <strong>This is the only time that the secret is shown.</strong> Keep it in a safe place now, such
            as a password manager. Whoever has it may do what the key may do.
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
          I have kept it
        </a>
      </footer>
    </>
  );
};
