import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { commandCertificates } from "../../../src/app/certificates.ts";
import { wildcardBelow, withoutReplaced } from "../../../src/platform/certificates/wildcard.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { makeProject } from "../domains/projects.ts";
import { DOMAIN, WILDCARD, openDnsIssuing } from "./dns-issuing.ts";
import { DAY, MINUTE, openIssuing } from "./issuing.ts";

const SITE = `docs.${DOMAIN}`;
const PROBLEM = { status: 403, problem: { type: "rejectedIdentifier", detail: "no" } };

test("a wildcard covers one label below its domain, and the domain only if that is served", () => {
  const names = [`docs.${DOMAIN}`, `a.b.${DOMAIN}`, DOMAIN, WILDCARD, `x${DOMAIN}`, "docs.example.net"];
  expect(names.filter(wildcardBelow(DOMAIN, false).covers)).toEqual([`docs.${DOMAIN}`]);
  expect(names.filter(wildcardBelow(DOMAIN, true).covers)).toEqual([`docs.${DOMAIN}`, DOMAIN]);
});

test("one wildcard certificate is for every project's name, and no project has a separate order", async () => {
  const { store, ca, certificates, https, pass, names, proven } = await openDnsIssuing();
  await makeProject(store, "blog");
  await pass();
  await makeProject(store, "news");
  await pass(MINUTE);
  expect(await names()).toEqual([WILDCARD]);
  expect(ca.orders().map(({ names: ordered }) => ordered)).toEqual([[WILDCARD]]);
  expect(proven).toEqual([`dns-01 ${DOMAIN}`]);
  const { chain = "" } = (await certificates.find(WILDCARD))?.issued ?? {};
  expect(new X509Certificate(chain).checkHost(SITE)).toBe(WILDCARD);
  const sites = ["docs", "blog", "news"].map((slug) => `${slug}.${DOMAIN}`);
  expect(sites.filter((name) => !https.certificates.hasValid(name))).toEqual([]);
  expect(new Set(sites.map((name) => https.certificates.find(name))).size).toBe(1);
});

test("the wildcard is not for names that are not served, nor for names two levels below", async () => {
  const { https, pass } = await openDnsIssuing();
  await pass();
  for (const name of [`stranger.${DOMAIN}`, `a.docs.${DOMAIN}`, DOMAIN, WILDCARD])
    expect(https.certificates.find(name)).toBeUndefined();
});

test("the certificate is for PLATFORM_DOMAIN too if that is served, in the same order", async () => {
  const { ca, https, pass, names } = await openDnsIssuing({}, { env: { BASE_URL: `https://${DOMAIN}` } });
  await pass();
  expect(await names()).toEqual([WILDCARD]);
  expect(ca.orders().map(({ names: ordered }) => ordered)).toEqual([[WILDCARD, DOMAIN]]);
  expect(https.certificates.hasValid(DOMAIN)).toBe(true);
  expect(https.certificates.hasValid(SITE)).toBe(true);
});

test("a host of the API directly below PLATFORM_DOMAIN needs no order, any other does", async () => {
  const env = { API_HOSTS: `api.${DOMAIN},api.example.net` };
  const { pass, names } = await openDnsIssuing({}, { env });
  await pass();
  expect(await names()).toEqual([WILDCARD, "api.example.net"].toSorted());
});

test("without a way to publish records every name has a separate certificate, as before", async () => {
  const { certificates, pass } = await openIssuing({}, { env: { PLATFORM_DOMAIN: DOMAIN } });
  await pass();
  const names = (await certificates.list({ after: "", limit: 10 })).map(({ hostname }) => hostname);
  expect(names).toEqual([SITE]);
});

test("names that no public DNS has get no wildcard", async () => {
  const { pass, names } = await openDnsIssuing({}, { env: { PLATFORM_DOMAIN: "sites.internal" } });
  await pass();
  expect(await names()).toEqual([]);
});

