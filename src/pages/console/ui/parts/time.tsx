import { useEffect, useRef, useState } from "preact/hooks";
import { shortRelative } from "./wording.ts";

const TICK_MS = 15_000;

const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

const tick = (): void => {
  for (const listener of listeners) listener();
};

/** Ticks while the component has listeners and the tab is visible. */
const adjust = (): void => {
  clearInterval(ticking);
  ticking = listeners.size > 0 && !document.hidden ? setInterval(tick, TICK_MS) : undefined;
};

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) tick();
  adjust();
});

/** A value that depends on the current time, from the one clock of the app. The component is rendered when the value changes. */
export const useClock = <Value extends string | number>(read: (now: number) => Value): Value => {
  const current = useRef(read);
  current.current = read;
  const [, setValue] = useState(() => read(Date.now()));
  useEffect(() => {
    const listener = () => setValue(current.current(Date.now()));
    listeners.add(listener);
    if (listeners.size === 1) adjust();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) adjust();
    };
  }, []);
  return read(Date.now());
};

/** The current time in milliseconds. It updates the component as time passes. */
export const useNow = (): number => useClock((now) => now);

/** A time relative to now, with the absolute time on hover. It stays up to date. */
export const Time = ({ at }: { at: string }) => {
  const date = new Date(at);
  const words = useClock((now) => shortRelative((date.getTime() - now) / 1000));
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {words}
    </time>
  );
};
