import { expect, test } from "bun:test";
import { parseHostname } from "../../../src/lib/hostname.ts";
import { readDomainsConfig } from "../../../src/platform/domains/roles.ts";

const DOMAINS = new Set([
  "docs.example.org",
  "old.example.org",
  "www.example.org",
  "xn--bcher-kva.example.org",
]);
const normalise = (typed: string) => {
  const parsed = parseHostname(typed);
  return parsed.ok ? parsed.hostname.ascii : undefined;
};
const read = (body: unknown) => readDomainsConfig(body, DOMAINS, normalise);
const redirect = (from: string, to = "docs.example.org", status: unknown = 301) => ({ from, to, status });
const mapping = (...redirects: unknown[]) => ({ domains: { primary: "docs.example.org", redirects } });

test("the specified mapping is read, its names normalised", () => {
  expect(read(mapping(redirect("OLD.example.org."), redirect("b\u00fccher.example.org")))).toEqual({
    ok: true,
    config: {
      primary: "docs.example.org",
      redirects: [
        { from: "old.example.org", to: "docs.example.org", status: 301 },
        { from: "xn--bcher-kva.example.org", to: "docs.example.org", status: 301 },
      ],
    },
  });
});

test("redirects may be left out", () => {
  expect(read({ domains: { primary: "docs.example.org" } })).toEqual({
    ok: true,
    config: { primary: "docs.example.org", redirects: [] },
  });
});

