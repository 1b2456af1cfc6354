import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * A heading that a screen reader goes on from when what held the focus is gone, as after a link; not when the document was
 * loaded: there the browser begins at its top.
 */
export const useArrival = () => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body && performance.now() > 1000) heading.current?.focus();
  }, []);
  return heading;
};

/** A page of the console: its title, which is the document's too and is where a screen reader begins, and what can be done. */
export const Page = ({
  title,
  part,
  actions,
  children,
}: {
  title: string;
  /** Which part of it is shown, for the document's title. */
  part?: string | undefined;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => {
  const heading = useArrival();
  useEffect(() => {
    document.title = `${part ? `${part} – ` : ""}${title} – Adoption store`;
  }, [title, part]);
  return (
    <>
      <header class="page">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
};
