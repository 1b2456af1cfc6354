import { useEffect, useRef, useState } from "preact/hooks";

/** True while the user does not see the tab. */
export const useHidden = (): boolean => {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const update = () => setHidden(document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isHidden;
};

/**
 * Calls `refresh` every `everyMs` while the tab is visible, and immediately when the user returns after that time. For changes
 * that are made elsewhere: `useLive(() => queries.invalidateQueries({ queryKey: KEYS }), 15_000)`.
 */
export const useLive = (refresh: () => unknown, everyMs: number): void => {
  const current = useRef(refresh);
  current.current = refresh;
  useEffect(() => {
    let last = Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = () => {
      last = Date.now();
      void current.current();
      timer = setTimeout(run, everyMs);
    };
    const adjust = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(run, Math.max(0, last + everyMs - Date.now()));
    };
    adjust();
    document.addEventListener("visibilitychange", adjust);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", adjust);
    };
  }, [everyMs]);
};
