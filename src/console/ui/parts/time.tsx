import { useEffect, useState } from "preact/hooks";
import { relative } from "./duration.ts";

const TICK_MS = 30_000;

/** The current time in milliseconds. It updates the component as time passes. */
export const useNow = (): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, []);
  return now;
};

/** A time relative to now, with the absolute time on hover. It stays up to date. */
export const Time = ({ at }: { at: string }) => {
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {relative((date.getTime() - now) / 1000)}
    </time>
  );
};
