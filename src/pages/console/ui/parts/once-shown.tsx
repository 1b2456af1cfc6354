import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { CopyButton } from "./copy.tsx";
import { Notice } from "./feedback.tsx";
import type { Question } from "./leaving.ts";
import { closeDialog } from "./navigation.ts";
import { useBack, useDraftGuard } from "./dialog.tsx";
import { Check } from "./form.tsx";

/** A secret in a dialog. It is stored nowhere: Done waits for Copy or a tick, and leaving it before asks. */
export const OnceShown = ({
  text,
  what,
  once,
  stored,
  question,
  children,
}: {
  text: string;
  /** The thing that is shown: "the secret". */
  what: string;
  /** That it is shown only once. */
  once: string;
  /** The tick that replaces Copy. */
  stored: string;
  /** Asked before it is left uncopied. It is always the same object. */
  question: Question;
  /** Instructions for its use. */
  children: ComponentChildren;
}) => {
  const back = useBack();
  const shown = useRef<HTMLElement>(null);
  const [isStored, setStored] = useState(false);
  useDraftGuard(!isStored, question);
  useEffect(() => shown.current?.focus(), []);
  return (
    <>
      <div role="alert">
        <Notice tone="waiting">
          <p>
            <strong>{once}</strong> {children}
          </p>
        </Notice>
      </div>
      <p class="secret">
        <code ref={shown} tabIndex={-1} aria-label={what.replace("t", "T")}>
          {text}
        </code>
        <CopyButton text={text} what={what} onCopied={() => setStored(true)} />
      </p>
      <Check name="stored" isChecked={isStored} onCheck={setStored}>
        {stored}
      </Check>
      <footer>
        <button type="button" aria-disabled={!isStored} onClick={() => isStored && closeDialog(back)}>
          Done
        </button>
      </footer>
    </>
  );
};
