import "reflect-metadata";
import { expect, test } from "bun:test";
import { X509Certificate, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { assertImportable } from "../../../src/platform/certificates/imported.ts";
import { createTestCa } from "../../support/certificates.ts";

const NAME = "docs.example.org";
const DAY = 86_400_000;
const NOW = Date.now();

interface Algorithm {
  name: string;
  hash?: string;
  namedCurve?: string;
}

/** A pair of keys, and how it signs. */
interface Keys {
  pem: string;
  pair: CryptoKeyPair;
  algorithm: Algorithm;
}

const keysOf = async (pem: string, algorithm: Algorithm): Promise<Keys> => {
  const pkcs8 = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  const spki = createPublicKey(pem).export({ type: "spki", format: "der" });
  const pair = {
    privateKey: await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), algorithm, true, ["sign"]),
    publicKey: await crypto.subtle.importKey("spki", new Uint8Array(spki), algorithm, true, ["verify"]),
  };
  return { pem, pair, algorithm };
};

/** A certificate without the extensions that name its issuer's key. */
const certify = async (
  { subject, keys }: { subject: string; keys: Keys },
  issuer: { subject: string; keys: Keys },
  isAuthority = false,
  more: x509.Extension[] = [],
): Promise<string> => {
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: "01",
    subject: `CN=${subject}`,
    issuer: `CN=${issuer.subject}`,
    notBefore: new Date(NOW - DAY),
    notAfter: new Date(NOW + DAY),
    publicKey: keys.pair.publicKey,
    signingKey: issuer.keys.pair.privateKey,
    signingAlgorithm: issuer.keys.algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: subject.split(",")[0] ?? "" }]),
      ...(isAuthority ? [new x509.BasicConstraintsExtension(true, undefined, true)] : []),
      ...more,
    ],
  });
  return `${certificate.toString("pem")}\n`;
};

const PEM = {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
} as const;

const rsa = (modulusLength: number) =>
  keysOf(generateKeyPairSync("rsa", { modulusLength, ...PEM }).privateKey, {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
  });

const ec = (namedCurve: string) =>
  keysOf(generateKeyPairSync("ec", { namedCurve, ...PEM }).privateKey, {
    name: "ECDSA",
    namedCurve,
    hash: "SHA-256",
  });

const ed25519 = () => keysOf(generateKeyPairSync("ed25519", PEM).privateKey, { name: "Ed25519" });

const selfSigned = async (keys: Keys, more?: x509.Extension[]) => {
  const own = { subject: NAME, keys };
  return { key: keys.pem, chain: await certify(own, own, false, more) };
};

/** RFC 7633: TLS feature 5, status_request, as DER. */
const MUST_STAPLE = new x509.Extension("1.3.6.1.5.5.7.1.24", false, Buffer.from("3003020105", "hex"));

const issuing = async () => {
  const { root, issue } = await createTestCa();
  return {
    root,
    async issue(name: string, options?: Parameters<typeof issue>[1]) {
      const { key, cert: chain } = await issue([name], options);
      return { key, chain };
    },
  };
};
const ca = await issuing();

const refusal = async (pair: { key: string; chain: string }, now = NOW): Promise<string> => {
  try {
    await assertImportable(pair, [NAME], now);
    return "";
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_request" });
    return (error as Error).message;
  }
};

const WRONG_KEY = "The key must be of P-256 or P-384, or RSA of 2048 bits or more.";

test.each([
  ["P-256", () => ec("P-256")],
  ["P-384", () => ec("P-384")],
  ["RSA of 2048 bits", () => rsa(2048)],
])("an imported certificate with a key of %s is accepted", async (_, keys) => {
  expect(await refusal(await selfSigned(await keys()))).toBe("");
});

test.each([
  ["Ed25519", ed25519],
  ["P-521", () => ec("P-521")],
  ["RSA of 2047 bits", () => rsa(2047)],
])(
  "an imported certificate with a key of %s is refused, and the error names the keys that browsers accept",
  async (_, keys) => {
    expect(await refusal(await selfSigned(await keys()))).toBe(WRONG_KEY);
  },
);

test("an imported certificate with a passphrase on its key is refused with the right form", async () => {
  const { chain } = await ca.issue(NAME);
  const { privateKey } = generateKeyPairSync("ec", {
    ...PEM,
    namedCurve: "P-256",
    privateKeyEncoding: { ...PEM.privateKeyEncoding, cipher: "aes-256-cbc", passphrase: "secret" },
  });
  for (const key of [privateKey, "nonsense"])
    expect(await refusal({ key, chain })).toBe(
      "The key cannot be read: give it as PEM without a passphrase.",
    );
});

