import { join } from "node:path";
import { expect, test } from "bun:test";
import type { Discovery } from "../../../src/platform/domain-connect/discovery.ts";
import { connectOffers } from "../../../src/platform/domain-connect/offers.ts";
import { openSigningKey } from "../../../src/platform/domain-connect/signing-key.ts";
import { once } from "../../../src/lib/lazy.ts";
import { temporaryDirectory, testClock } from "../../support/store.ts";
import { ADDRESSES, LABEL, SETTINGS, nameOf } from "./set-up.ts";

const PROVIDER = { name: "Provider", syncUrl: "https://dns.test/sync", apiUrl: "https://dns.test/api" };

const key = once(() => openSigningKey(join(temporaryDirectory(), "domain-connect.key")));

const setUp = (addresses = ADDRESSES, discovery: Partial<Discovery> = {}) => {
  const clock = testClock();
  const asked: string[] = [];
  const offers = connectOffers(
    { clock },
    {
      settings: SETTINGS,
      key,
      addressesOf: async () => addresses,
      discovery: {
        async providerOf(zone) {
          asked.push(zone);
          return PROVIDER;
        },
        supports: async () => true,
        ...discovery,
      },
    },
  );
  const offer = (typed: string, zone?: string, returnTo?: string) =>
    offers.offer({ hostname: nameOf(typed), zone, label: LABEL, returnTo });
  return { ...offers, offer, asked, clock };
};

/** The address of an offer, without its signature. */
const addressOf = async (offered: ReturnType<ReturnType<typeof setUp>["offer"]>) =>
  (await offered)?.url.replace(/&sig=.*$/, "");

const APPLY = "https://dns.test/sync/v2/domainTemplates/providers/example.org/services";

test.each([
  ["docs.example.com", undefined, `subdomain/apply?domain=example.com&host=docs&label=${LABEL}`],
  ["a.b.example.com", undefined, `subdomain/apply?domain=example.com&host=a.b&label=${LABEL}`],
  ["a.b.example.com", "b.example.com", `subdomain/apply?domain=b.example.com&host=a&label=${LABEL}`],
  ["example.com", "example.com", `apex/apply?domain=example.com&label=${LABEL}`],
  [
    "b\u00fccher.example.com",
    undefined,
    `subdomain/apply?domain=example.com&host=xn--bcher-kva&label=${LABEL}`,
  ],
])("an offer for %s in the zone %p leads to its template", async (typed, zone, path) => {
  expect(await addressOf(setUp().offer(typed, zone))).toBe(`${APPLY}/${path}`);
});

test.each([
  ["docs.example.com", "docs.example.com", "a delegated subdomain, where no CNAME record can be"],
  ["docs.example.com", "com", "a zone above the registered domain"],
  ["docs.example.com", "other.com", "a zone of another domain"],
  ["docs.example.com", "s.example.com", "a zone whose name only ends alike"],
  ["example.com", "com", "an apex in the zone above it"],
])("an offer for %s in %s is not made: %s", async (typed, zone) => {
  const { offer, asked } = setUp();
  expect(await offer(typed, zone)).toBeUndefined();
  expect(asked).toEqual([]);
});

test("an offer leads back to a page, and names the provider", async () => {
  const { offer } = setUp();
  const page = "https://adopt.example.org/console/projects/docs/domains/docs.example.com";
  expect(await addressOf(offer("docs.example.com", undefined, page))).toContain(
    `&redirect_uri=${encodeURIComponent(page)}`,
  );
  expect(await offer("docs.example.com")).toMatchObject({ provider: "Provider" });
});

test("an offer for an apex needs the addresses of the service", async () => {
  expect(await setUp([]).offer("example.com")).toBeUndefined();
  expect(await setUp([]).offer("docs.example.com")).toBeDefined();
});

test.each<[string, Partial<Discovery>]>([
  ["no provider", { providerOf: async () => undefined }],
  ["a provider without the template", { supports: async () => false }],
  ["a lookup that fails", { providerOf: () => Promise.reject(new Error("no route")) }],
])("an offer is not made for %s", async (_, discovery) => {
  expect(await setUp(ADDRESSES, discovery).offer("docs.example.com")).toBeUndefined();
});

test("a provider gets one request in a minute for the names of a zone, also at the same time", async () => {
  const { offer, asked, clock } = setUp();
  await Promise.all([offer("a.example.com"), offer("b.example.com")]);
  clock.advance(60_000 - 1);
  await offer("a.example.com");
  expect(asked).toEqual(["example.com"]);
  clock.advance(1);
  await offer("a.example.com");
  expect(asked).toEqual(["example.com", "example.com"]);
});

test("a provider gets another request after a minute if it offered nothing", async () => {
  let found: typeof PROVIDER | undefined;
  const { offer, clock } = setUp(ADDRESSES, { providerOf: async () => found });
  expect(await offer("docs.example.com")).toBeUndefined();
  found = PROVIDER;
  clock.advance(60_000 - 1);
  expect(await offer("docs.example.com")).toBeUndefined();
  clock.advance(1);
  expect(await offer("docs.example.com")).toBeDefined();
});

test("a provider gets no request while eight others have one, and gets it afterwards", async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const asked: string[] = [];
  const { offer } = setUp(ADDRESSES, {
    async providerOf(zone) {
      asked.push(zone);
      return zone.startsWith("slow") ? promise : PROVIDER;
    },
  });
  const slow = Array.from({ length: 8 }, (_, index) => offer(`docs.slow${index}.com`));
  expect(await offer("docs.example.com")).toBeUndefined();
  expect(asked.length).toBe(8);
  resolve(undefined);
  await Promise.all(slow);
  expect(await offer("docs.example.com")).toBeDefined();
});
