import { randomBytes } from "node:crypto";
import { loadX509 } from "../../src/protocols/acme/keys.ts";
import type { Clock } from "../../src/lib/time.ts";

/** An error response. The problem's type has no prefix. */
export interface Refusal {
  status: number;
  problem?: { type: string; detail?: string; subproblems?: unknown[] };
  /** Seconds, or a date. */
  retryAfter?: number | string;
}

export interface IssuedCertificate {
  names: string[];
  /** Hexadecimal. */
  serial: string;
  ariId: string;
  notBefore: number;
  notAfter: number;
  chain: string;
  der: Uint8Array;
  revoked?: { reason: number };
}

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
const P256 = { name: "ECDSA", namedCurve: "P-256" };
const ES256 = { name: "ECDSA", hash: "SHA-256" };

export class Rejection extends Error {
  override name = "Refused";
  constructor(readonly refusal: Refusal) {
    super(refusal.problem?.detail ?? "");
  }
}

export const rejection = (status: number, type: string, detail: string): Rejection =>
  new Rejection({ status, problem: { type, detail } });

/** Creates a root and an intermediate CA. */
const hierarchy = async (now: number) => {
  const library = await loadX509();
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension } = library;
  const makeKeys = () => crypto.subtle.generateKey(P256, true, ["sign", "verify"]);
  const rootKeys = await makeKeys();
  const intermediateKeys = await makeKeys();
  const validity = { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + 3650 * DAY_MS) };
  const uses = new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true);
  const root = await library.X509CertificateGenerator.createSelfSigned({
    name: "CN=Test root",
    keys: rootKeys,
    signingAlgorithm: ES256,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(true, 1, true),
      uses,
      await library.SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  const intermediate = await library.X509CertificateGenerator.create({
    subject: "CN=Test intermediate",
    issuer: root.subject,
    publicKey: intermediateKeys.publicKey,
    signingKey: rootKeys.privateKey,
    signingAlgorithm: ES256,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      uses,
      await library.SubjectKeyIdentifierExtension.create(intermediateKeys.publicKey),
      await library.AuthorityKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  return { root, intermediate, intermediates: intermediateKeys };
};

/** Issues certificates for CSRs. */
export const issuer = async (clock: Clock) => {
  const { root, intermediate, intermediates: intermediateKeys } = await hierarchy(clock.now());
  const library = await loadX509();
  const authority = await library.AuthorityKeyIdentifierExtension.create(intermediateKeys.publicKey);

  const readCsr = async (der: Buffer) => {
    try {
      const csr = new library.Pkcs10CertificateRequest(new Uint8Array(der));
      if (!(await csr.verify())) throw new Error("its signature is wrong");
      const wanted = csr.extensions.find((one) => one instanceof library.SubjectAlternativeNameExtension);
      return { csr, names: (wanted?.names.items ?? []).map(({ value }) => value).toSorted() };
    } catch (error) {
      throw rejection(400, "badCSR", error instanceof Error ? error.message : "unreadable");
    }
  };

  const issue = async (csrDer: Buffer, names: string[], lifetimeMs: number): Promise<IssuedCertificate> => {
    const { csr, names: wanted } = await readCsr(csrDer);
    if (wanted.join() !== names.toSorted().join()) throw rejection(400, "badCSR", "it is for other names");
    const serial = randomBytes(16);
    // DER puts a zero byte before a number whose first bit is set.
    serial[0] = 0x80 | (serial[0] ?? 0);
    const notBefore = Math.floor(clock.now() / 1000) * 1000 - MINUTE_MS;
    const certificate = await library.X509CertificateGenerator.create({
      serialNumber: serial.toString("hex"),
      issuer: intermediate.subject,
      publicKey: csr.publicKey,
      signingKey: intermediateKeys.privateKey,
      signingAlgorithm: ES256,
      notBefore: new Date(notBefore),
      notAfter: new Date(notBefore + lifetimeMs),
      extensions: [
        new library.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: "dns" as const, value })),
          true,
        ),
        new library.KeyUsagesExtension(library.KeyUsageFlags.digitalSignature, true),
        new library.ExtendedKeyUsageExtension([library.ExtendedKeyUsage.serverAuth]),
        authority,
      ],
    });
    const ariId = [Buffer.from(authority.keyId ?? "", "hex"), Buffer.concat([Buffer.of(0), serial])]
      .map((bytes) => bytes.toString("base64url"))
      .join(".");
    return {
      names,
      serial: serial.toString("hex"),
      ariId,
      notBefore,
      notAfter: notBefore + lifetimeMs,
      chain: `${certificate.toString("pem")}\n${intermediate.toString("pem")}\n`,
      der: new Uint8Array(certificate.rawData),
    };
  };
  return { rootPem: root.toString("pem"), issue };
};
