import { useEffect, useRef } from "preact/hooks";

/** What of a list that comes in pages is shown, and the button for the next page. */
export const More = ({
  words,
  hasMore,
  isBusy,
  more,
}: {
  /** "50 of 1,234 animals shown" */
  words: string;
  hasMore: boolean;
  isBusy: boolean;
  more: () => unknown;
}) => {
  const shown = useRef<HTMLParagraphElement>(null);
  const wasPressed = useRef(false);
  // With the last page the button goes: whoever pressed it is not left at the top of the document.
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
            if (!isBusy) void more();
          }}
        >
          Show more
        </button>
      )}
    </div>
  );
};
