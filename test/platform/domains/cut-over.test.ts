import { expect, test } from "bun:test";
import { dnsServer } from "../../support/dns.ts";
import { atEnd, faultOf } from "../../support/store.ts";
import type { Zones } from "../../support/zones.ts";
import { type WireDomain, makeProject, openProject } from "./projects.ts";

/** The DNS proves ownership of a name while its records still point to an old host. Without HTTPS, a proven domain is live. */

const NAME = "docs.example.org";
const PROOF = `_adoption-store.${NAME}`;
const DAY = 86_400_000;
const OLD = `${NAME} A 192.0.2.7`;
const SECOND_SERVER = "127.0.0.3";

const zone = (name: string, ...lines: string[]): string[] => [
  `${name} NS ns.${name}`,
  `ns.${name} A 127.0.0.1`,
  ...lines,
];

/** The projects `docs` and `other`, and the zone of a domain at an old host. */
const openMove = async () => {
  const zones: Zones = { org: zone("org"), "example.org": zone("example.org") };
  const authority = await dnsServer({ zones });
  atEnd(() => authority[Symbol.dispose]());
  const { port } = authority.server;
  const room = await openProject({
    env: {
      DNS_RESOLVERS: `127.0.0.1:${port}`,
      DNS_PORT: String(port),
      DNS_PRIVATE: "yes",
      PLATFORM_CNAME_TARGET: "pages.test",
      CAA_ISSUERS: "ca.test",
    },
    dns: { timeoutMs: 3000, attempts: 1 },
  });
  await makeProject(room.store, "other");
  const targetOf = async (slug: string) =>
    ((await (await room.api("GET", "", {}, slug)).json()) as { target: string }).target;
  const [target, otherTarget] = [await targetOf("docs"), await targetOf("other")];
  zones["pages.test"] = zone("pages.test", `${target} A 192.0.2.80`, `${otherTarget} A 192.0.2.80`);
  const setRecords = (...lines: string[]) => {
    zones["example.org"] = zone("example.org", ...lines);
  };
  const verified = async (slug = "docs", name = NAME) => {
    room.store.clock.advance(1);
    await room.verify(name, slug);
    return room.show(name, slug);
  };
  const visit = async (name: string) => (await room.store.visit(`http://${name}/`)).status;
  return { ...room, zones, port, target, otherTarget, setRecords, verified, visit };
};

const kinds = ({ findings }: WireDomain) => findings.map(({ kind }) => kind);

test("a domain with its TXT record is live before its records change, and stays live when they do", async () => {
  const { store, add, show, target, setRecords, verified, visit, events } = await openMove();
  await add(NAME);
  setRecords(OLD, `${PROOF} TXT ${target}`);
  const proven = await verified();
  expect(proven).toMatchObject({
    stage: "live",
    findings: [{ kind: "not_moved", type: "CNAME", found: ["192.0.2.7"], expected: [target] }],
  });
  expect(proven).not.toHaveProperty("verifiedAt");
  expect(await visit(NAME)).toBe(200);
  // The old host shows the domain until the move: the project's own address shows the site.
  expect(await visit("docs.localhost")).toBe(200);
  store.clock.advance(1000);
  setRecords(`${NAME} CNAME ${target}`);
  await store.recordWatch.tick();
  expect(await show(NAME)).toMatchObject({ stage: "live", findings: [], verifiedAt: expect.any(String) });
  expect(await visit("docs.localhost")).toBe(302);
  expect(await events(NAME)).toEqual([
    "added awaiting_dns",
    "ownership_proven verified",
    "served_over_http live",
    "records_right live",
  ]);
});

test("records that will block the CNAME are findings before the move, separate from the domain's destination", async () => {
  const { add, target, setRecords, verified } = await openMove();
  await add(NAME);
  setRecords(OLD, `${NAME} MX 10 mail.example.org.`, `${PROOF} TXT ${target}`);
  expect(await verified()).toMatchObject({
    stage: "live",
    findings: [
      { kind: "not_moved", found: ["192.0.2.7"] },
      { kind: "conflicting_record", type: "MX", found: ["10 mail.example.org"] },
    ],
  });
});

