import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface MenuProps {
  label: string;
  /** The label for screen readers, if several menus have the same label. */
  fullLabel?: string;
  isBusy?: boolean;
  /** Each item is an `li`. */
  children: ComponentChildren;
}

/** A button that opens a list. A button of the list closes it, and so do Escape and a press or the focus anywhere else. */
export const Menu = ({ label, fullLabel, isBusy, children }: MenuProps) => {
  const menu = useRef<HTMLDetailsElement>(null);
  const summary = useRef<HTMLElement>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
    summary.current?.focus();
  };
  return (
    <details
      ref={menu}
      class="dropdown menu"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        // Safari does not focus a pressed button. Then `relatedTarget` is null, and the press must still count.
        if (relatedTarget && !currentTarget.contains(relatedTarget as Node)) currentTarget.open = false;
      }}
    >
      <summary
        ref={summary}
        role="button"
        class="small secondary outline"
        aria-label={fullLabel}
        aria-busy={isBusy}
      >
        {label}
      </summary>
      <ul onClick={({ target }) => (target as Element).closest("button") && close()}>{children}</ul>
    </details>
  );
};