test("an imported certificate that must be stapled is refused, because browsers would not accept it", async () => {
  expect(await refusal(await selfSigned(await ec("P-256"), [MUST_STAPLE]))).toBe(
    "The certificate requires OCSP stapling (RFC 7633, “Must-Staple”), which this service does not support. Ask the CA for one without it.",
  );
});

test("an imported certificate for another name is refused with the required name", async () => {
  expect(await refusal(await ca.issue("other.example.org"))).toBe(
    `The certificate cannot be used: it is not for ${NAME}, but for other.example.org. Give a certificate for ${NAME} that is valid now, and the key that it was made for; in a chain, the certificate for the name comes first.`,
  );
});

test("an imported certificate is refused from the moment it expires, and the error suggests to check the clock", async () => {
  const { key, chain } = await ca.issue(NAME);
  const end = Date.parse(new X509Certificate(chain).validTo);
  expect(await refusal({ key, chain }, end - 1)).toBe("");
  const late = await refusal({ key, chain }, end);
  expect(late).toContain("is this machine's clock right? Give");
  expect(late).toContain(`Give a certificate for ${NAME} that is valid now`);
});

const ORDER = "put the name's own certificate first, then its issuer's, and so on, and nothing else.";

test("the chain of an imported certificate is accepted link by link", async () => {
  const { key, chain } = await ca.issue(NAME, { intermediate: true });
  expect(await refusal({ key, chain })).toBe("");
  expect(await refusal({ key, chain: chain + ca.root })).toBe("");
});

test("the chain of an imported certificate is refused where a link is missing, with its position and subject", async () => {
  const { key, chain } = await ca.issue(NAME, { intermediate: true });
  const [leaf] = chain.split(/(?=-----BEGIN)/);
  expect(await refusal({ key, chain: leaf + ca.root })).toBe(
    `In the chain, certificate 2 of the chain (CN=Test Root) did not issue the one before it (CN=${NAME}): ${ORDER}`,
  );
});

test("the error about a chain names an issuer by all parts of its subject", async () => {
  const [leaf, issuer] = [await ec("P-256"), await ec("P-256")];
  const other = { subject: "other, O=Shelter", keys: issuer };
  const chain = await certify({ subject: NAME, keys: leaf }, other);
  expect(await refusal({ key: leaf.pem, chain: chain + (await certify(other, other)) })).toContain(
    "certificate 2 of the chain (CN=other, O=Shelter) did not issue",
  );
});

const cases: [string, (leaf: Keys, issuer: Keys) => Promise<string[]>][] = [
  [
    "where the issuer signed but is not a CA",
    async (leaf, issuer) => [
      await certify({ subject: NAME, keys: leaf }, { subject: "issuer", keys: issuer }),
      await certify({ subject: "issuer", keys: issuer }, { subject: "issuer", keys: issuer }),
    ],
  ],
  [
    "where the issuer has another name, though it signed",
    async (leaf, issuer) => [
      await certify({ subject: NAME, keys: leaf }, { subject: "issuer", keys: issuer }),
      await certify({ subject: "other", keys: issuer }, { subject: "other", keys: issuer }, true),
    ],
  ],
  [
    "where another CA with that name signed",
    async (leaf, issuer) => [
      await certify({ subject: NAME, keys: leaf }, { subject: "issuer", keys: leaf }),
      await certify({ subject: "issuer", keys: issuer }, { subject: "issuer", keys: issuer }, true),
    ],
  ],
];
test.each(cases)("the chain of an imported certificate is refused %s", async (_, chainOf) => {
  const [leaf, issuer] = [await ec("P-256"), await ec("P-256")];
  const chain = await chainOf(leaf, issuer);
  expect(await refusal({ key: leaf.pem, chain: chain.join("") })).toContain("did not issue the one before");
});

test("the chain of an imported certificate is refused from the moment an issuer expires, with that time", async () => {
  const { key, chain } = await ca.issue(NAME, { intermediate: true, days: 90 });
  const end = Date.parse(new X509Certificate(chain.split(/(?=-----BEGIN)/)[1] ?? "").validTo);
  expect(await refusal({ key, chain }, end - 1)).toBe("");
  expect(await refusal({ key, chain }, end)).toBe(
    `In the chain, certificate 2 of the chain (CN=Test Intermediate) was valid until ${new Date(end).toISOString()}: ask its CA for the one that is valid now.`,
  );
});
