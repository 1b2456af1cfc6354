import type { RandomBytes } from "../../lib/random.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 30;
const CHECK_LENGTH = 6;
const PREFIX_LENGTH = 8;
const FORM = new RegExp(`^aas_[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);
/** Bytes from this on are drawn again: 248 is the largest multiple of 62 in a byte, so every character is equally likely. */
const UNBIASED_BYTES = 248;

const base62 = (value: number, length: number): string => {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62))
    text = ALPHABET[rest % 62] + text;
  return text;
};

/** CRC-32 (IEEE 802.3) of the text, as 6 base62 characters. */
const check = (text: string): string => base62(Bun.hash.crc32(text), CHECK_LENGTH);

/** A new secret: `aas_`, 30 random base62 characters (178 bits), 6 of checksum. */
export const createSecret = (random: RandomBytes): string => {
  let text = "aas_";
  while (text.length < 4 + RANDOM_LENGTH)
    for (const byte of random(4 + RANDOM_LENGTH - text.length))
      if (byte < UNBIASED_BYTES) text += ALPHABET[byte % 62];
  return text + check(text);
};

/** True if the text has the form and the checksum of a secret: a typo is refused without a query. */
export const isWellFormed = (text: string): boolean =>
  FORM.test(text) && text.slice(-CHECK_LENGTH) === check(text.slice(0, -CHECK_LENGTH));

export const hashOf = (secret: string): string => Bun.SHA256.hash(secret, "hex");

export const recordOf = (secret: string) => ({
  /** SHA-256, hexadecimal. */
  hash: hashOf(secret),
  /** The first 8 characters, for people to recognise it by. */
  prefix: secret.slice(0, PREFIX_LENGTH),
});

/** The part of a secret that is stored. */
export type SecretRecord = ReturnType<typeof recordOf>;