test("the record of the challenge is removed after success and after a refusal", async () => {
  const { ca, zone, pass } = await openDnsIssuing();
  ca.failNext("finalize", PROBLEM);
  await pass();
  expect(zone.acts).toEqual([`add _acme-challenge.${DOMAIN}`, `remove _acme-challenge.${DOMAIN}`]);
  await pass(2 * MINUTE);
  expect(ca.orders().at(-1)?.status).toBe("valid");
  expect(zone.count()).toBe(0);
});

test("the record is removed if the CA does not find it", async () => {
  const { zone, certificates, pass } = await openDnsIssuing({ validate: async () => false });
  await pass();
  expect(zone.acts).toEqual([`add _acme-challenge.${DOMAIN}`, `remove _acme-challenge.${DOMAIN}`]);
  expect((await certificates.find(WILDCARD))?.problem?.type).toBe("unauthorized");
});

test("an attempt that a crash ended is continued, and its record is removed first", async () => {
  const { zone, certificates, clock, pass } = await openDnsIssuing();
  await certificates.want([WILDCARD], clock.now());
  const found = await certificates.find(WILDCARD);
  const attempt = await certificates.beginAttempt(found!, clock.now());
  await certificates.saveChallenge(attempt!, "token", "token.thumbprint");
  await pass();
  expect(zone.acts).toEqual([
    `remove _acme-challenge.${DOMAIN}`,
    `add _acme-challenge.${DOMAIN}`,
    `remove _acme-challenge.${DOMAIN}`,
  ]);
  expect((await certificates.find(WILDCARD))?.issued).toBeDefined();
});

test("a record that cannot be created is a problem with its reason, and the CA is not notified", async () => {
  const { ca, zone, certificates, pass, proven } = await openDnsIssuing();
  zone.failure = new Error("DNS_UPDATE_SERVER did not change example.net: REFUSED");
  await pass();
  expect((await certificates.find(WILDCARD))?.problem).toMatchObject({
    type: "challenge_not_published",
    detail: `The TXT record _acme-challenge.${DOMAIN} could not be created: DNS_UPDATE_SERVER did not change example.net: REFUSED.`,
  });
  expect(proven).toEqual([]);
  zone.failure = undefined;
  await pass(2 * MINUTE);
  expect(ca.orders()).toHaveLength(1);
  expect((await certificates.find(WILDCARD))?.issued).toBeDefined();
});

/** Projects with separate certificates, before the wildcard. */
const openReplacing = async () => {
  const room = await openDnsIssuing();
  const { certificates, ca, clock } = room;
  await certificates.want([SITE], clock.now());
  const attempt = await certificates.beginAttempt((await certificates.find(SITE))!, clock.now());
  const { key, chain, notBefore, notAfter } = await ownPair(clock.now());
  const issued = { key, chain, ca: ca.directory, notBefore, notAfter, ariId: null };
  await certificates.install(attempt!, issued, notAfter - 10 * DAY, clock.now());
  return { ...room, notAfter };
};

const ownPair = async (now: number) => {
  const { createTestCa } = await import("../../support/certificates.ts");
  const { key, cert } = await (await createTestCa()).issue([SITE], { days: 20 });
  return { key, chain: cert, notBefore: now - DAY, notAfter: now + 20 * DAY };
};

test("a project's own certificate stays in use until it expires, is not renewed, and is then removed", async () => {
  const { certificates, https, clock, pass, notAfter, names, ca } = await openReplacing();
  await pass();
  const own = https.certificates.find(SITE);
  const renewals = () => ca.orders().filter(({ names: ordered }) => ordered.includes(SITE)).length;
  await pass(15 * DAY);
  expect(renewals()).toBe(0);
  expect((await certificates.find(SITE))?.nextAt).toBe(notAfter);
  expect(https.certificates.find(SITE)).toBe(own);
  const before = certificates.expiries();
  expect(before.map(({ hostname }) => hostname)).toEqual([SITE, WILDCARD]);
  expect(withoutReplaced(before, wildcardBelow(DOMAIN, false), clock.now())).toHaveLength(1);
  clock.advance(5 * DAY + 1);
  expect(https.certificates.hasValid(SITE)).toBe(true);
  expect(https.certificates.find(SITE)).not.toBe(own);
  await pass();
  expect(await names()).toEqual([WILDCARD]);
  expect(renewals()).toBe(0);
});

