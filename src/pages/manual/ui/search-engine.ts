import MiniSearch, { type SearchResult } from "minisearch";

/** A search result: a page, or the part of it below one heading. */
export interface Entry {
  address: string;
  /** The title of the page. */
  page: string;
  /** The heading of the part; the title of the page for its part above the first heading. */
  heading: string;
  text: string;
}

/** A found entry, and its words that the query matched. */
export type Result = Entry & Pick<SearchResult, "terms">;

export type Search = (query: string) => Result[];

const MAX_RESULTS = 8;
/** Shorter words have too many neighbours. */
const MIN_FUZZY_LENGTH = 5;
const FIELDS = ["heading", "page", "text"];

/** Finds the entries that have all words of a query, also inflected or mistyped. A word counts most in a heading. */
export const searchEngine = (entries: readonly Entry[]): Search => {
  const engine = new MiniSearch<Entry>({
    idField: "address",
    fields: FIELDS,
    storeFields: ["address", ...FIELDS],
    searchOptions: {
      boost: { heading: 8, page: 3 },
      prefix: true,
      fuzzy: (term) => (term.length >= MIN_FUZZY_LENGTH ? 0.2 : false),
      combineWith: "AND",
    },
  });
  engine.addAll(entries);
  return (query) => (engine.search(query) as (SearchResult & Entry)[]).slice(0, MAX_RESULTS);
};
