import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useEffect, useId, useRef } from "preact/hooks";
import { Sentence } from "./sentence.tsx";

/** A dialog with an address of its own. Closing it leads to `back`. */
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
  const hasFocused = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  // After each render, until there is a control: the content may load after the dialog opens.
  useEffect(() => {
    if (hasFocused.current) return;
    // The first control, but not the close button before it.
    const first = element.current?.querySelector<HTMLElement>(
      "input, select, textarea, footer a, footer button",
    );
    first?.focus();
    hasFocused.current = first !== null && first !== undefined;
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
