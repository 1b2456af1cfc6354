import { expect, test } from "bun:test";
import { expiryWarnings } from "../../../src/platform/certificates/certificate.ts";
import { DAY, openIssuing } from "./issuing.ts";

const NAME = "docs.example.org";
const HOUR = DAY / 24;
const SIX_DAYS = 160 * HOUR;

const openProfiled = (profiles: Record<string, number> | undefined) =>
  openIssuing({ ari: false, ...(profiles && { profiles }) }, { env: { ACME_PROFILE: "shortlived" } });

test("an order requests the profile in the settings", async () => {
  const { ca, certificates, pass, verified } = await openProfiled({
    classic: 90 * DAY,
    shortlived: SIX_DAYS,
  });
  await verified(NAME);
  await pass();
  expect(ca.orders().map(({ profile }) => profile)).toEqual(["shortlived"]);
  const { notBefore = 0, notAfter = 0 } = (await certificates.find(NAME))?.issued ?? {};
  expect((notAfter - notBefore) / HOUR).toBeCloseTo(160, 0);
});

test("a six-day certificate is renewed with half of it left, and nothing warns before", async () => {
  const { ca, certificates, clock, pass, verified } = await openProfiled({ shortlived: SIX_DAYS });
  await verified(NAME);
  await pass();
  for (let hours = 0; hours < 78; hours += 6) await pass(6 * HOUR);
  expect(ca.orders()).toHaveLength(1);
  expect(expiryWarnings(certificates.expiries(), clock.now())).toEqual([]);
  for (let hours = 0; hours < 18; hours += 6) await pass(6 * HOUR);
  expect(ca.orders()).toHaveLength(2);
});

test.each([
  ["It offers classic, tlsserver.", { classic: DAY, tlsserver: DAY }],
  ["It has no profiles.", undefined],
])(
  "a profile that the CA does not list is a problem, and nothing is ordered: %s",
  async (offer, profiles) => {
    const { ca, certificates, pass, verified } = await openProfiled(profiles);
    await verified(NAME);
    await pass();
    expect(ca.orders()).toEqual([]);
    const detail = `The CA has no profile "shortlived". ${offer}`;
    expect((await certificates.find(NAME))?.problem).toMatchObject({ type: "unknown_profile", detail });
  },
);

test("a restart retries a refused profile immediately", async () => {
  const { certificates, clock, pass, verified } = await openProfiled({ classic: DAY });
  await verified(NAME);
  await pass();
  await certificates.retryAfterRestart(clock.now());
  expect((await certificates.find(NAME))?.nextAt).toBe(clock.now());
});
