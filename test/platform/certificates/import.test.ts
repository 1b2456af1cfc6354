import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { certificateRepository } from "../../../src/platform/certificates/repository.ts";
import { certificateService } from "../../../src/platform/certificates/service.ts";
import { certificateEffects } from "../../../src/platform/domains/repository.ts";
import { commandRooms } from "../../../src/app/command-rooms.ts";
import { createTestCa } from "../../support/certificates.ts";
import { openStore, testClock } from "../../support/store.ts";
import { DAY } from "./issuing.ts";
import { outcomeOf } from "../../support/outcome.ts";

const NAME = "docs.example.org";
const PEM = /-----BEGIN [^]*?-----END CERTIFICATE-----\n?/g;

const ca = await createTestCa();
const stranger = await createTestCa();
const good = await ca.issue([NAME], { intermediate: true });
const other = await stranger.issue([NAME], { intermediate: true });
const certificatesOf = ({ cert }: { cert: string }) => cert.match(PEM) ?? [];
const [leaf = "", intermediate = ""] = certificatesOf(good);
const [fellow = ""] = certificatesOf(await ca.issue([NAME]));
const [, foreign = ""] = certificatesOf(other);

const openImporting = async () => {
  const clock = testClock(Date.now());
  const { context, database } = await openStore({ clock });
  const service = commandRooms(context).certificates;
  const stored = certificateRepository(database, certificateEffects);
  /** Why it was refused; "" if it was not. */
  const refusal = async (pair: { key: string; chain: string }) => {
    try {
      await service.import(NAME, pair);
      return "";
    } catch (error) {
      // Nothing of it is kept.
      expect(await stored.find(NAME)).toBeUndefined();
      return (error as Error).message;
    }
  };
  return { clock, stored, refusal };
};

test("a pair that the TLS library refuses is not stored, and the library's reason is given", async () => {
  const { stored, clock } = await openImporting();
  const service = certificateService(
    { clock },
    {
      certificates: stored,
      clientOf: () => {
        throw new Error("nobody is asked");
      },
      assertLoads() {
        throw new Error("CA_MD_TOO_WEAK");
      },
    },
  );
  expect(await outcomeOf(service.import(NAME, { key: good.key, chain: good.cert }))).toThrow(
    "CA_MD_TOO_WEAK",
  );
  expect(await stored.find(NAME)).toBeUndefined();
});

test.each([
  ["with its intermediate", leaf + intermediate],
  ["with its intermediate and its root", leaf + intermediate + ca.root],
  ["by itself, as from a private CA", leaf],
])("an imported certificate is used %s", async (_, chain) => {
  const { stored, refusal } = await openImporting();
  expect(await refusal({ key: good.key, chain })).toBe("");
  expect((await stored.find(NAME))?.issued).toMatchObject({ ca: null, chain });
});

test.each([1, 10, 44.5, 90])(
  "an imported certificate of %d days is kept, and its renewal is planned to the millisecond",
  async (days) => {
    const { stored, refusal } = await openImporting();
    const { key, cert: chain } = await ca.issue([NAME], { days });
    expect(await refusal({ key, chain })).toBe("");
    const { issued, nextAt } = (await stored.find(NAME)) ?? {};
    expect(nextAt).toBeInteger();
    expect(nextAt).toBeGreaterThan(issued?.notBefore ?? Infinity);
    expect(nextAt).toBeLessThan(issued?.notAfter ?? 0);
  },
);

test("an import that cannot be stored changes nothing", async () => {
  const { clock, stored } = await openImporting();
  const issued = { ...good, chain: good.cert, ca: null, notBefore: 0, notAfter: 1, ariId: null };
  expect(await outcomeOf(stored.installImported(NAME, issued, 1 / 3, clock.now()))).toThrow("REAL value");
  expect(await stored.find(NAME)).toBeUndefined();
});

test.each([
  ["whose second certificate is another CA's", leaf + foreign],
  ["whose chain lacks a link", leaf + ca.root],
  ["whose chain continues after its root", leaf + intermediate + ca.root + foreign],
  ["whose issuer is its fellow", leaf + fellow],
])(
  "an imported certificate %s is refused, and the error names the certificate and the right order",
  async (_, chain) => {
    const { refusal } = await openImporting();
    const said = await refusal({ key: good.key, chain });
    expect(said).toMatch(/certificate [24] of the chain \(CN=.+\) did not issue the one before it \(CN=.+\)/);
    expect(said).toContain("put the name's own certificate first, then its issuer's, and so on");
  },
);

test("an imported certificate that is not the first of its chain is refused", async () => {
  const { refusal } = await openImporting();
  expect(await refusal({ key: good.key, chain: intermediate + leaf })).toContain(
    "in a chain, the certificate for the name comes first",
  );
});

test("an imported certificate whose issuer has expired is refused", async () => {
  const { clock, refusal } = await openImporting();
  const long = await ca.issue([NAME], { intermediate: true, days: 90 });
  clock.advance(40 * DAY);
  expect(await refusal({ key: long.key, chain: long.cert })).toMatch(
    /certificate 2 of the chain \(CN=Test Intermediate\) was valid until .+: ask its CA for the one that/,
  );
});

test("an imported certificate that has expired, is for other names, or has another key is refused with the requirement", async () => {
  const { clock, refusal } = await openImporting();
  const elsewhere = await ca.issue(["other.example.org"]);
  const advice = `Give a certificate for ${NAME} that is valid now, and the key that it was made for`;
  for (const pair of [
    { key: elsewhere.key, chain: elsewhere.cert },
    { key: other.key, chain: good.cert },
  ])
    expect(await refusal(pair)).toContain(advice);
  clock.advance(20 * DAY);
  const late = await refusal({ key: good.key, chain: good.cert });
  expect(late).toContain(advice);
  expect(late).toContain("is this machine's clock right? Give");
});

test("an imported certificate for a name that is not a host name is refused, and the name is quoted", async () => {
  const service = commandRooms((await openStore()).context).certificates;
  expect(await outcomeOf(service.import("..bad", { key: good.key, chain: good.cert }))).toThrow(
    '"..bad" is not a host name',
  );
});

test("an imported certificate whose key has a passphrase or is not a key is refused with the right form", async () => {
  const { refusal } = await openImporting();
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" },
  });
  for (const key of [privateKey, "nonsense"])
    expect(await refusal({ key, chain: good.cert })).toContain("PEM without a passphrase");
});
