import { expect, test } from "bun:test";
import { hashOf, isWellFormed, createSecret, recordOf } from "../../../src/access/keys/secret.ts";

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));

test("a secret is aas_ and 36 base62 characters, with a valid checksum", () => {
  for (let at = 0; at < 200; at++) {
    const secret = createSecret(random);
    expect(secret).toMatch(/^aas_[0-9A-Za-z]{36}$/);
    expect(isWellFormed(secret)).toBe(true);
  }
});

test("a secret is a fixed function of its random bytes, so that issued keys stay valid in later versions", () => {
  expect(createSecret((count) => new Uint8Array(count).fill(7))).toBe(
    "aas_7777777777777777777777777777771SlwSS",
  );
});

test("each character of a secret has the same probability, because bytes from 248 on are drawn again", () => {
  const bytes = [...Array<number>(30).fill(255), ...Array<number>(30).fill(61)];
  expect(createSecret((count) => new Uint8Array(bytes.splice(0, count)))).toStartWith(
    `aas_${"z".repeat(30)}`,
  );
});

test("a secret uses only bytes up to 247", () => {
  const bytes = [248, 247, 249, 255, 247, ...Array<number>(28).fill(61)];
  expect(createSecret((count) => new Uint8Array(bytes.splice(0, count)))).toStartWith(
    `aas_zz${"z".repeat(28)}`,
  );
  const [least, beyond] = [247, 248].map((first) => {
    const bytes = [first, ...Array<number>(30).fill(0)];
    return createSecret((count) => new Uint8Array(bytes.splice(0, count)));
  });
  expect([least?.slice(0, 6), beyond?.slice(0, 6)]).toEqual(["aas_z0", "aas_00"]);
});

test("a secret needs the form as well as the checksum", () => {
  const checked = (text: string) => text + createSecret((count) => new Uint8Array(count)).slice(-6);
  const sum = (text: string) => {
    let [rest, digits] = [Bun.hash.crc32(text), ""];
    for (; digits.length < 6; rest = Math.floor(rest / 62))
      digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[rest % 62] + digits;
    return digits;
  };
  const zeros = `aas_${"0".repeat(30)}`;
  expect(checked(zeros)).toBe(zeros + sum(zeros));
  for (const text of [`key_${"0".repeat(30)}`, `aas_${"0".repeat(29)}`, `aas_${"0".repeat(29)}-`, ""])
    expect(isWellFormed(text + sum(text))).toBe(false);
});

test("a secret with any one character changed is refused", () => {
  const secret = createSecret(random);
  for (let at = 0; at < secret.length; at++) {
    const other = secret[at] === "x" ? "y" : "x";
    expect(isWellFormed(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
  }
});

test.each([
  "",
  "aas_",
  "aas_short",
  `${createSecret(random)}0`,
  ` ${createSecret(random)}`,
  "a".repeat(100_000),
])("a text of another form is not a well-formed secret: case %#", (text) => {
  expect(isWellFormed(text)).toBe(false);
});

test("a secret is stored as its SHA-256 and its first 8 characters", () => {
  const secret = createSecret(random);
  const expected = new Bun.CryptoHasher("sha256").update(secret).digest("hex");
  expect(recordOf(secret)).toEqual({ hash: expected, prefix: secret.slice(0, 8) });
  expect(hashOf(secret)).toBe(expected);
});
