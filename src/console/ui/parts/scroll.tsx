import type { ComponentChildren } from "preact";

/** Content that scrolls sideways where it is too wide, with the keyboard too. `label` names it for screen readers. */
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="scroll" role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
);
