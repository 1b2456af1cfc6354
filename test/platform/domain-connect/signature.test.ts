import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { applyUrl, canonicalQuery } from "../../../src/platform/domain-connect/offers.ts";
import {
  type SigningKey,
  openSigningKey,
  signingKey,
} from "../../../src/platform/domain-connect/signing-key.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { openOnce, temporaryDirectory } from "../../support/store.ts";

const newFile = () => join(temporaryDirectory(), "domain-connect.key");

const shared = openOnce(async () => openSigningKey(newFile()));

/** The public key that a provider reads from the DNS: in any order, by the fields of each record. */
const publishedKey = (key: SigningKey) => {
  const fields = key
    .recordsIn("sites.example.net")
    .toReversed()
    .map(({ value }) =>
      Object.fromEntries(value.split(",").map((part) => /^(\w)=(.*)$/.exec(part)?.slice(1) ?? [])),
    );
  const data = fields.toSorted((a, b) => a["p"] - b["p"]).map(({ d }) => d);
  expect(fields.every(({ a }) => a === "RS256")).toBe(true);
  return createPublicKey({ key: Buffer.from(data.join(""), "base64"), format: "der", type: "spki" });
};

/** Verifies a URL as the specification tells providers to: on the query string as it came. */
const isSigned = (url: string, key: SigningKey): boolean => {
  const [, query = "", signature = "", label] = /\?(.*)&sig=([^&]*)&key=(.*)$/.exec(url) ?? [];
  expect(label).toBe(key.label);
  return verify(
    "sha256",
    Buffer.from(query),
    publishedKey(key),
    Buffer.from(decodeURIComponent(signature), "base64"),
  );
};

test("the signature of a request is valid under the published key, and no changed request is", async () => {
  const key = await shared();
  const url = applyUrl("https://dns.test/v2/x", { domain: "example.org", label: "abc", host: "docs" }, key);
  expect(url).toStartWith("https://dns.test/v2/x/apply?domain=example.org&host=docs&label=abc&sig=");
  expect(isSigned(url, key)).toBe(true);
  expect(isSigned(url.replace("label=abc", "label=abd"), key)).toBe(false);
});

test.each([
  [
    { text: "a+b", b: "2", a: "1", domain: "example.net", ip: "10.10.10.10" },
    "a=1&b=2&domain=example.net&ip=10.10.10.10&text=a%2Bb",
  ],
  [
    { redirect_uri: "https://a.test/x?y=1&z=ü" },
    "redirect_uri=https%3A%2F%2Fa.test%2Fx%3Fy%3D1%26z%3D%C3%BC",
  ],
  [{ v: "!'()* ~-._" }, "v=%21%27%28%29%2A%20~-._"],
  [{ b: "", B: "", "a-b": "", a: "" }, "B=&a=&a-b=&b="],
  [{}, ""],
])("a request has the query string of the specification: %j", (parameters, expected) =>
  expect(canonicalQuery(parameters as Record<string, string>)).toBe(expected),
);

test("the key is published in two records that fit into one string each, under a separate label", async () => {
  const key = await shared();
  const records = key.recordsIn("sites.example.net");
  expect(records.map(({ name }) => name)).toEqual(Array(2).fill(`${key.label}.sites.example.net`));
  expect(key.label).toMatch(/^_[a-z0-9-]+$/);
  for (const { value } of records) {
    expect(value.length).toBeLessThanOrEqual(255);
    expect(value).toMatch(/^p=[12],a=RS256,d=[A-Za-z0-9+/=]+$/);
  }
  expect(openSigningKey(newFile()).label).not.toBe(key.label);
});

test("the key is created once, in a file that only its owner can read", () => {
  const path = newFile();
  const { label } = openSigningKey(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, ".."))).toEqual(["domain-connect.key"]);
  expect(openSigningKey(path).label).toBe(label);
});

test("the key can be the operator's own", () => {
  const path = newFile();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 3072 });
  writeFileSync(path, privateKey.export({ type: "pkcs1", format: "pem" }));
  const key = openSigningKey(path);
  expect(isSigned(applyUrl("https://dns.test", { domain: "example.org" }, key), key)).toBe(true);
});

const pemOf = (key: { export: (options: { type: "pkcs8"; format: "pem" }) => string | Buffer }) =>
  String(key.export({ type: "pkcs8", format: "pem" }));

test.each<[string, () => string]>([
  ["is damaged", () => "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"],
  ["is empty", () => ""],
  ["is too short", () => pemOf(generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey)],
  ["is not an RSA key", () => pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)],
])("the key is refused and kept if it %s, and the error explains what to do", (_, pem) => {
  const path = newFile();
  writeFileSync(path, pem());
  const before = readFileSync(path, "utf8");
  expect(() => openSigningKey(path)).toThrow(OperatorError);
  expect(() => openSigningKey(path)).toThrow(`${path}: `);
  expect(() => openSigningKey(path)).toThrow("remove the file to get a new key");
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(() => signingKey(before)).toThrow();
});
