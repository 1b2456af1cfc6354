/** Cryptographically random bytes. */
export type RandomBytes = (count: number) => Uint8Array;

/** 256 bits, in base64url. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** An unguessable secret, as text for addresses and cookies. */
export const randomToken = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(TOKEN_BYTES)).toString("base64url");

/** True for text in the form of a token. */
export const isToken = (text: string): boolean => TOKEN.test(text);

export const SESSION_ID_LENGTH = 16;

/** Identifies a session to its user. The hash of a random token does not reveal the token. */
export const sessionIdOf = (hash: string): string => hash.slice(0, SESSION_ID_LENGTH);