test.each<[string, string, string[], string[]]>([
  ["no address at all", "example.org", [], ["not_moved", "no_record"]],
  ["no record at all", NAME, [], ["not_moved", "no_record"]],
  [
    "a stray address in addition to the right one",
    "example.org",
    ["example.org A 192.0.2.80", "example.org A 192.0.2.7"],
    ["not_moved", "stray_address"],
  ],
  ["a proxy", NAME, [`${NAME} A 104.16.0.7`], ["not_moved", "proxied"]],
  ["the address of an old host", "example.org", ["example.org A 192.0.2.7"], ["not_moved"]],
])("a TXT record does not hide that the name has %s", async (_, name, records, expected) => {
  const { add, target, setRecords, verified } = await openMove();
  await add(name);
  setRecords(...records, `_adoption-store.${name} TXT ${target}`);
  const proven = await verified("docs", name);
  expect(proven.stage).toBe("live");
  expect(kinds(proven)).toEqual(expected);
});

test("a TXT record does not hide that an apex has former addresses of the service", async () => {
  const { store, add, target, setRecords, verified, zones } = await openMove();
  await add("example.org");
  // Without its TXT record, the check only learns the addresses of the service.
  setRecords("example.org A 192.0.2.80");
  await verified("docs", "example.org");
  zones["pages.test"] = zone("pages.test", `${target} A 192.0.2.90`);
  setRecords("example.org A 192.0.2.80", `_adoption-store.example.org TXT ${target}`);
  store.clock.advance(1000);
  expect(await verified("docs", "example.org")).toMatchObject({
    findings: [{ kind: "addresses_changed", found: ["192.0.2.80"], expected: ["192.0.2.90"] }],
  });
});

test.each([
  ["a CNAME to the old host", [`${NAME} CNAME old.example.net`]],
  ["no record yet", []],
  ["a wildcard record", ["*.example.org A 192.0.2.7"]],
  ["a proxy at the old host", [`${NAME} A 104.16.0.7`]],
])("%s does not keep the TXT record from proving the name", async (_, records) => {
  const { add, target, setRecords, verified } = await openMove();
  await add(NAME);
  setRecords(...records, `${PROOF} TXT ${target}`);
  const proven = await verified();
  expect(proven.stage).toBe("live");
  expect(kinds(proven)).toContain("not_moved");
});

test("an apex at its old host is proven by the same TXT record that it needs later", async () => {
  const { add, target, setRecords, verified } = await openMove();
  await add("example.org");
  const proof = `_adoption-store.example.org TXT ${target}`;
  setRecords("example.org A 192.0.2.7", proof);
  expect(await verified("docs", "example.org")).toMatchObject({
    stage: "live",
    findings: [{ kind: "not_moved", type: "ALIAS", found: ["192.0.2.7"] }],
  });
  setRecords("example.org A 192.0.2.80", proof);
  expect(await verified("docs", "example.org")).toMatchObject({ stage: "live", findings: [] });
});

test.each<[string, (own: string, other: string) => string[]]>([
  ["names another project", (_, other) => [OLD, `${PROOF} TXT ${other}`]],
  ["is at the parent's name", (own) => [OLD, `_adoption-store.example.org TXT ${own}`]],
  ["is a wildcard's CNAME", (own) => [OLD, `*.${NAME} CNAME ${own}`]],
  [
    "names this project, and the CNAME another",
    (own, other) => [`${NAME} CNAME ${other}`, `${PROOF} TXT ${own}`],
  ],
])("a TXT record that %s proves nothing", async (_, records) => {
  const { add, target, otherTarget, setRecords, verified } = await openMove();
  await add(NAME);
  setRecords(...records(target, otherTarget));
  expect((await verified()).stage).toBe("dns_conflict");
});

test("a record whose name has the zone twice is named, even if a TXT record could prove the name", async () => {
  const { add, target, setRecords, verified } = await openMove();
  await add(NAME);
  setRecords(`${NAME}.example.org CNAME ${target}`);
  expect(kinds(await verified())).toEqual(["doubled_name"]);
});

