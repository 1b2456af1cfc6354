import type { SigningKey } from "./signing-key.ts";

/** Escapes all but the unreserved characters of RFC 3986 section 2.3. `encodeURIComponent` leaves five more as they are. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The query string that is signed (draft-ietf-dconn-domainconnect-05, "Signing Procedure"). */
export const canonicalQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

/** The signed URL at which the provider asks the holder of a domain to agree to a template. @param template its URL at the provider */
export const applyUrl = (
  template: string,
  parameters: Readonly<Record<string, string>>,
  key: SigningKey,
): string => {
  const query = canonicalQuery(parameters);
  return `${template}/apply?${query}&sig=${encode(key.sign(query))}&key=${key.label}`;
};
