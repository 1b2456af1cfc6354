/** Bun's table maps these to its own source types. */
const OVERRIDES: Record<string, string> = { ts: "text/plain", tsx: "text/plain", jsx: "text/plain" };

const TEXT =
  /^text\/|^application\/(?:json|javascript|xml|manifest\+json|[\w.-]+\+(?:json|xml))$|^image\/svg\+xml$/;
const COMPRESSIBLE =
  /^application\/(?:wasm|vnd\.ms-fontobject|toml|x-yaml)$|^font\/(?:ttf|otf)$|^image\/(?:x-icon|bmp)$/;

const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

/** The media type without parameters, from Bun's table. */
const plainType = (path: string): string => {
  const extension = extensionOf(path);
  const known = Bun.file(`file.${extension}`).type.split(";")[0] ?? "";
  return OVERRIDES[extension] ?? (extension === "" || known === "" ? "application/octet-stream" : known);
};

/** The Content-Type of a file, by its extension. Text is UTF-8. */
export const mediaType = (path: string): string => {
  const type = plainType(path);
  return TEXT.test(type) ? `${type}; charset=utf-8` : type;
};

/** True if a file with this Content-Type is worth compressing. */
export const isCompressible = (type: string): boolean => {
  const plain = type.split(";")[0] ?? "";
  return TEXT.test(plain) || COMPRESSIBLE.test(plain);
};

/**
 * What bundlers put before the extension: at least 8 hexadecimal digits (webpack), 8 of base32 (esbuild), or 8 of
 * base64url in both cases (Vite), always with a digit. Dates and words do not match: browsers cache a wrong match for a year.
 */
const HASHED =
  /[.-](?:(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,64}|(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{8}|(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[\w-]{8})(?:\.[a-z\d]+){1,2}$/;

/** True if the name changes with the content, so that browsers may cache the file forever. False for pages. */
export const isImmutable = (path: string): boolean => !/\.html?$/i.test(path) && HASHED.test(path);
