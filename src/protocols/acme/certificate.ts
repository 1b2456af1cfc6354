import { createPrivateKey, X509Certificate } from "node:crypto";
import { AcmeProblem, printable } from "./problem.ts";
import { loadX509 } from "./keys.ts";
import { attempt } from "../../lib/attempt.ts";

/** The TLS feature extension: RFC 7633 section 6. */
const TLS_FEATURE = "1.3.6.1.5.5.7.1.24";

const MAX_CERTIFICATES = 10;
const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
/** CAs backdate certificates, so a clock may be slow by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;

const unfit = (detail: string): AcmeProblem =>
  new AcmeProblem({ type: "unfit_certificate", detail: printable(detail) });

const parse = (pem: string): X509Certificate => {
  try {
    return new X509Certificate(pem);
  } catch {
    throw unfit("a certificate of the chain cannot be read");
  }
};

/**
 * Splits a PEM chain into certificates: RFC 8555 section 9.1.
 * @throws AcmeProblem `unfit_certificate` unless it is 1 to 10 certificates
 */
export const splitChain = (pem: string): string[] => {
  const blocks = pem.match(PEM_BLOCK) ?? [];
  if (blocks.length === 0) throw unfit("not a PEM certificate");
  if (blocks.length > MAX_CERTIFICATES) throw unfit(`more than ${MAX_CERTIFICATES} certificates`);
  if (pem.replaceAll(PEM_BLOCK, "").trim() !== "")
    throw unfit("the chain contains something that is not a certificate");
  return blocks.map((block) => parse(block).toString().trim());
};

/** The DER content of a serial number: a leading zero byte keeps it positive if its first bit is set. */
const serialBytes = (serial: string): Buffer => {
  const bytes = Buffer.from(serial.padStart(serial.length + (serial.length % 2), "0"), "hex");
  return (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]);
};

/** The facts of a chain's leaf certificate. Times are milliseconds UTC. */
const factsOf = (library: Awaited<ReturnType<typeof loadX509>>, leaf: string) => {
  const certificate = new library.X509Certificate(leaf);
  const { keyId } = certificate.getExtension(library.AuthorityKeyIdentifierExtension) ?? {};
  const { names } = certificate.getExtension(library.SubjectAlternativeNameExtension) ?? {};
  return {
    /** Its DNS names, in lower case. */
    names: (names?.items ?? []).flatMap(({ type, value }) => (type === "dns" ? [value.toLowerCase()] : [])),
    // RFC 5280 section 4.1.2.5 allows times from 1950; the program's start in 1970.
    notBefore: Math.max(0, certificate.notBefore.getTime()),
    notAfter: certificate.notAfter.getTime(),
    /** RFC 9773 section 4.1; absent without an authority key identifier. */
    ...(keyId !== undefined && {
      ariId: `${Buffer.from(keyId, "hex").toString("base64url")}.${serialBytes(certificate.serialNumber).toString("base64url")}`,
    }),
    /** True if clients demand a stapled OCSP response: RFC 7633. */
    mustStaple: certificate.getExtension(TLS_FEATURE) !== null,
    der: new Uint8Array(certificate.rawData),
  };
};

/** @throws AcmeProblem `unfit_certificate` */
export const readCertificate = async (chain: string) => {
  const [leaf = ""] = splitChain(chain);
  const library = await loadX509();
  try {
    return factsOf(library, leaf);
  } catch {
    throw unfit("an extension of the certificate cannot be read");
  }
};

/** RFC 6125 section 6.4.3: a wildcard matches exactly one label, the first. */
const covers = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.startsWith("*.") && name.slice(name.indexOf(".") + 1) === pattern.slice(2));

const belongsTo = (chain: string, keyPem: string): boolean =>
  attempt(() => parse(chain).checkPrivateKey(createPrivateKey(keyPem))) ?? false;

const timeText = (at: number): string => new Date(at).toISOString();

/**
 * Checks that a certificate belongs to the key, has all names, and is valid now.
 * @throws AcmeProblem `unfit_certificate`
 */
export const assertFits = async (
  chain: string,
  keyPem: string,
  names: readonly string[],
  now: number,
): Promise<void> => {
  const { names: covered, notBefore, notAfter } = await readCertificate(chain);
  if (!belongsTo(chain, keyPem)) throw unfit("it does not belong to its key");
  const missing = names.filter((name) => !covered.some((pattern) => covers(pattern, name)));
  if (missing.length > 0) throw unfit(`it is not for ${missing.join(", ")}, but for ${covered.join(", ")}`);
  if (notBefore > now + CLOCK_SKEW_MS)
    throw unfit(
      `it is valid from ${timeText(notBefore)}, but this machine's clock says ${timeText(now)}: is this machine's clock right?`,
    );
  if (notAfter <= now)
    throw unfit(
      `it expired at ${timeText(notAfter)}, and the time here is ${timeText(now)}: is this machine's clock right?`,
    );
};

/** True if a text has PEM certificates, and all of them can be parsed. */
export const holdsCertificates = (text: string): boolean =>
  attempt(() => text.match(PEM_BLOCK)?.map(parse)) !== undefined;
