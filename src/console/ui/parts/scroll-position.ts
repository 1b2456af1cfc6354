/** After so long, the content is not expected any more. */
const PATIENCE_MS = 10_000;
/** With these, the user scrolls or works on the page. */
const INPUTS = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

let stop: (() => void) | undefined;

export const isRestoring = (): boolean => stop !== undefined;

export const stopRestoring = (): void => stop?.();

/** Scrolls to `y` as soon as the page is tall enough, unless the user is faster. */
export const restoreScroll = (y: number): void => {
  stop?.();
  const attempt = () => {
    scrollTo({ top: y, behavior: "instant" });
    if (Math.abs(scrollY - y) <= 1) stop?.();
  };
  const growth = new ResizeObserver(attempt);
  const patience = setTimeout(() => stop?.(), PATIENCE_MS);
  stop = () => {
    growth.disconnect();
    clearTimeout(patience);
    for (const input of INPUTS) removeEventListener(input, stopRestoring);
    stop = undefined;
  };
  for (const input of INPUTS) addEventListener(input, stopRestoring, { passive: true });
  growth.observe(document.documentElement);
  attempt();
};
