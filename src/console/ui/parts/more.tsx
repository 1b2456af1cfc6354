import { useEffect, useRef } from "preact/hooks";

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
  // The button disappears with the last page: keep the focus here, not at the top of the document.
  useEffect(() => {
    if (!hasMore && wasPressed.current) shown.current?.focus();
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
