import "reflect-metadata";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";

/** PEM, leaf first. */
export interface Pair {
  key: string;
  cert: string;
}

export interface TestCa {
  /** The root's certificate, PEM. */
  root: string;
  /** Issues a certificate for these names with a new key. With `intermediate`, an intermediate CA issues it and is in the chain. */
  issue(names: string[], options?: { intermediate?: boolean; days?: number }): Promise<Pair>;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;

const generateKeys = () =>
  crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;

const pemOf = async (key: CryptoKey): Promise<string> => {
  const lines = Buffer.from(await crypto.subtle.exportKey("pkcs8", key))
    .toString("base64")
    .replaceAll(/.{64}/g, "$&\n");
  return `-----BEGIN PRIVATE KEY-----\n${lines.trimEnd()}\n-----END PRIVATE KEY-----\n`;
};

interface Issuer {
  subject: string;
  keys: CryptoKeyPair;
  cert: string;
}

const newSerial = () => `00${crypto.randomUUID().replaceAll("-", "").slice(0, 30)}`;

const certify = async (
  { subject, keys }: { subject: string; keys: CryptoKeyPair },
  issuer: Pick<Issuer, "subject" | "keys">,
  days: number,
  extensions: x509.Extension[],
): Promise<string> => {
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject,
    issuer: issuer.subject,
    notBefore: new Date(now - DAY_MS),
    // RFC 5280 section 4.1.2.5: the last second is part of the lifetime.
    notAfter: new Date(now + days * DAY_MS - 1000),
    publicKey: keys.publicKey,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      ...extensions,
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey),
    ],
  });
  return `${certificate.toString("pem")}\n`;
};

const caExtensions = (pathLength: number) => [
  new x509.BasicConstraintsExtension(true, pathLength, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
];

/** Creates a CA for one test, with P-256 keys and certificates that are valid since yesterday. */
export const createTestCa = async (): Promise<TestCa> => {
  const root: Issuer = { subject: "CN=Test Root", keys: await generateKeys(), cert: "" };
  root.cert = await certify(root, root, 30, caExtensions(1));
  const intermediateCa: Issuer = { subject: "CN=Test Intermediate", keys: await generateKeys(), cert: "" };
  intermediateCa.cert = await certify(intermediateCa, root, 30, caExtensions(0));
  return {
    root: root.cert,
    async issue(names, { intermediate = false, days = 10 } = {}) {
      const keys = await generateKeys();
      const cert = await certify(
        { subject: `CN=${names[0]}`, keys },
        intermediate ? intermediateCa : root,
        days,
        [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([
            x509.ExtendedKeyUsage.serverAuth,
            x509.ExtendedKeyUsage.clientAuth,
          ]),
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({ type: isIP(value) ? "ip" : "dns", value })),
          ),
        ],
      );
      return { key: await pemOf(keys.privateKey), cert: intermediate ? cert + intermediateCa.cert : cert };
    },
  };
};
