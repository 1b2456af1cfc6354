import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useEffect, useId, useRef } from "preact/hooks";
import { Sentence } from "./sentence.tsx";

/** A dialog that an address of its own shows; closing it goes to `back`. */
export const Dialog = ({
  title,
  back,
  children,
}: {
  title: string;
  back: string;
  children: ComponentChildren;
}) => {
  const { route } = useLocation();
  const element = useRef<HTMLDialogElement>(null);
  const hasBegun = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  // As often as it is drawn: what it asks for may come later than the dialog.
  useEffect(() => {
    if (hasBegun.current) return;
    // Not its button to close, which comes first.
    const first = element.current?.querySelector<HTMLElement>(
      "input, select, textarea, footer a, footer button",
    );
    first?.focus();
    hasBegun.current = first !== null && first !== undefined;
  });
  const leave = () => route(back);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <article>
        <header>
          <button type="button" class="close" aria-label="Close" onClick={leave} />
          <h2 id={id}>
            <Sentence text={title} />
          </h2>
        </header>
        {children}
      </article>
    </dialog>
  );
};
