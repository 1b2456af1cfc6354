/** Where the user was on an entry of the history: it survives a reload, and ends with the tab. */
interface Place {
  /** The scroll position in CSS pixels. */
  y: number;
  /** How many pages of each list were loaded. */
  pages: Record<string, number>;
}

const STORED = "places";
/** Older places are forgotten. */
const MAX_PLACES = 50;

const read = (): [string, Place][] => {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]") as [string, Place][];
  } catch {
    return [];
  }
};

const places = new Map<string, Place>(read());

/** The place of an entry. Change it in place. @param key of the entry */
export const placeOf = (key: string): Place => {
  const place = places.get(key) ?? { y: 0, pages: {} };
  places.set(key, place);
  return place;
};

/** Gives an entry the place of another, as for a dialog that covers a page. */
export const copyPlace = (from: string, to: string): void => {
  const { y, pages } = placeOf(from);
  places.set(to, { y, pages: { ...pages } });
};

/** Stores the places for the next load of this tab. */
export const storePlaces = (): void => {
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...places].slice(-MAX_PLACES)));
  } catch {
    // Without storage, a reload begins at the top.
  }
};
