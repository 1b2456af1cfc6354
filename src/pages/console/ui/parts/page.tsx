import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * A heading that takes the focus if the focused element no longer exists, as after a link. Not when the document was
 * loaded: then the browser begins at the top.
 */
export const useArrival = () => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body && performance.now() > 1000)
      heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
};

export const Back = ({ href, label }: { href: string; label: string }) => (
  <nav class="back" aria-label="Back">
    <a href={href}>
      <span aria-hidden="true">← </span>
      {label}
    </a>
  </nav>
);

/** A page of the console: a title, which is the document's too and takes the focus, actions and content. */
export const Page = ({
  title,
  part,
  back,
  add,
  actions,
  children,
}: {
  title: string;
  /** The part of the page that is shown, for the document's title. */
  part?: string | undefined;
  /** The list that the page belongs to. */
  back?: { href: string; label: string };
  /** The link to the dialog that adds an item. */
  add?: { href: string; label: string } | false;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => {
  const heading = useArrival();
  useEffect(() => {
    document.title = `${part ? `${part} – ` : ""}${title} – Adoption store`;
  }, [title, part]);
  return (
    <>
      {back && <Back {...back} />}
      <header class="page">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {(add || actions) && (
          <div class="actions">
            {add && (
              <a class="button" href={add.href}>
                {add.label}
              </a>
            )}
            {actions}
          </div>
        )}
      </header>
      {children}
    </>
  );
};
