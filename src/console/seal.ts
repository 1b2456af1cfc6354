import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** States are looked up by hash, so that the time of a look-up reveals nothing about tokens, and the database has none. */
export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** A key that only who has the token can derive (RFC 5869). @param purpose gives each use a key of its own */
export const keyFrom = (token: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", token, "", purpose, 32));

/** Encrypts a value, so that the database alone does not tell it. */
export const seal = (token: string, content: unknown): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(token, "seal"), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
};

/** The value; undefined if it was sealed with another token, or changed. */
export const unseal = (token: string, sealed: string): unknown => {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv(CIPHER, keyFrom(token, "seal"), bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const content = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(content.toString("utf8"));
  } catch {
    return undefined;
  }
};
