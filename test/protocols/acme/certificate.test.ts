import { expect, test } from "bun:test";
import { assertFits, readCertificate, splitChain } from "../../../src/protocols/acme/certificate.ts";
import { newCertificateKey, loadX509 } from "../../../src/protocols/acme/keys.ts";
import { AcmeProblem } from "../../../src/protocols/acme/problem.ts";

/** RFC 9773 appendix A. */
const RFC_9773 = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;

const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 10, 20);

/** A self-signed certificate and its key. */
const certificateFor = async (
  names: string[],
  { notBefore = NOW - DAY, notAfter = NOW + DAY, serialNumber = "0f" } = {},
) => {
  const { X509CertificateGenerator, AuthorityKeyIdentifierExtension, SubjectAlternativeNameExtension } =
    await loadX509();
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=Somebody",
    keys,
    serialNumber,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    extensions: [
      new SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: "dns" as const, value })),
        { type: "ip", value: "192.0.2.1" },
      ]),
      new AuthorityKeyIdentifierExtension("00ff"),
    ],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return {
    cert: certificate.toString("pem"),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8.replaceAll(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`,
  };
};

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: unknown) => {
      expect(error).toBeInstanceOf(AcmeProblem);
      expect((error as AcmeProblem).type).toBe("unfit_certificate");
      return (error as AcmeProblem).detail;
    },
  );

test("the ARI id of RFC 9773's example certificate is read", async () => {
  const { ariId, names } = await readCertificate(RFC_9773);
  expect({ ariId, names }).toEqual({ ariId: "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE", names: [] });
});

test.each([
  ["0f", "AP8.Dw"],
  ["7f01", "AP8.fwE"],
  ["80", "AP8.AIA"],
])(
  "the ARI id of a certificate with the serial %s has it as a positive DER integer: %s",
  async (serialNumber, ariId) => {
    const { cert } = await certificateFor(["docs.example.org"], { serialNumber });
    expect((await readCertificate(cert)).ariId).toBe(ariId);
  },
);

test("the DNS names in lower case, the times and the DER are those of the first certificate", async () => {
  const { cert } = await certificateFor(["Docs.Example.ORG", "*.example.org"]);
  const facts = await readCertificate(cert + RFC_9773);
  expect(facts).toMatchObject({
    names: ["docs.example.org", "*.example.org"],
    notBefore: NOW - DAY,
    notAfter: NOW + DAY,
  });
  expect(cert.replaceAll(/\s/g, "")).toContain(Buffer.from(facts.der).toString("base64"));
});

test("a certificate that is valid from 1950 counts as valid from 1970, the program's earliest time", async () => {
  const { cert } = await certificateFor(["docs.example.org"], { notBefore: Date.UTC(1950, 0) });
  expect((await readCertificate(cert)).notBefore).toBe(0);
});

test("a certificate with malformed names is refused", async () => {
  const { Extension, X509CertificateGenerator } = await loadX509();
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys: await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]),
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions: [new Extension("2.5.29.17", false, Uint8Array.of(1, 2, 3))],
  });
  expect(await refusal(readCertificate(certificate.toString("pem")))).toBe(
    "an extension of the certificate cannot be read",
  );
});

test("a chain has 1 to 10 certificates", () => {
  expect(splitChain(RFC_9773.repeat(10)).length).toBe(10);
  expect(splitChain(`\r\n${RFC_9773.replaceAll("\n", "\r\n")}\n\n`)).toEqual([RFC_9773.trim()]);
});

test.each([
  ["nothing", ""],
  ["eleven certificates", RFC_9773.repeat(11)],
  ["text", "certificate"],
  ["text before it", `subject: somebody\n${RFC_9773}`],
  ["another kind of PEM", RFC_9773.replaceAll("CERTIFICATE", "PRIVATE KEY")],
  ["half a certificate", RFC_9773.slice(0, 300)],
  ["a malformed certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"],
])("a malformed chain is refused: %s", async (_, pem) => {
  expect(() => splitChain(pem)).toThrow(AcmeProblem);
  expect(await refusal(readCertificate(pem))).not.toBe("");
});

test("a certificate fits its key, its names and the time", async () => {
  const { cert, key } = await certificateFor(["docs.example.org", "*.example.net"]);
  expect(await refusal(assertFits(cert, key, ["docs.example.org", "a.example.net"], NOW))).toBe("");
});

test("a certificate fits neither another key nor a text that is no key, and the message does not contain the key", async () => {
  const { cert, key } = await certificateFor(["docs.example.org"]);
  for (const other of [await newCertificateKey(), "nonsense", key.slice(0, 100)])
    expect(await refusal(assertFits(cert, other, ["docs.example.org"], NOW))).toBe(
      "it does not belong to its key",
    );
});

test.each(["www.example.org", "example.net", "a.b.example.net", "example.org"])(
  "a certificate does not fit another name: %s",
  async (name) => {
    const { cert, key } = await certificateFor(["docs.example.org", "*.example.net"]);
    expect(await refusal(assertFits(cert, key, ["docs.example.org", name], NOW))).toBe(
      `it is not for ${name}, but for docs.example.org, *.example.net`,
    );
  },
);

test("a certificate fits no time outside its validity, except on a clock that is slow by minutes", async () => {
  const { cert, key } = await certificateFor(["docs.example.org"]);
  const at = (now: number) => refusal(assertFits(cert, key, ["docs.example.org"], now));
  expect(await at(NOW + DAY - 1)).toBe("");
  expect(await at(NOW + DAY)).toContain("it expired at 2026-11-21T00:00:00.000Z");
  expect(await at(NOW - DAY - 4 * 60_000)).toBe("");
  expect(await at(NOW - DAY - 60 * 60_000)).toContain("is this machine's clock right?");
});