test("a TXT record counts once all name servers that respond have it", async () => {
  const { add, target, zones, port, verified } = await openMove();
  const proof = `${PROOF} TXT ${target}`;
  const both = ["example.org NS ns2.example.org", `ns2.example.org A ${SECOND_SERVER}`, OLD];
  const secondary: Zones = { "example.org": zone("example.org", ...both) };
  using second = await dnsServer({ zones: secondary, address: SECOND_SERVER, port });
  await add(NAME);
  zones["example.org"] = zone("example.org", ...both, proof);
  expect((await verified()).stage).toBe("dns_conflict");
  second.behaviours.set("*", "REFUSED");
  expect((await verified()).stage).toBe("live");
  second.behaviours.clear();
  secondary["example.org"] = zone("example.org", ...both, proof);
  expect((await verified()).stage).toBe("live");
});

test("a TXT record takes no name from a project whose records have been right, regardless of its stage", async () => {
  const { add, api, target, otherTarget, setRecords, verified, show } = await openMove();
  await add(NAME);
  await add(NAME, "other");
  const proof = `${PROOF} TXT ${otherTarget}`;
  setRecords(`${NAME} CNAME ${target}`, proof);
  expect(await verified()).toMatchObject({ stage: "live" });
  expect(kinds(await verified("other"))).toEqual(["wrong_target"]);
  setRecords(OLD, proof);
  expect(kinds(await verified("other"))).toEqual(["conflicting_record"]);
  expect((await show(NAME)).stage).toBe("live");
  await api("PATCH", "", { json: { plan: "free" } });
  expect(kinds(await verified("other"))).toEqual(["conflicting_record"]);
  expect((await show(NAME)).stage).toBe("suspended");
});

test("a CNAME takes the name from a project that has only a TXT record", async () => {
  const { add, target, otherTarget, setRecords, verified, show } = await openMove();
  await add(NAME);
  await add(NAME, "other");
  setRecords(OLD, `${PROOF} TXT ${target}`);
  expect((await verified()).stage).toBe("live");
  setRecords(`${NAME} CNAME ${otherTarget}`, `${PROOF} TXT ${target}`);
  expect((await verified("other")).stage).toBe("live");
  expect(await show(NAME)).toMatchObject({ stage: "dns_conflict", findings: [{ kind: "domain_lost" }] });
  expect((await verified()).stage).toBe("dns_conflict");
});

test("of two projects with TXT records, the first keeps the name until its record is gone", async () => {
  const { add, target, otherTarget, setRecords, verified, verify, show } = await openMove();
  await add(NAME);
  await add(NAME, "other");
  const [own, others] = [`${PROOF} TXT ${target}`, `${PROOF} TXT ${otherTarget}`];
  setRecords(OLD, own, others);
  expect((await verified()).stage).toBe("live");
  expect(await faultOf(await verify(NAME, "other"))).toBe("409 domain_taken");
  expect((await show(NAME)).stage).toBe("live");
  setRecords(OLD, others);
  expect((await verified("other")).stage).toBe("live");
  expect((await show(NAME)).stage).toBe("dns_conflict");
});

test("a leftover TXT record does not bring the domain back after the move", async () => {
  const { store, add, target, setRecords, verified } = await openMove();
  await add(NAME);
  const proof = `${PROOF} TXT ${target}`;
  setRecords(OLD, proof);
  await verified();
  setRecords(`${NAME} CNAME ${target}`, proof);
  await verified();
  setRecords(OLD, proof);
  expect(await verified()).toMatchObject({ stage: "live", failingSince: expect.any(String) });
  store.clock.advance(7 * DAY);
  expect((await verified()).stage).toBe("awaiting_dns");
  expect((await verified()).stage).toBe("dns_conflict");
});

test("a domain that never moves is no longer served after 30 days and the usual 7 more", async () => {
  const { store, add, target, setRecords, verified } = await openMove();
  await add(NAME);
  setRecords(OLD, `${PROOF} TXT ${target}`);
  await verified();
  store.clock.advance(29 * DAY);
  expect(await verified()).not.toHaveProperty("failingSince");
  store.clock.advance(DAY);
  expect(await verified()).toMatchObject({ stage: "live", failingSince: expect.any(String) });
  store.clock.advance(7 * DAY);
  expect((await verified()).stage).toBe("awaiting_dns");
  expect((await verified()).stage).toBe("dns_conflict");
});
