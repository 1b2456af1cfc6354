import { expect, test } from "bun:test";
import {
  type Destination,
  hostNamesOf,
  hostParser,
  parseHostHeader,
  requestedName,
} from "../../src/edge/hosts.ts";

const names = {
  platformDomain: "sites.example.org",
  api: new Set(["adopt.example.org", "api.sites.example.org"]),
};

/** `api`, `malformed`, `project docs :3000`, `custom docs.example.org`. */
const describeDestination = (place: Destination): string =>
  [
    place.kind,
    "slug" in place && place.slug,
    "hostname" in place && place.hostname,
    "port" in place && place.port,
  ]
    .filter(Boolean)
    .join(" ");

const LONG = `${"a".repeat(63)}.`.repeat(3);

test.each([
  // The API's names: none, addresses, local names, and the names in the settings.
  [null, "api"],
  ["", "api"],
  ["localhost", "api"],
  ["localhost:3000", "api"],
  ["LOCALHOST.", "api"],
  ["pi", "api"],
  ["pi:3000", "api"],
  ["raspberry-pi.local", "api"],
  ["Raspberry-Pi.Local:3000", "api"],
  ["127.0.0.1", "api"],
  ["192.0.2.1:3000", "api"],
  ["[::1]", "api"],
  ["[::1]:3000", "api"],
  ["[::ffff:192.0.2.1]", "api"],
  ["[2001:DB8::1]:443", "api"],
  ["adopt.example.org", "api"],
  ["ADOPT.example.ORG:443", "api"],
  ["adopt.example.org.", "api"],
  ["api.sites.example.org", "api"],
  // Projects.
  ["docs.sites.example.org", "project docs"],
  ["docs.sites.example.org:3000", "project docs :3000"],
  ["docs.sites.example.org:80", "project docs"],
  ["docs.sites.example.org:", "project docs"],
  ["docs.sites.example.org:0080", "project docs"],
  ["docs.sites.example.org:443", "project docs"],
  ["docs.sites.example.org:444", "project docs :444"],
  ["docs.sites.example.org:65535", "project docs :65535"],
  ["DOCS.Sites.Example.Org", "project docs"],
  ["docs.sites.example.org.", "project docs"],
  ["docs.sites.example.org.:3000", "project docs :3000"],
  ["a.b.sites.example.org", "project a.b"],
  // Everything else may be a custom domain.
  ["sites.example.org", "custom sites.example.org"],
  ["xsites.example.org", "custom xsites.example.org"],
  ["docs.localhost", "custom docs.localhost"],
  ["xn--bcher-kva.example", "custom xn--bcher-kva.example"],
  ["Docs.Example.Com:8080", "custom docs.example.com :8080"],
  ["_acme-challenge.example.com", "custom _acme-challenge.example.com"],
  ["local.example", "custom local.example"],
  [`docs.${"x".repeat(63)}`, `custom docs.${"x".repeat(63)}`],
  ["127.0.0.1.example.com", "custom 127.0.0.1.example.com"],
  ["1.2.3", "custom 1.2.3"],
  [`${LONG}${"a".repeat(61)}`, `custom ${LONG}${"a".repeat(61)}`],
  [`${LONG}${"a".repeat(61)}.:65535`, `custom ${LONG}${"a".repeat(61)} :65535`],
  // Not host names.
  [".", "malformed"],
  ["..", "malformed"],
  ["docs..sites.example.org", "malformed"],
  [".docs.sites.example.org", "malformed"],
  ["docs.sites.example.org..", "malformed"],
  ["me@docs.sites.example.org", "malformed"],
  ["me:secret@docs.sites.example.org", "malformed"],
  ["docs.sites.example.org, localhost", "malformed"],
  ["localhost, localhost", "malformed"],
  ["localhost,localhost", "malformed"],
  ["docs.sites.example.org:99999", "malformed"],
  ["docs.sites.example.org:65536", "malformed"],
  ["docs.sites.example.org:000080", "malformed"],
  [":3000", "malformed"],
  ["docs.sites.example.org:123456", "malformed"],
  ["docs.sites.example.org:http", "malformed"],
  ["docs.sites.example.org:-1", "malformed"],
  ["docs.sites.example.org:3000:3000", "malformed"],
  ["%64ocs.sites.example.org", "malformed"],
  ["docs%2Esites.example.org", "malformed"],
  ["b\u00FCcher.example", "malformed"],
  ["b\u00C3\u00BCcher.example", "malformed"],
  ["docs\u3002sites.example.org", "malformed"],
  ["localhost\u0130", "malformed"],
  ["::1", "malformed"],
  ["[::1", "malformed"],
  ["[::1]x", "malformed"],
  ["[fe80::1%25eth0]", "malformed"],
  ["[127.0.0.1]", "malformed"],
  ["[]", "malformed"],
  ["*.sites.example.org", "malformed"],
  ["local host", "malformed"],
  ["localhost/", "malformed"],
  ["localhost?", "malformed"],
  ["localhost#", "malformed"],
  ["http://localhost", "malformed"],
  [`${"a".repeat(64)}.example`, "malformed"],
  [`docs.${"x".repeat(64)}`, "malformed"],
  [`${LONG}${"a".repeat(62)}`, "malformed"],
  ["x".repeat(300), "malformed"],
  ["x.".repeat(50_000), "malformed"],
])("the Host %p leads to %s", (host, place) => {
  expect(describeDestination(parseHostHeader(host, names))).toBe(place);
});

