interface Pages {
  pages: readonly unknown[];
}

/**
 * Merges a response into a list, for `structuralSharing`. The query client adds a next page to the pages that existed when
 * its request began: changes that were patched in since are kept here.
 * @param share handles anything but a next page
 */
export const withLoadedPages =
  (share: (before: unknown, now: unknown) => unknown) =>
  (before: unknown, now: unknown): unknown => {
    const [had, has] = [before as Pages | undefined, now as Pages];
    if (!had || has.pages.length !== had.pages.length + 1) return share(before, now);
    return { ...has, pages: [...had.pages, has.pages.at(-1)] };
  };
