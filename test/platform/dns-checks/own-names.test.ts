import { describe, expect, test } from "bun:test";
import { ownNames, proofNameOf } from "../../../src/platform/dns-checks/names.ts";

const SETTINGS = {
  baseUrl: "https://adopt.example.org",
  stagingBaseUrl: "https://staging.example.org:8443",
  apiHosts: ["api.example.org", "pi.local"],
  platformDomain: "sites.example.org",
  platformCnameTarget: "pages.example.org",
};

test("the service's own hosts and zones are reserved, those of staging too", () => {
  expect(ownNames(SETTINGS).reserved).toEqual({
    zones: ["sites.example.org", "pages.example.org"],
    hosts: ["api.example.org", "pi.local", "adopt.example.org", "staging.example.org"],
  });
  const none = { ...SETTINGS, baseUrl: undefined, stagingBaseUrl: undefined, apiHosts: [] };
  expect(ownNames(none).reserved.hosts).toEqual([]);
});

describe("a slug is the service's own", () => {
  test.each([
    ["a host of the API", { apiHosts: ["docs.sites.example.org"] }],
    ["the parent of a host", { apiHosts: ["a.docs.sites.example.org"] }],
    ["the host of BASE_URL", { baseUrl: "https://docs.sites.example.org" }],
    ["the host of STAGING_BASE_URL", { stagingBaseUrl: "https://docs.sites.example.org" }],
    ["the parent of the CNAME targets", { platformCnameTarget: "x.docs.sites.example.org" }],
  ])("if its site has the name of %s", (_, settings) => {
    const { isOwnSlug } = ownNames({ ...SETTINGS, ...settings });
    expect(["docs", "ocs", "docs2"].filter(isOwnSlug)).toEqual(["docs"]);
  });

  test("in no other case", () => {
    expect(ownNames(SETTINGS).isOwnSlug("docs")).toBe(false);
  });
});

test("certificates are for public hosts: no local names, and BASE_URL's only if it is https", () => {
  expect(ownNames(SETTINGS).publicHosts).toEqual(["adopt.example.org", "api.example.org"]);
  expect(ownNames({ ...SETTINGS, baseUrl: "http://adopt.example.org" }).publicHosts).toEqual([
    "api.example.org",
  ]);
  expect(ownNames({ ...SETTINGS, baseUrl: undefined }).publicHosts).toEqual(["api.example.org"]);
});

test("names below the platform's domain are the service's public names if that domain is public", () => {
  const names = [
    "docs.sites.example.org",
    "sites.example.org",
    "api.example.org",
    "docs.localhost",
    "a.test",
  ];
  const own = ownNames(SETTINGS);
  expect(own.publicPlatformDomain).toBe("sites.example.org");
  expect(names.filter(own.isOwnPublicName)).toEqual(["docs.sites.example.org", "api.example.org"]);
  const local = ownNames({ ...SETTINGS, platformDomain: "localhost" });
  expect(local.publicPlatformDomain).toBeUndefined();
  expect(names.filter(local.isOwnPublicName)).toEqual(["api.example.org"]);
});

test("the TXT record that proves an apex has a name below it", () => {
  expect(proofNameOf("example.org")).toBe("_adoption-store.example.org");
});
