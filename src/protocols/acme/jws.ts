import { type AccountKey, publicKeyOf } from "./keys.ts";

/** RFC 8555 section 7.3.4: binds a new account to an existing account with the CA. */
export interface ExternalAccount {
  kid: string;
  /** Base64url. Secret. */
  hmac: string;
}

/** Signs with the account's URL as key id or, before the account exists, with the public key. */
export interface Signer {
  key: AccountKey;
  account?: string;
}

const bytesOf = (payload: unknown): Uint8Array =>
  new TextEncoder().encode(payload === undefined ? "" : JSON.stringify(payload));

/**
 * The body of a request, JSON: RFC 8555 section 6.2.
 * @param payload undefined for a POST-as-GET (section 6.3)
 */
export const signedBody = async (
  { key, account }: Signer,
  { url, nonce, payload }: { url: string; nonce: string; payload: unknown },
): Promise<string> => {
  const { FlattenedSign } = await import("jose");
  const signer = account === undefined ? { jwk: publicKeyOf(key) } : { kid: account };
  const jws = await new FlattenedSign(bytesOf(payload))
    .setProtectedHeader({ alg: "ES256", nonce, url, ...signer })
    .sign({ ...key });
  return JSON.stringify(jws);
};

/** The field `externalAccountBinding` of a new account. */
export const externalAccountBinding = async (
  { kid, hmac }: ExternalAccount,
  key: AccountKey,
  url: string,
): Promise<object> => {
  const { FlattenedSign } = await import("jose");
  return new FlattenedSign(bytesOf(publicKeyOf(key)))
    .setProtectedHeader({ alg: "HS256", kid, url })
    .sign(new Uint8Array(Buffer.from(hmac, "base64url")));
};
