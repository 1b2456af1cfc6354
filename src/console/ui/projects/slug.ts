const MOST = 63;

/** A slug to begin with for a project's name: `Tierheim Köln` is `tierheim-koln`. It may be empty. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MOST)
    .replaceAll(/^-+|-+$/g, "");
