import { useClock } from "./clock.ts";
import { shortRelative } from "./duration.ts";

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
