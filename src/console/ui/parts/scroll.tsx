import type { ComponentChildren, RefObject } from "preact";

/** Content that scrolls sideways where it is too wide, with the keyboard too. `label` names it for screen readers. */
export const Scroll = ({
  label,
  place,
  children,
}: {
  label: string;
  place?: RefObject<HTMLDivElement>;
  children: ComponentChildren;
}) => (
  <div {...(place && { ref: place })} class="scroll" role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
);
