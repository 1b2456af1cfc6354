import type { Published, PublishedNames } from "./repository.ts";

/** Most names that are remembered. */
const MAX_NAMES = 10_000;

/** Answers from memory until anything is written; what is not published is not remembered. */
const remembering = (find: (name: string) => Published | undefined) => {
  const known = new Map<string, Published>();
  return {
    find(name: string): Published | undefined {
      const remembered = known.get(name);
      if (remembered) return remembered;
      const found = find(name);
      if (known.size >= MAX_NAMES) known.clear();
      if (found) known.set(name, found);
      return found;
    },
    drop: () => known.clear(),
  };
};

/**
 * The same names from memory. All are forgotten when `version` changes, as it does with every write, so that a domain that
 * was removed is gone.
 */
export const cachedNames = (names: PublishedNames, version: () => number): PublishedNames => {
  const slugs = remembering((slug) => names.bySlug(slug));
  const hostnames = remembering((hostname) => names.byHostname(hostname));
  let known = version();

  const assertCurrent = () => {
    const current = version();
    if (current === known) return;
    slugs.drop();
    hostnames.drop();
    known = current;
  };

  return {
    bySlug(slug) {
      assertCurrent();
      return slugs.find(slug);
    },
    byHostname(hostname) {
      assertCurrent();
      return hostnames.find(hostname);
    },
  };
};
