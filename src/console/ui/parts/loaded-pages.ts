interface Pages {
  pages: readonly unknown[];
}

/**
 * What a list becomes when something was read, for `structuralSharing`. The query client adds a next page to the pages that
 * were there when its request began: changes that were patched in since are kept here.
 * @param share what is done with anything but a next page
 */
export const withLoadedPages =
  (share: (before: unknown, now: unknown) => unknown) =>
  (before: unknown, now: unknown): unknown => {
    const [had, has] = [before as Pages | undefined, now as Pages];
    if (!had || has.pages.length !== had.pages.length + 1) return share(before, now);
    return { ...has, pages: [...had.pages, has.pages.at(-1)] };
  };
