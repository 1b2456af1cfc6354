const MAX_LENGTH = 63;

/** Suggests a slug for a project's name: `tierheim-koln` for `Tierheim Köln`. It may be empty. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, "");
