import { createContext } from "preact";
import { useLocation } from "preact-iso";
import { useContext } from "preact/hooks";

/** A message about the last action, and the address at which it is shown. */
export interface Announcement {
  words: string;
  at: string;
}

/** Shows an announcement above the pages. */
export const Announce = createContext<(announcement: Announcement) => void>(() => {});

/**
 * Returns a function that goes to an address and announces there what was done. It replaces the current address, so that
 * going back does not open the dialog again. Call it from `mutate`'s own `onSuccess`, which does not fire after unmount.
 */
export const useFinish = () => {
  const { route } = useLocation();
  const announce = useContext(Announce);
  return (at: string, words: string): void => {
    route(at, true);
    announce({ words, at });
  };
};
