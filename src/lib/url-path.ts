/**
 * Decodes the path of a URL, once, to a path in a site without the leading slash.
 * @returns undefined for a path that no site has: with `..`, `//`, NUL, a backslash, an encoded slash, or malformed encoding
 */
export const decodePath = (encoded: string): string | undefined => {
  if (!encoded.startsWith("/") || /%2f/i.test(encoded)) return undefined;
  let path;
  try {
    path = decodeURIComponent(encoded).slice(1);
  } catch {
    return undefined;
  }
  // eslint-disable-next-line no-control-regex
  if (/[\u0000\\]|^\/|\/\/|(?:^|\/)\.\.?(?:\/|$)/.test(path)) return undefined;
  return path.normalize("NFC");
};

/** Encodes the names of a path, and leaves its slashes. */
export const encodeNames = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
