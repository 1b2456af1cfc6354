import { createContext } from "preact";
import { useLocation } from "preact-iso";
import { useContext } from "preact/hooks";

/** What was done last, and the address that its words are said at. */
export interface Announcement {
  words: string;
  at: string;
}

/** Takes what is to be said; the App says it. */
export const Say = createContext<(done: Announcement) => void>(() => {});

/**
 * Leads on from what is done, and says there what it was. The address where it was done is replaced: going back does not
 * offer it again. To be called from `mutate`'s own `onSuccess`, which whoever has left meanwhile is not reached by.
 */
export const useFinish = () => {
  const { route } = useLocation();
  const say = useContext(Say);
  return (at: string, words: string): void => {
    route(at, true);
    say({ words, at });
  };
};
