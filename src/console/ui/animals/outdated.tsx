import { useEffect, useRef } from "preact/hooks";
import { Notice, Problem } from "../parts/feedback.tsx";
import { WORDS } from "./words.ts";

/** Takes the focus from the button that it replaces. */
const Loaded = () => {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  return (
    <p ref={text} tabIndex={-1}>
      {WORDS.reloaded}
    </p>
  );
};

/** Tells that somebody else has changed the animal, offers to reload it, and tells when that is done. */
export const Outdated = ({
  isLoaded,
  reloading: { error, isPending, run },
}: {
  isLoaded: boolean;
  reloading: { error: Error | null; isPending: boolean; run: () => void };
}) => (
  <>
    {error && <Problem error={error} />}
    <div role="alert">
      <Notice tone="waiting">
        {isLoaded ? (
          <Loaded />
        ) : (
          <>
            <p>{WORDS.outdated}</p>
            <button
              type="button"
              class="secondary outline"
              aria-busy={isPending}
              aria-disabled={isPending}
              onClick={() => run()}
            >
              {WORDS.reload}
            </button>
          </>
        )}
      </Notice>
    </div>
  </>
);
