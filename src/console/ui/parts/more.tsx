import { useLayoutEffect, useRef } from "preact/hooks";

/** How much of a list is shown, and the button that loads the next page. */
export const More = ({
  words,
  hasMore,
  isBusy,
  onMore,
}: {
  /** "50 of 1,234 animals shown" */
  words: string;
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => unknown;
}) => {
  const shown = useRef<HTMLParagraphElement>(null);
  const wasPressed = useRef(false);
  // The button disappears with the last page: keep the focus here, and the first new row in view.
  // At once: the focus that is lost until the next frame would be moved to the heading.
  useLayoutEffect(() => {
    if (!hasMore && wasPressed.current) shown.current?.focus({ preventScroll: true });
  }, [hasMore]);
  return (
    <div class="more">
      <p ref={shown} role="status" tabIndex={-1}>
        {words}
      </p>
      {hasMore && (
        <button
          type="button"
          class="secondary outline"
          aria-busy={isBusy}
          onClick={() => {
            wasPressed.current = true;
            if (!isBusy) void onMore();
          }}
        >
          Show more
        </button>
      )}
    </div>
  );
};
