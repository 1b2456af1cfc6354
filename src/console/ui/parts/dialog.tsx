import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { returnFocus } from "./focus.ts";
import { closeDialog, declareDialog } from "./navigation.ts";
import { Sentence } from "./sentence.tsx";
import { useDraftGuard } from "./use-draft-guard.ts";

/**
 * Focuses the first control, but not the close button before it. The content may load after the dialog opens.
 * Before the first paint: later, it would take the focus from somebody who is fast.
 */
const useFirstFocus = (element: { current: HTMLDialogElement | null }) => {
  const hasFocused = useRef(false);
  useLayoutEffect(() => {
    if (hasFocused.current) return;
    const first = element.current?.querySelector<HTMLElement>(
      "input, select, textarea, footer a, footer button",
    );
    first?.focus();
    hasFocused.current = first !== null && first !== undefined;
  });
};

/**
 * A dialog with an address of its own: link to the address to open it. Escape, × and Back lead to where it was opened, or to
 * `back` if its address was opened directly. Focus and scroll position of the page stay.
 */
export const Dialog = ({
  title,
  back,
  isDirty = false,
  children,
}: {
  title: string;
  back: string;
  /** Something typed would be lost: closing asks first. */
  isDirty?: boolean;
  children: ComponentChildren;
}) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const close = () => closeDialog(back);
  useDraftGuard(isDirty);
  useLayoutEffect(() => declareDialog(back), [back]);
  useLayoutEffect(() => {
    const dialog = element.current!;
    const address = location.pathname + location.search;
    dialog.showModal();
    return () => {
      dialog.close();
      requestAnimationFrame(() => returnFocus(address));
    };
  }, []);
  useFirstFocus(element);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onKeyDown={(event) => {
        // Browsers close the dialog at the second Escape even if `cancel` is prevented.
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <article>
        <header>
          <button type="button" class="close" aria-label="Close" onClick={close} />
          <h2 id={id}>
            <Sentence text={title} />
          </h2>
        </header>
        {children}
      </article>
    </dialog>
  );
};
