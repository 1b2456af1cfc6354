import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { Fault } from "../../lib/errors.ts";
import { formatTime } from "../../lib/time.ts";
import { assertFits, readCertificate, splitChain } from "../../protocols/acme/certificate.ts";
import { AcmeProblem } from "../../protocols/acme/problem.ts";
import { sentence } from "../../lib/text.ts";
import type { KeyPair } from "./certificate.ts";

const CURVES: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1"]);
const MIN_RSA_BITS = 2048;

const refused = (message: string) => new Fault("invalid_request", message);

const readKey = (pem: string): KeyObject => {
  try {
    return createPrivateKey(pem);
  } catch {
    throw refused("The key cannot be read: give it as PEM without a passphrase.");
  }
};

/** Only keys that browsers accept (CA/Browser Forum, Baseline Requirements 6.1.5). */
const assertUsable = ({ asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject) => {
  const isUsable =
    (type === "ec" && CURVES.has(details.namedCurve)) ||
    (type === "rsa" && (details.modulusLength ?? 0) >= MIN_RSA_BITS);
  if (!isUsable) throw refused(`The key must be of P-256 or P-384, or RSA of ${MIN_RSA_BITS} bits or more.`);
};

const assertOfNames = async ({ key, chain }: KeyPair, names: readonly string[], now: number) => {
  try {
    await assertFits(chain, key, names, now);
  } catch (error) {
    if (!(error instanceof AcmeProblem)) throw error;
    throw refused(
      `The certificate cannot be used: ${sentence(error.detail)} Give a certificate for ${names.join(" and ")} that is valid now, and the key that it was made for; in a chain, the certificate for the name comes first.`,
    );
  }
};

/** Browsers reject such a certificate without a stapled OCSP response, which this service does not send. */
const assertNotStapled = async (chain: string) => {
  if ((await readCertificate(chain)).mustStaple)
    throw refused(
      "The certificate requires OCSP stapling (RFC 7633, “Must-Staple”), which this service does not support. Ask the CA for one without it.",
    );
};

const subjectOf = ({ subject }: X509Certificate) => subject.replaceAll("\n", ", ");

/** RFC 8446 section 4.4.2: each certificate certifies the one before it. */
const assertLinked = (chain: string, now: number) => {
  const certificates = splitChain(chain).map((pem) => new X509Certificate(pem));
  for (const [at, issuer] of certificates.entries()) {
    const issued = certificates[at - 1];
    if (!issued) continue;
    const named = `certificate ${at + 1} of the chain (${subjectOf(issuer)})`;
    if (!issuer.ca || !issued.checkIssued(issuer) || !issued.verify(issuer.publicKey))
      throw refused(
        `In the chain, ${named} did not issue the one before it (${subjectOf(issued)}): put the name's own certificate first, then its issuer's, and so on, and nothing else.`,
      );
    const until = Date.parse(issuer.validTo);
    if (until <= now)
      throw refused(
        `In the chain, ${named} was valid until ${formatTime(until)}: ask its CA for the one that is valid now.`,
      );
  }
};

/**
 * Refuses what browsers would not accept: a certificate for another name or key, one that is not valid now, one that must be
 * stapled, or a chain with a broken link. @throws Fault invalid_request with the remedy
 */
export const assertImportable = async (
  pair: KeyPair,
  names: readonly string[],
  now: number,
): Promise<void> => {
  const key = readKey(pair.key);
  await assertOfNames(pair, names, now);
  assertUsable(key);
  await assertNotStapled(pair.chain);
  assertLinked(pair.chain, now);
};
