import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** States are looked up by hash, so that the time of a look-up reveals nothing about tokens, and the database has none. */
export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** A key that can only be derived from the token (RFC 5869). @param purpose separates the keys of different uses */
export const keyFrom = (token: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", token, "", purpose, 32));

/** Encrypts and authenticates a value. @param purpose `unseal` must name the same one */
export const seal = (token: string, content: unknown, purpose = "seal"): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(token, purpose), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
};

/** The value; undefined if it was sealed with another token or for another purpose, or changed. */
export const unseal = (token: string, sealed: string, purpose = "seal"): unknown => {
  const bytes = Buffer.from(sealed, "base64url");
  // Other texts have the same bytes: the decoder skips foreign characters, and unused bits of the last one.
  if (bytes.toString("base64url") !== sealed) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, keyFrom(token, purpose), bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const content = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(content.toString("utf8"));
  } catch {
    return undefined;
  }
};