test("until the wildcard has a certificate, a project's own is renewed", async () => {
  const { zone, pass, ca } = await openReplacing();
  zone.failure = new Error("no");
  await pass();
  await pass(15 * DAY);
  expect(ca.orders().some(({ names: ordered }) => ordered.includes(SITE))).toBe(true);
});

test("a removed project's connections end, though the wildcard stays", async () => {
  const { store, https, api, pass } = await openDnsIssuing();
  await pass();
  const withdrawn: string[] = [];
  https.certificates.attach({
    serverNames: () => [SITE, `blog.${DOMAIN}`],
    drop: (name) => void withdrawn.push(name),
  });
  expect(https.certificates.hasValid(SITE)).toBe(true);
  await makeProject(store, "blog");
  expect(https.certificates.hasValid(`blog.${DOMAIN}`)).toBe(true);
  expect((await api("DELETE")).status).toBe(204);
  https.certificates.withdraw();
  expect(withdrawn).toEqual([SITE]);
  expect(https.certificates.find(SITE)).toBeUndefined();
  expect(https.certificates.hasValid(`blog.${DOMAIN}`)).toBe(true);
});

test("HSTS of a project's name follows the renewals of the wildcard", async () => {
  const { https, pass } = await openDnsIssuing({ ari: false });
  await pass();
  expect(https.certificates.hasValid(SITE)).toBe(true);
  expect(https.certificates.hstsMaxAge(SITE)).toBe(0);
  await pass(61 * DAY);
  await pass(5 * DAY);
  expect(https.certificates.hasValid(SITE)).toBe(true);
  expect(https.certificates.hstsMaxAge(SITE)).toBe(86_400);
});

test("a wildcard certificate that lacks a name of the settings is ordered again at the next start", async () => {
  const { ca, https, certificates, clock, pass } = await openDnsIssuing(
    {},
    { env: { BASE_URL: `https://${DOMAIN}` } },
  );
  const { createTestCa } = await import("../../support/certificates.ts");
  const { key, cert } = await (await createTestCa()).issue([WILDCARD]);
  const now = clock.now();
  const issued = { key, chain: cert, ca: null, notBefore: now - DAY, notAfter: now + DAY, ariId: null };
  await certificates.installImported(WILDCARD, issued, now + DAY, now);
  await pass();
  expect(ca.orders()).toEqual([]);
  https.scheduler.start();
  const isRequested = async () => (await certificates.find(WILDCARD))?.isRequested ?? false;
  while (!(await isRequested()) && ca.orders().length === 0) await Bun.sleep(5);
  await pass();
  await https.scheduler.stop();
  expect(ca.orders().map(({ names }) => names)).toEqual([[WILDCARD, DOMAIN]]);
});

test("the limits of a CA count the wildcard below its registered domain", async () => {
  const { ca, certificates, clock, pass } = await openDnsIssuing();
  await pass();
  const isCounted = (name: { hostname?: string; apex?: string }) =>
    certificates.nthAttempt(ca.directory, { kind: "issued", since: clock.now() - DAY, ...name }, 1) !==
    undefined;
  expect(isCounted({ hostname: WILDCARD, apex: "example.net" })).toBe(true);
  expect(isCounted({ apex: "sites.example.net" })).toBe(false);
});

test("a name below a wildcard is shown with the certificate that it uses", async () => {
  const { store, pass, certificates } = await openDnsIssuing();
  await pass();
  const service = commandCertificates(store.context, certificates);
  expect((await service.inUse(SITE)).hostname).toBe(WILDCARD);
  expect((await service.inUse(WILDCARD)).hostname).toBe(WILDCARD);
  expect(await outcomeOf(service.inUse("docs.example.org"))).toThrow(
    "No certificate is known for this name.",
  );
});
