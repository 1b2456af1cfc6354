import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useEffect, useId, useRef } from "preact/hooks";

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
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    // Not its button to close, which comes first.
    dialog?.querySelector<HTMLElement>("input, select, textarea, footer a, footer button")?.focus();
    return () => dialog?.close();
  }, []);
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
          <h2 id={id}>{title}</h2>
        </header>
        {children}
      </article>
    </dialog>
  );
};
