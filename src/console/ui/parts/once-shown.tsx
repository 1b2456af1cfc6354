import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { CopyButton } from "./copy.tsx";
import { Notice } from "./feedback.tsx";
import type { Question } from "./leaving.ts";
import { closeDialog } from "./navigation.ts";
import { useDraftGuard } from "./dialog.tsx";

/** The texts around a secret that is shown once. */
export interface OnceWords {
  /** That it is shown only once. */
  once: string;
  /** Names it for screen readers. */
  label: string;
  /** The copied thing: "the secret". */
  what: string;
  /** The tick that replaces Copy. */
  stored: string;
  done: string;
  /** Asked before it is left uncopied. */
  question: Question;
}

/** A secret in a dialog. It is stored nowhere: Done waits for Copy or a tick, and leaving it before asks. */
export const OnceShown = ({
  text,
  back,
  words,
  children,
}: {
  text: string;
  back: string;
  words: OnceWords;
  /** Instructions for its use. */
  children: ComponentChildren;
}) => {
  const shown = useRef<HTMLElement>(null);
  const [isStored, setStored] = useState(false);
  useDraftGuard(!isStored, words.question);
  useEffect(() => shown.current?.focus(), []);
  return (
    <>
      <div role="alert">
        <Notice tone="waiting">
          <p>
            <strong>{words.once}</strong> {children}
          </p>
        </Notice>
      </div>
      <p class="secret">
        <code ref={shown} tabIndex={-1} aria-label={words.label}>
          {text}
        </code>
        <CopyButton text={text} what={words.what} onCopied={() => setStored(true)} />
      </p>
      <label>
        <input
          type="checkbox"
          name="stored"
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        {words.stored}
      </label>
      <footer>
        <button type="button" aria-disabled={!isStored} onClick={() => isStored && closeDialog(back)}>
          {words.done}
        </button>
      </footer>
    </>
  );
};
