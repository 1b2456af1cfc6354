import { useEffect, useRef } from "preact/hooks";
import { Notice, Problem } from "../parts/feedback.tsx";

/** Takes the focus from the button that it replaces. */
const Loaded = () => {
  const words = useRef<HTMLParagraphElement>(null);
  useEffect(() => words.current?.focus(), []);
  return (
    <p ref={words} tabIndex={-1}>
      Reloaded. What you typed is still here: save it, or cancel.
    </p>
  );
};

/** Tells that somebody else has changed the animal, offers to reload it, and tells when that is done. */
export const Outdated = ({
  isLoaded,
  reloading: { error, isPending, mutate },
}: {
  isLoaded: boolean;
  reloading: { error: Error | null; isPending: boolean; mutate: () => void };
}) => (
  <>
    {error && <Problem error={error} />}
    <div role="alert">
      <Notice tone="waiting">
        {isLoaded ? (
          <Loaded />
        ) : (
          <>
            <p>Somebody else has changed the animal in the meantime, so nothing was saved.</p>
            <button
              type="button"
              class="secondary outline"
              aria-busy={isPending}
              disabled={isPending}
              onClick={() => mutate()}
            >
              Reload, and keep what I typed
            </button>
          </>
        )}
      </Notice>
    </div>
  </>
);
