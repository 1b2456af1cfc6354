import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectories, syncDirectory } from "../../lib/durable.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { inheritOwner } from "../../lib/ownership.ts";
import { reasonOf } from "../../lib/reason.ts";

/** Providers accept 2048 bits, and the public key fits into two records. */
const BITS = 2048;
/** A string in a TXT record has at most 255 bytes (RFC 1035 section 3.3.14). The fields before the data need 14 of them. */
const FRAGMENT_LENGTH = 240;

const fragmentsOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / FRAGMENT_LENGTH) }, (_, index) =>
    text.slice(index * FRAGMENT_LENGTH, (index + 1) * FRAGMENT_LENGTH),
  );

/** @throws Error unless it is an RSA key in PEM that is long enough */
const parseKey = (pem: string): KeyObject => {
  const key = createPrivateKey(pem);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== "rsa" || modulusLength < BITS)
    throw new Error(`not an RSA key of at least ${BITS} bits`);
  return key;
};

/** @param pem a private RSA key @throws Error if it is something else */
export const signingKey = (pem: string) => {
  const key = parseKey(pem);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const label = `_dc-${createHash("sha256").update(publicKey).digest("hex").slice(0, 8)}`;
  return {
    /** The first label of the public key's name in the DNS. Each key has its own. */
    label,
    /** Signs a query string. Returns base64. */
    sign: (text: string): string => sign("sha256", Buffer.from(text), key).toString("base64"),
    /** The TXT records of the public key (draft-ietf-dconn-domainconnect-05, "Public Key Publication"). */
    recordsIn: (domain: string) =>
      fragmentsOf(publicKey.toString("base64")).map((data, at) => ({
        name: `${label}.${domain}`,
        value: `p=${at + 1},a=RS256,d=${data}`,
      })),
  };
};

/** Signs requests to DNS providers, with RS256. */
export type SigningKey = ReturnType<typeof signingKey>;

const newKey = (): string =>
  generateKeyPairSync("rsa", {
    modulusLength: BITS,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  }).privateKey;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Creates the file in one step, unless another process was first: the published key must be the one that signs. */
const createKeyFile = (path: string): void => {
  makeDirectories(dirname(path));
  const temporary = `${path}.${crypto.randomUUID()}`;
  writeFileSync(temporary, newKey(), { flag: "wx", mode: 0o600, flush: true });
  try {
    inheritOwner(temporary);
    linkSync(temporary, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncDirectory(dirname(path));
};

const readKeyFile = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    createKeyFile(path);
    return readFileSync(path, "utf8");
  }
};

/** Reads a key from a file. If the file is missing, creates it with a new key, for this user only. @throws OperatorError */
export const openSigningKey = (path: string): SigningKey => {
  try {
    return signingKey(readKeyFile(path));
  } catch (error) {
    throw new OperatorError(
      `The key for Domain Connect cannot be used: ${path}: ${reasonOf(error)}. Replace the file by a private RSA key of at least ${BITS} bits in PEM, or remove the file to get a new key.`,
      { cause: error },
    );
  }
};
