import { WORDS } from "./words.ts";

/** Tells that others have added animals, and shows them on request. */
export const Arrivals = ({ count, isMany, show }: { count: number; isMany: boolean; show: () => void }) => (
  <div class="arrivals" role="status">
    {count > 0 && (
      <p class="notice good">
        {isMany ? WORDS.manyArrivals : WORDS.arrivals(count)}{" "}
        <button type="button" class="link" onClick={show}>
          {WORDS.show}
        </button>
      </p>
    )}
  </div>
);
