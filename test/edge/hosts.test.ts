import { expect, test } from "bun:test";
import {
  type Destination,
  hostNamesOf,
  hostParser,
  parseHostHeader,
  requestedName,
} from "../../src/edge/hosts.ts";
import { words } from "../support/words.ts";

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

const DESTINATIONS: Readonly<Record<string, readonly (string | null)[]>> = {
  // None, addresses, local names, and the names in the settings.
  api: [
    null,
    "",
    ...words(`
      localhost localhost:3000 LOCALHOST. pi pi:3000 raspberry-pi.local Raspberry-Pi.Local:3000 127.0.0.1
      192.0.2.1:3000 [::1] [::1]:3000 [::ffff:192.0.2.1] [2001:DB8::1]:443 adopt.example.org ADOPT.example.ORG:443
      adopt.example.org. api.sites.example.org`),
  ],
  "project docs": words(`
    docs.sites.example.org docs.sites.example.org:80 docs.sites.example.org: docs.sites.example.org:0080
    docs.sites.example.org:443 DOCS.Sites.Example.Org docs.sites.example.org.`),
  "project docs :3000": ["docs.sites.example.org:3000", "docs.sites.example.org.:3000"],
  "project docs :444": ["docs.sites.example.org:444"],
  "project docs :65535": ["docs.sites.example.org:65535"],
  "project a.b": ["a.b.sites.example.org"],
  "custom docs.example.com :8080": ["Docs.Example.Com:8080"],
  [`custom ${LONG}${"a".repeat(61)} :65535`]: [`${LONG}${"a".repeat(61)}.:65535`],
  malformed: [
    ...words(`
      . .. docs..sites.example.org .docs.sites.example.org docs.sites.example.org.. me@docs.sites.example.org
      me:secret@docs.sites.example.org localhost,localhost docs.sites.example.org:99999 docs.sites.example.org:65536
      docs.sites.example.org:000080 :3000 docs.sites.example.org:123456 docs.sites.example.org:http
      docs.sites.example.org:-1 docs.sites.example.org:3000:3000 %64ocs.sites.example.org docs%2Esites.example.org
      b\u00FCcher.example b\u00C3\u00BCcher.example docs\u3002sites.example.org localhost\u0130 ::1 [::1 [::1]x
      [fe80::1%25eth0] [127.0.0.1] [] *.sites.example.org localhost/ localhost? localhost# http://localhost`),
    "docs.sites.example.org, localhost",
    "localhost, localhost",
    "local host",
    `${"a".repeat(64)}.example`,
    `docs.${"x".repeat(64)}`,
    `${LONG}${"a".repeat(62)}`,
    "x".repeat(300),
    "x.".repeat(50_000),
  ],
};

test.each(
  Object.entries(DESTINATIONS).flatMap(([place, hosts]) => hosts.map((host) => [host, place] as const)),
)("the Host %p leads to %s", (host, place) => {
  expect(describeDestination(parseHostHeader(host, names))).toBe(place);
});

test.each([
  ...words(`
    sites.example.org xsites.example.org docs.localhost xn--bcher-kva.example _acme-challenge.example.com
    local.example 127.0.0.1.example.com 1.2.3`),
  `docs.${"x".repeat(63)}`,
  `${LONG}${"a".repeat(61)}`,
])("the Host %p may be a custom domain", (host) => {
  expect(describeDestination(parseHostHeader(host, names))).toBe(`custom ${host}`);
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
  for (const host of ["docs.example.com", `${LONG}${"a".repeat(61)}.:65535`])
    expect(parse(host)).toBe(parse(host));
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