test.each<[name: string, body: unknown, faults: string[]]>([
  ["no mapping", "text", ["domains must be a mapping"]],
  ["nothing", null, ["domains must be a mapping"]],
  ["a list", { domains: [] }, ["domains must be a mapping"]],
  ["no primary", { domains: { redirects: [] } }, ["domains.primary must be a domain name"]],
  [
    "unknown keys",
    { domains: { primary: "docs.example.org", a: 1 }, b: 2 },
    ["b is unknown; known: domains", "domains.a is unknown; known: primary, redirects"],
  ],
  [
    "an unknown primary",
    { domains: { primary: "x.example.org" } },
    ["domains.primary x.example.org is not a domain of this project"],
  ],
  [
    "redirects that are no list",
    { domains: { primary: "docs.example.org", redirects: {} } },
    ["domains.redirects must be a list of at most 100"],
  ],
  [
    "redirects that only have a length",
    { domains: { primary: "docs.example.org", redirects: { length: 1 } } },
    ["domains.redirects must be a list of at most 100"],
  ],
  [
    "a target that is not a name",
    mapping(redirect("old.example.org", "192.0.2.1")),
    ["domains.redirects[0].to must be a domain name"],
  ],
  [
    "two entries without names",
    mapping({ status: 301 }, { status: 301 }),
    [0, 1].flatMap((at) =>
      ["from", "to"].map((key) => `domains.redirects[${at}].${key} must be a domain name`),
    ),
  ],
  [
    "two entries whose from is not a name",
    mapping(redirect("192.0.2.1"), redirect("192.0.2.2")),
    ["domains.redirects[0].from must be a domain name", "domains.redirects[1].from must be a domain name"],
  ],
  [
    "a mapping behind what is none",
    mapping(7, redirect("old.example.org")),
    ["domains.redirects[0] must be a mapping"],
  ],
  [
    "a name that leads to others in a circle",
    mapping(
      redirect("www.example.org", "old.example.org"),
      redirect("old.example.org", "xn--bcher-kva.example.org"),
      redirect("xn--bcher-kva.example.org", "old.example.org"),
    ),
    [
      "domains.redirects[0].to old.example.org redirects itself: a chain",
      "domains.redirects[1].to old.example.org comes back to itself: a loop",
      "domains.redirects[2].to xn--bcher-kva.example.org comes back to itself: a loop",
    ],
  ],
  [
    "redirects that only have a length",
    { domains: { primary: "docs.example.org", redirects: { length: 1 } } },
    ["domains.redirects must be a list of at most 100"],
  ],
  [
    "a target that is not a name",
    mapping(redirect("old.example.org", "192.0.2.1")),
    ["domains.redirects[0].to must be a domain name"],
  ],
  [
    "two entries without names",
    mapping({ status: 301 }, { status: 301 }),
    [0, 1].flatMap((at) =>
      ["from", "to"].map((key) => `domains.redirects[${at}].${key} must be a domain name`),
    ),
  ],
  [
    "a mapping behind what is none",
    mapping(7, redirect("old.example.org")),
    ["domains.redirects[0] must be a mapping"],
  ],
  [
    "a name that leads to others in a circle",
    mapping(
      redirect("www.example.org", "old.example.org"),
      redirect("old.example.org", "xn--bcher-kva.example.org"),
      redirect("xn--bcher-kva.example.org", "old.example.org"),
    ),
    [
      "domains.redirects[0].to old.example.org redirects itself: a chain",
      "domains.redirects[1].to old.example.org comes back to itself: a loop",
      "domains.redirects[2].to xn--bcher-kva.example.org comes back to itself: a loop",
    ],
  ],
  [
    "more redirects than any project has domains",
    mapping(...Array.from({ length: 101 }, () => redirect("old.example.org"))),
    ["domains.redirects must be a list of at most 100"],
  ],
  ["an entry that is no mapping", mapping(7), ["domains.redirects[0] must be a mapping"]],
  [
    "an unknown key in an entry",
    mapping({ ...redirect("old.example.org"), code: 1 }),
    ["domains.redirects[0].code is unknown; known: from, to, status"],
  ],
  [
    "a status of 302",
    mapping(redirect("old.example.org", "docs.example.org", 302)),
    ["domains.redirects[0].status must be 301"],
  ],
  [
    "a status as text",
    mapping(redirect("old.example.org", "docs.example.org", "301")),
    ["domains.redirects[0].status must be 301"],
  ],
  [
    "an unknown from",
    mapping(redirect("x.example.org")),
    ["domains.redirects[0].from x.example.org is not a domain of this project"],
  ],
  [
    "a from that is no name",
    mapping(redirect("192.0.2.1")),
    ["domains.redirects[0].from must be a domain name"],
  ],
  [
    "a wildcard",
    { domains: { primary: "*.example.org", redirects: [redirect("*.example.org")] } },
    ["domains.primary", "domains.redirects[0].from"].map(
      (path) => `${path} must not be a wildcard: it always shows the site`,
    ),
  ],
  [
    "a redirect of the primary to itself",
    mapping(redirect("docs.example.org")),
    [
      "domains.redirects[0].from docs.example.org is the primary domain, which redirects nowhere",
      "domains.redirects[0].to docs.example.org comes back to itself: a loop",
    ],
  ],
  [
    "a from that comes twice",
    mapping(redirect("old.example.org"), redirect("old.example.org")),
    ["domains.redirects[1].from old.example.org redirects already"],
  ],
  [
    "a chain",
    mapping(redirect("www.example.org", "old.example.org"), redirect("old.example.org")),
    ["domains.redirects[0].to old.example.org redirects itself: a chain"],
  ],
  [
    "a loop",
    mapping(redirect("www.example.org", "old.example.org"), redirect("old.example.org", "www.example.org")),
    [
      "domains.redirects[0].to www.example.org comes back to itself: a loop",
      "domains.redirects[1].to old.example.org comes back to itself: a loop",
    ],
  ],
  [
    "a target that is not the primary",
    mapping(redirect("www.example.org", "old.example.org")),
    ["domains.redirects[0].to must be the primary domain, docs.example.org"],
  ],
  [
    "no primary",
    { domains: { redirects: [redirect("www.example.org", "old.example.org")] } },
    ["domains.primary must be a domain name"],
  ],
  [
    "several faults at once",
    mapping(redirect("x.example.org", "y.example.org", 308)),
    [
      "domains.redirects[0].from x.example.org is not a domain of this project",
      "domains.redirects[0].to y.example.org is not a domain of this project",
      "domains.redirects[0].status must be 301",
      "domains.redirects[0].to must be the primary domain, docs.example.org",
    ],
  ],
])("%s: every fault is named", (_, body, faults) => {
  const result = read(body);
  expect(result.ok ? [] : result.faults.map(({ path, message }) => `${path} ${message}`)).toEqual(faults);
});

test("at most a hundred redirects are read", () => {
  const result = read(mapping(...Array.from({ length: 100 }, () => redirect("old.example.org"))));
  const faults = result.ok ? [] : result.faults;
  expect(faults).toHaveLength(99);
  expect(new Set(faults.map(({ message }) => message))).toEqual(
    new Set(["old.example.org redirects already"]),
  );
});
