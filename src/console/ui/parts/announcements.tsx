import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { type Announcement, Say } from "./finish.ts";
import { Sentence } from "./sentence.tsx";

/** What was done, for everyone and at once for a screen reader; it is there, empty, before anything is said. */
const Said = ({ words }: { words: string | undefined }) => (
  <div role="status">
    {words && (
      <p class="notice good said">
        <Sentence text={words} />
      </p>
    )}
  </div>
);

/** Says above the pages what was done, until another address is shown. */
export const Announcements = ({ children }: { children: ComponentChildren }) => {
  const { url } = useLocation();
  const [done, setDone] = useState<Announcement>();
  useEffect(() => setDone((before) => (before?.at === url ? before : undefined)), [url]);
  // What held the focus may be gone with what was done: a screen reader goes on at the page's heading.
  useEffect(() => {
    if (done && document.activeElement === document.body)
      document.querySelector<HTMLElement>("main h1")?.focus();
  }, [done]);
  return (
    <Say.Provider value={setDone}>
      <Said words={done?.at === url ? done.words : undefined} />
      {children}
    </Say.Provider>
  );
};
