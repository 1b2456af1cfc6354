import { expect, test } from "bun:test";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { calculateJwkThumbprint, flattenedVerify, importJWK } from "jose";
import {
  externalAccountBinding,
  signedBody,
  certificateRequest,
  keyAuthorization,
  newAccountKey,
  newCertificateKey,
  publicKeyOf,
  thumbprint,
  loadX509,
} from "../../../src/protocols/acme/keys.ts";
import { alpnCertificate } from "../../../src/protocols/acme/tls-alpn.ts";

/** RFC 7515 appendix A.3.1. */
const RFC_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
} as const;

/** RFC 8555 section 8.1's token. */
const TOKEN = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA";

test("an account key is JSON, is new each time, and signs after it was stored", async () => {
  const key = await newAccountKey();
  expect(Object.keys(key)).toEqual(["kty", "crv", "x", "y", "d"]);
  expect((await newAccountKey()).d).not.toBe(key.d);
  const reloaded = JSON.parse(JSON.stringify(key)) as typeof key;
  const body = await signedBody(
    { key: reloaded, account: "https://ca.example/1" },
    {
      url: "https://ca.example/order",
      nonce: "AAAA",
      payload: { a: 1 },
    },
  );
  const { payload, protectedHeader } = await flattenedVerify(
    JSON.parse(body),
    await importJWK(publicKeyOf(key), "ES256"),
  );
  expect(new TextDecoder().decode(payload)).toBe('{"a":1}');
  expect(protectedHeader).toEqual({
    alg: "ES256",
    nonce: "AAAA",
    url: "https://ca.example/order",
    kid: "https://ca.example/1",
  });
});

test("an account key signs with its public key until it has an account, and contains no secret then", async () => {
  const body = await signedBody(
    { key: RFC_KEY },
    { url: "https://ca.example/", nonce: "AAAA", payload: undefined },
  );
  const { protected: header, payload } = JSON.parse(body) as Record<string, string>;
  expect(payload).toBe("");
  const decoded = JSON.parse(Buffer.from(header ?? "", "base64url").toString()) as object;
  expect(decoded).toEqual({
    alg: "ES256",
    nonce: "AAAA",
    url: "https://ca.example/",
    jwk: publicKeyOf(RFC_KEY),
  });
  expect(publicKeyOf(RFC_KEY)).not.toHaveProperty("d");
});

test("an account key is bound to an external account with its HMAC key", async () => {
  const hmac = Buffer.alloc(32, 1);
  const binding = await externalAccountBinding(
    { kid: "1", hmac: hmac.toString("base64url") },
    RFC_KEY,
    "https://ca.example/new",
  );
  const { payload, protectedHeader } = await flattenedVerify(binding as never, hmac);
  expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(publicKeyOf(RFC_KEY));
  expect(protectedHeader).toEqual({ alg: "HS256", kid: "1", url: "https://ca.example/new" });
});

// Computed by hand: printf '{"crv":...}' | openssl dgst -sha256 -binary | basenc --base64url
const THUMBPRINT = "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U";

test("a key authorization is the token, a dot, and the key's thumbprint", () => {
  expect(keyAuthorization(TOKEN, RFC_KEY)).toBe(`${TOKEN}.${THUMBPRINT}`);
});

test("a key authorization has the thumbprint of RFC 7638, as another implementation computes it", async () => {
  const key = await newAccountKey();
  expect(thumbprint(key)).toBe(await calculateJwkThumbprint(publicKeyOf(key)));
  expect(thumbprint(RFC_KEY)).toBe(THUMBPRINT);
});

test("a certificate's key is a new P-256 key as PKCS#8", async () => {
  const pem = await newCertificateKey();
  expect(pem).toStartWith("-----BEGIN PRIVATE KEY-----\n");
  expect(createPrivateKey(pem).asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  expect(await newCertificateKey()).not.toBe(pem);
});

test("a certificate's key signs a request with the names as subject alternative names", async () => {
  const key = await newCertificateKey();
  const names = ["docs.example.org", "xn--mnchen-3ya.example.org"];
  const { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } = await loadX509();
  const request = new Pkcs10CertificateRequest(new Uint8Array(await certificateRequest(key, names)));
  expect(await request.verify()).toBe(true);
  expect(request.subject).toBe("");
  const wanted = request.extensions.find((one) => one instanceof SubjectAlternativeNameExtension);
  expect(wanted?.names.items.map(({ type, value }) => [type, value])).toEqual(
    names.map((name) => ["dns", name]),
  );
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  expect(Buffer.from(request.publicKey.rawData).equals(spki)).toBe(true);
});

test("a TLS-ALPN-01 certificate has one name and, critical, the digest of the key authorization", async () => {
  const authorization = keyAuthorization(TOKEN, RFC_KEY);
  const { key, cert } = await alpnCertificate("docs.example.org", authorization, Date.UTC(2026, 10, 20));
  const { X509Certificate: Parsed } = await loadX509();
  const parsed = new Parsed(cert);
  const extension = parsed.getExtension("1.3.6.1.5.5.7.1.31");
  expect(extension?.critical).toBe(true);
  const digest = new Bun.CryptoHasher("sha256").update(authorization).digest("hex");
  expect(Buffer.from(extension?.value ?? new ArrayBuffer()).toString("hex")).toBe(`0420${digest}`);
  const certificate = new X509Certificate(cert);
  expect(certificate.subjectAltName).toBe("DNS:docs.example.org");
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(parsed.notBefore.getTime()).toBeLessThan(Date.UTC(2026, 10, 20));
  expect(parsed.notAfter.getTime()).toBeGreaterThan(Date.UTC(2026, 10, 20));
});
