import { createPrivateKey, KeyObject } from "node:crypto";

/** Loads the X.509 library on first use. The library needs `reflect-metadata` to be loaded before. */
export const loadX509 = async () => {
  await import("reflect-metadata");
  return import("@peculiar/x509");
};

/** An account's private key, ES256 (RFC 7518 section 6.2): JSON, stored unchanged. */
export interface AccountKey {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  /** Secret. */
  d: string;
}

export const P256 = { name: "ECDSA", namedCurve: "P-256" };
export const ES256 = { name: "ECDSA", hash: "SHA-256" };
export const KEY_USAGES = ["sign", "verify"] as const;

export const newAccountKey = async (): Promise<AccountKey> => {
  const { privateKey } = await crypto.subtle.generateKey(P256, true, [...KEY_USAGES]);
  const { x, y, d } = await crypto.subtle.exportKey("jwk", privateKey);
  if (x === undefined || y === undefined || d === undefined) throw new Error("a P-256 key lacks a field");
  return { kty: "EC", crv: "P-256", x, y, d };
};

/** The public part of an account key. */
export const publicKeyOf = ({ kty, crv, x, y }: AccountKey): Omit<AccountKey, "d"> => ({ kty, crv, x, y });

/** RFC 7638: base64url of SHA-256 over the members in the order of their names. */
export const thumbprint = ({ kty, crv, x, y }: Omit<AccountKey, "d">): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");

/** RFC 8555 section 8.1: the response to an HTTP-01 challenge. */
export const keyAuthorization = (token: string, key: AccountKey): string => `${token}.${thumbprint(key)}`;

export const privateKeyPem = (key: CryptoKey): string =>
  KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString();

/** A fresh P-256 key for one certificate, as PKCS#8 PEM. */
export const newCertificateKey = async (): Promise<string> => {
  const { privateKey } = await crypto.subtle.generateKey(P256, true, [...KEY_USAGES]);
  return privateKeyPem(privateKey);
};

const importPair = async (keyPem: string): Promise<CryptoKeyPair> => {
  const jwk = createPrivateKey(keyPem).export({ format: "jwk" });
  const { d: _secret, ...open } = jwk;
  return {
    privateKey: await crypto.subtle.importKey("jwk", jwk, P256, false, ["sign"]),
    publicKey: await crypto.subtle.importKey("jwk", open, P256, true, ["verify"]),
  };
};

/**
 * A certificate signing request for these names, as DER: RFC 8555 section 7.4. It has no subject: the names are in the
 * subject alternative names.
 * @param keyPem a P-256 key
 */
export const certificateRequest = async (keyPem: string, names: readonly string[]): Promise<Uint8Array> => {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await loadX509();
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: await importPair(keyPem),
    signingAlgorithm: ES256,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns" as const, value }))),
    ],
  });
  return new Uint8Array(request.rawData);
};

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
