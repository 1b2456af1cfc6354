import { useEffect, useRef } from "preact/hooks";
import { Notice, Problem } from "../parts/feedback.tsx";

/** Takes the focus of the button that it replaces. */
const Loaded = () => {
  const words = useRef<HTMLParagraphElement>(null);
  useEffect(() => words.current?.focus(), []);
  return (
    <p ref={words} tabIndex={-1}>
      Loaded anew. What you typed is still there; save it, or cancel.
    </p>
  );
};

/** Said where an animal was to be changed that is another by now, and once it was loaded anew. */
export const Outdated = ({
  isLoaded,
  looking: { error, isPending, mutate },
}: {
  isLoaded: boolean;
  looking: { error: Error | null; isPending: boolean; mutate: () => void };
}) => (
  <>
    {error && <Problem error={error} />}
    <div role="alert">
      <Notice tone="waiting">
        {isLoaded ? (
          <Loaded />
        ) : (
          <>
            <p>Somebody else has changed the animal meanwhile, so nothing was saved.</p>
            <button
              type="button"
              class="secondary outline"
              aria-busy={isPending}
              disabled={isPending}
              onClick={() => mutate()}
            >
              Load it anew, and keep what I typed
            </button>
          </>
        )}
      </Notice>
    </div>
  </>
);
