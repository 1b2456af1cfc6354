import type { ComponentChildren } from "preact";

/** What scrolls sideways by itself where the page is narrow, with the keyboard too; `label` says what it is. */
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="scroll" role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
);
