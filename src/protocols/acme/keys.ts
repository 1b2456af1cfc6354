import { createPrivateKey, KeyObject } from "node:crypto";
import { loadX509 } from "./x509.ts";

/** An account's private key, ES256 (RFC 7518 section 6.2): JSON, to be kept as it is. */
export interface AccountKey {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  /** Secret. */
  d: string;
}

/** What proves control over a name in a TLS handshake, as PEM. */
export interface KeyAndCertificate {
  key: string;
  cert: string;
}

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const ES256 = { name: "ECDSA", hash: "SHA-256" };
const USES = ["sign", "verify"] as const;

export const newAccountKey = async (): Promise<AccountKey> => {
  const { privateKey } = await crypto.subtle.generateKey(P256, true, [...USES]);
  const { x = "", y = "", d = "" } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty: "EC", crv: "P-256", x, y, d };
};

/** The part that the certificate authority sees. */
export const publicKeyOf = ({ kty, crv, x, y }: AccountKey): Omit<AccountKey, "d"> => ({ kty, crv, x, y });

/** RFC 7638: base64url of SHA-256 over the members in the order of their names. */
export const thumbprint = ({ kty, crv, x, y }: Omit<AccountKey, "d">): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");

/** RFC 8555 section 8.1: what HTTP-01 answers with. */
export const keyAuthorization = (token: string, key: AccountKey): string => `${token}.${thumbprint(key)}`;

const pemOf = (key: CryptoKey): string =>
  KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString();

/** A fresh P-256 key for one certificate, as PKCS#8 PEM. */
export const newCertificateKey = async (): Promise<string> => {
  const { privateKey } = await crypto.subtle.generateKey(P256, true, [...USES]);
  return pemOf(privateKey);
};

const importPair = async (keyPem: string): Promise<CryptoKeyPair> => {
  const { d, ...open } = createPrivateKey(keyPem).export({ format: "jwk" });
  return {
    privateKey: await crypto.subtle.importKey("jwk", { ...open, d: d ?? "" }, P256, false, ["sign"]),
    publicKey: await crypto.subtle.importKey("jwk", open, P256, true, ["verify"]),
  };
};

/**
 * A certificate signing request for these names, as DER: RFC 8555 section 7.4. It has no subject: what a certificate is
 * for is in its alternative names.
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

const ACME_IDENTIFIER = "1.3.6.1.5.5.7.1.31";
/** The head of a DER OCTET STRING of 32 bytes. */
const OCTETS_32 = [0x04, 0x20];
const DAY = 24 * 60 * 60_000;

/** RFC 8737 section 3: SHA-256 of the key authorization, as the extension's value. */
const acmeIdentifier = (authorization: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([...OCTETS_32, ...new Bun.CryptoHasher("sha256").update(authorization).digest()]);

/**
 * The self-signed certificate that answers TLS-ALPN-01 for one name: RFC 8737 section 3.
 * @param authorization the key authorization
 */
export const alpnCertificate = async (
  name: string,
  authorization: string,
  now = Date.now(),
): Promise<KeyAndCertificate> => {
  const { Extension, SubjectAlternativeNameExtension, X509CertificateGenerator } = await loadX509();
  const keys = await crypto.subtle.generateKey(P256, true, [...USES]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=ACME challenge",
    keys,
    signingAlgorithm: ES256,
    notBefore: new Date(now - DAY),
    notAfter: new Date(now + DAY),
    extensions: [
      new SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
      new Extension(ACME_IDENTIFIER, true, acmeIdentifier(authorization)),
    ],
  });
  return { key: pemOf(keys.privateKey), cert: certificate.toString("pem") };
};
