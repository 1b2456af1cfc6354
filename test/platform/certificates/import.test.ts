import { expect, test } from "bun:test";
import { certificateRepository } from "../../../src/platform/certificates/repository.ts";
import { certificateService } from "../../../src/platform/certificates/service.ts";
import { certificateEffects } from "../../../src/platform/domains/stage-repository.ts";
import { commandRooms } from "../../../src/app/command-rooms.ts";
import { createTestCa } from "../../support/certificates.ts";
import { openStore, testClock } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const NAME = "docs.example.org";
const PEM = /-----BEGIN [^]*?-----END CERTIFICATE-----\n?/g;

const ca = await createTestCa();
const stranger = await createTestCa();
const good = await ca.issue([NAME], { intermediate: true });
const other = await stranger.issue([NAME], { intermediate: true });
const certificatesOf = ({ cert }: { cert: string }) => cert.match(PEM) ?? [];
const [leaf = "", intermediate = ""] = certificatesOf(good);
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
        throw new Error("no CA gets a request");
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

test("an imported certificate whose chain continues after its root is refused, and nothing is stored", async () => {
  const { refusal } = await openImporting();
  expect(await refusal({ key: good.key, chain: leaf + intermediate + ca.root + foreign })).toMatch(
    /certificate 4 of the chain \(CN=.+\) did not issue the one before it \(CN=.+\)/,
  );
});

test("an imported certificate for a name that is not a host name is refused, and the name is quoted", async () => {
  const service = commandRooms((await openStore()).context).certificates;
  expect(await outcomeOf(service.import("..bad", { key: good.key, chain: good.cert }))).toThrow(
    '"..bad" is not a host name',
  );
});
