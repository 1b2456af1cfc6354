import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { Announce, type Announcement } from "./finish.ts";
import { Sentence } from "./sentence.tsx";

/** The live region of announcements. It exists before it has text, because screen readers announce only changes. */
const Message = ({ words }: { words: string | undefined }) => (
  <div role="status">
    {words && (
      <p class="notice good said">
        <Sentence text={words} />
      </p>
    )}
  </div>
);

/** Shows above the pages what was done, until the address changes. */
export const Announcements = ({ children }: { children: ComponentChildren }) => {
  const { url } = useLocation();
  const [announcement, setAnnouncement] = useState<Announcement>();
  useEffect(() => setAnnouncement((before) => (before?.at === url ? before : undefined)), [url]);
  // The element that had the focus may be gone: a screen reader continues at the page's heading.
  useEffect(() => {
    if (announcement && document.activeElement === document.body)
      document.querySelector<HTMLElement>("main h1")?.focus();
  }, [announcement]);
  return (
    <Announce.Provider value={setAnnouncement}>
      <Message words={announcement?.at === url ? announcement.words : undefined} />
      {children}
    </Announce.Provider>
  );
};
