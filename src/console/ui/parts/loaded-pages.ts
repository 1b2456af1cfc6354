import { type InfiniteData, replaceEqualDeep } from "@tanstack/preact-query";

/**
 * What a list becomes when something was read, for `structuralSharing`. The query client adds a next page to the pages that
 * were there when its request began: changes that were patched in since are kept here.
 */
export const withLoadedPages = (before: unknown, now: unknown): unknown => {
  const [had, has] = [before, now] as [InfiniteData<unknown> | undefined, InfiniteData<unknown>];
  if (!had || has.pages.length !== had.pages.length + 1) return replaceEqualDeep(before, now);
  return { ...has, pages: [...had.pages, has.pages.at(-1)] };
};