test("the Host has the same destination again after many other hosts", () => {
  const read = hostParser(names);
  const hosts = ["docs.sites.example.org", "localhost", "a@b", null];
  const before = hosts.map(read);
  for (let at = 0; at < 3000; at++) read(`${at}.example.com`);
  expect(hosts.map(read)).toEqual(before);
});

test("localhost as PLATFORM_DOMAIN is the API's, and its subdomains are projects", () => {
  const local = { platformDomain: "localhost", api: new Set<string>() };
  expect(describeDestination(parseHostHeader("localhost:3000", local))).toBe("api");
  expect(describeDestination(parseHostHeader("docs.localhost:3000", local))).toBe("project docs :3000");
  const home = { platformDomain: "pi.local", api: new Set<string>() };
  expect(describeDestination(parseHostHeader("pi.local", home))).toBe("api");
  expect(describeDestination(parseHostHeader("docs.pi.local", home))).toBe("project docs");
});

const HOSTS = ["docs.sites.example.org:3000", "localhost", "a@b", "docs.example.com", "", null];

test.each(HOSTS)("a host parser finds the same destination for %p on the second call", (host) => {
  const parse = hostParser(names);
  expect(parse(host)).toEqual(parseHostHeader(host, names));
  expect(parse(host)).toEqual(parseHostHeader(host, names));
});

test("a host parser caches a host of any valid length", () => {
  const parse = hostParser(names);
  const longest = `${LONG}${"a".repeat(61)}.:65535`;
  for (const host of ["docs.example.com", longest]) expect(parse(host)).toBe(parse(host));
});

test("a host parser evicts a host after a thousand others", () => {
  const parse = hostParser(names);
  const first = parse("docs.example.com");
  for (let at = 1; at < 1000; at += 1) parse(`${at}.example.com`);
  expect(parse("docs.example.com")).toBe(first);
  for (let at = 0; at < 1000; at += 1) parse(`${at}.example.net`);
  expect(parse("docs.example.com")).not.toBe(first);
});

test("the API's names come from API_HOSTS and the host of BASE_URL", () => {
  const settings = { apiHosts: ["api.example.org"], platformDomain: "sites.example.org" };
  expect(hostNamesOf({ ...settings, baseUrl: "https://adopt.example.org:8443/x" })).toEqual({
    platformDomain: "sites.example.org",
    api: new Set(["api.example.org", "adopt.example.org"]),
  });
  expect(hostNamesOf({ ...settings, baseUrl: undefined }).api).toEqual(new Set(["api.example.org"]));
});

test.each([
  [null, ""],
  ["Docs.Example.Org", "docs.example.org"],
  ["docs.example.org.:3000", "docs.example.org"],
  ["docs.example.org:", "docs.example.org"],
  ["[::1]:3000", "[::1]"],
])("the name in the Host %p is %p", (host, name) => {
  expect(requestedName(host)).toBe(name);
});
