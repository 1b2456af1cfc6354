import { describe, expect, test } from "bun:test";
import type { Needed, RecordChange } from "../../../src/platform/dns-checks/finding-kind.ts";
import {
  type DomainFinding,
  type FindingKind,
  FINDINGS,
  FINDING_KINDS,
  adviceOn,
  changesFor,
  exampleOf,
} from "../../../src/platform/dns-checks/finding.ts";
import { fromFindings } from "../../../src/platform/dns-checks/model.ts";
import { providerOf } from "../../../src/platform/dns-checks/providers.ts";
import { verdictOf } from "../../../src/platform/dns-checks/verdict.ts";
import { answer, noRecord, record, recordFinding, trace, view } from "./traces.ts";

const TARGET = "k3vq.cname.example.net";
const NAME = "docs.example.org";
const APEX = "example.org";

const atSubdomain: Needed = {
  name: NAME,
  apex: APEX,
  own: [{ type: "CNAME", name: NAME, value: TARGET }],
  proof: [],
  provider: undefined,
  isLive: false,
};
const atApex: Needed = {
  ...atSubdomain,
  name: APEX,
  own: [{ type: "ALIAS", name: APEX, value: TARGET }],
  proof: [{ type: "TXT", name: `_adoption-store.${APEX}`, value: TARGET }],
};
const cloudflare = providerOf(["ada.ns.cloudflare.com"]);
const ionos = providerOf(["ns1.ui-dns.com"]);
const atIonos: Needed = {
  ...atApex,
  own: [{ type: "A", name: APEX, value: "192.0.2.80" }],
  provider: ionos,
};

/** "delete A docs.example.org (192.0.2.7)", "create CNAME docs.example.org = k3vq.cname.example.net" */
const line = ({ action, type, name, found, value }: RecordChange): string =>
  `${action} ${type} ${name}${found ? ` (${found.join(", ")})` : ""}${value === undefined ? "" : ` = ${value}`}`;

const expected = [TARGET];
const challenge = { name: `_acme-challenge.${NAME}`, value: "k3vq._acme-challenge.example.net" };
const CREATE = `create CNAME ${NAME} = ${TARGET}`;
const CREATE_CHALLENGE = `create CNAME ${challenge.name} = ${challenge.value}`;
const PROOF = `create TXT _adoption-store.${APEX} = ${TARGET}`;
const ALIAS = `create ALIAS ${APEX} = ${TARGET}`;

/** The findings about a subdomain with these addresses, as a check stores them. */
const foundAt = (...addresses: string[]) => {
  const a = answer(addresses.map((address) => record("A", NAME, address)));
  const order = { isApex: false, issuers: [], methods: [], needsProof: false };
  const seen = trace([view("authority", "192.0.2.1", { a })], { ascii: NAME, apex: APEX });
  return verdictOf(seen, { hostname: NAME, target: TARGET, ...order }).findings;
};

type Row = [finding: DomainFinding, needed: Needed, changes: string[]];

const ROWS: Row[] = [
  [noRecord(NAME, "CNAME", expected), atSubdomain, [CREATE]],
  [noRecord(APEX, "ALIAS", expected), atApex, [ALIAS, PROOF]],
  [
    noRecord(challenge.name, "CNAME", [challenge.value]),
    { ...atSubdomain, name: "*.example.org" },
    [CREATE_CHALLENGE],
  ],
  [
    recordFinding("wrong_target", NAME, "CNAME", ["a.test"], expected),
    atSubdomain,
    [`change CNAME ${NAME} (a.test) = ${TARGET}`],
  ],
  [
    recordFinding("wrong_target", NAME, "CNAME", ["a.test", TARGET], expected),
    atSubdomain,
    [`delete CNAME ${NAME} (a.test)`],
  ],
  [
    recordFinding("wrong_target", NAME, "CNAME", ["a.test", "b.test"], expected),
    atSubdomain,
    [`delete CNAME ${NAME} (a.test, b.test)`, CREATE],
  ],
  [
    recordFinding("wrong_target", APEX, "ALIAS", ["192.0.2.7"], ["192.0.2.80"]),
    atApex,
    [`delete A, AAAA, ALIAS or ANAME ${APEX} (192.0.2.7)`, ALIAS, PROOF],
  ],
  [
    recordFinding("wrong_target", APEX, "ALIAS", ["192.0.2.7"], ["192.0.2.80"]),
    { ...atApex, provider: cloudflare },
    [`delete A, AAAA or CNAME ${APEX} (192.0.2.7)`, ALIAS, PROOF],
  ],
  [
    recordFinding("wrong_target", APEX, "ALIAS", ["192.0.2.7"], ["192.0.2.80"]),
    atIonos,
    [`delete A or AAAA ${APEX} (192.0.2.7)`, `create A ${APEX} = 192.0.2.80`, PROOF],
  ],
  [
    recordFinding("doubled_name", NAME, "CNAME", [`${NAME}.${APEX}`], expected),
    atSubdomain,
    [`delete CNAME ${NAME}.${APEX} (${TARGET})`, CREATE],
  ],
  [
    recordFinding("doubled_name", APEX, "ALIAS", [`${APEX}.${APEX}`], expected),
    atApex,
    [`delete A, AAAA, ALIAS or ANAME ${APEX}.${APEX} (${TARGET})`, ALIAS, PROOF],
  ],
  [
    recordFinding(
      "doubled_name",
      `_adoption-store.${APEX}`,
      "TXT",
      [`_adoption-store.${APEX}.${APEX}`],
      expected,
    ),
    atApex,
    [`delete TXT _adoption-store.${APEX}.${APEX} (${TARGET})`, PROOF],
  ],
  [
    recordFinding("conflicting_record", NAME, "A", ["192.0.2.7", "192.0.2.8"], expected),
    atSubdomain,
    [`delete A ${NAME} (192.0.2.7, 192.0.2.8)`, CREATE],
  ],
  [
    { kind: "delegated_away", name: NAME, zone: NAME, found: ["ns.old.test"] },
    atSubdomain,
    [`delete NS ${NAME} (ns.old.test)`, CREATE],
  ],
  [{ kind: "delegated_away", name: NAME, zone: APEX, found: ["ns.old.test"] }, atSubdomain, []],
  [
    { kind: "https_record", name: APEX, found: ["1 old.test."] },
    atApex,
    [`delete HTTPS ${APEX} (1 old.test.)`],
  ],
  [
    { kind: "caa_forbids", name: APEX, found: ['0 issue ";"'], expected: ["ca.test", "other.test"] },
    atSubdomain,
    [`create CAA ${APEX} = 0 issue "ca.test"`],
  ],
  [
    { kind: "caa_forbids", name: APEX, found: [], expected: ["ca.test"], tag: "issuewild" },
    atSubdomain,
    [`create CAA ${APEX} = 0 issuewild "ca.test"`],
  ],
  [
    { kind: "caa_forbids", name: APEX, found: [], expected: ["ca.test"], challenge },
    atSubdomain,
    [CREATE_CHALLENGE],
  ],
  [
    { kind: "caa_forbids", name: APEX, found: ['128 future "x"'], expected: [] },
    atSubdomain,
    [`delete CAA ${APEX} (128 future "x")`],
  ],
  [recordFinding("ownership_unproven", `_adoption-store.${APEX}`, "TXT", [], expected), atApex, [PROOF]],
  [
    recordFinding("ownership_unproven", `_adoption-store.${APEX}`, "TXT", ["b.test"], expected),
    atApex,
    [`change TXT _adoption-store.${APEX} (b.test) = ${TARGET}`],
  ],
  [
    { kind: "proxied", name: NAME, found: ["104.16.0.7"], expected, provider: "Cloudflare" },
    { ...atSubdomain, provider: cloudflare },
    [`change CNAME ${NAME} = ${TARGET}`],
  ],
  [{ kind: "proxied", name: NAME, found: ["104.16.0.7"], expected, provider: "Cloudflare" }, atSubdomain, []],
  [recordFinding("wildcard_record", NAME, "A", ["192.0.2.7"], expected), atSubdomain, [CREATE]],
  [
    recordFinding("stray_address", APEX, "AAAA", ["2001:db8::7"], ["2001:db8::80"]),
    atApex,
    [`delete AAAA ${APEX} (2001:db8::7)`],
  ],
  [
    {
      kind: "addresses_changed",
      name: APEX,
      found: ["192.0.2.70", "2001:db8::70", "192.0.2.71"],
      expected: ["192.0.2.80", "2001:db8::80"],
    },
    atApex,
    [
      `delete A ${APEX} (192.0.2.70, 192.0.2.71)`,
      `delete AAAA ${APEX} (2001:db8::70)`,
      `create A ${APEX} = 192.0.2.80`,
      `create AAAA ${APEX} = 2001:db8::80`,
    ],
  ],
  [recordFinding("not_moved", NAME, "CNAME", ["a.test"], expected), atSubdomain, []],
  [
    { kind: "not_moved", name: NAME, type: "CNAME", found: ["a.test"], expected, challenge },
    atSubdomain,
    [CREATE_CHALLENGE],
  ],
  [
    recordFinding("not_moved", NAME, "CNAME", ["a.test"], expected),
    { ...atSubdomain, isLive: true },
    [`change CNAME ${NAME} (a.test) = ${TARGET}`],
  ],
  [
    recordFinding("not_moved", NAME, "CNAME", ["192.0.2.7", "2001:db8::7"], expected),
    { ...atSubdomain, isLive: true },
    [`delete A ${NAME} (192.0.2.7)`, `delete AAAA ${NAME} (2001:db8::7)`, CREATE],
  ],
  [
    recordFinding("not_moved", APEX, "ALIAS", ["192.0.2.7"], expected),
    { ...atApex, isLive: true },
    [`delete A, AAAA, ALIAS or ANAME ${APEX} (192.0.2.7)`, ALIAS],
  ],
  [recordFinding("not_moved", APEX, "ALIAS", [], expected), { ...atApex, isLive: true }, [ALIAS]],
  [{ kind: "domain_taken", name: APEX }, atApex, [`change TXT _adoption-store.${APEX} = ${TARGET}`]],
  [
    { kind: "domain_lost", name: APEX },
    atApex,
    [`change ALIAS ${APEX} = ${TARGET}`, `change TXT _adoption-store.${APEX} = ${TARGET}`],
  ],
];

/** The holder cannot resolve these with a record at the provider, or need not. */
const WITHOUT_CHANGES: FindingKind[] = [
  "apex_cname",
  "caa_unanswered",
  "not_propagated",
  "unreachable",
  "mixed_answers",
  "lame_delegation",
  "dnssec_failure",
  "registration_expired",
  "registration_on_hold",
  "parked",
  "long_ttl",
  "platform_unready",
];

describe("the changes that resolve a finding", () => {
  test.each(ROWS.map((row, at) => [`${row[0].kind} ${at}`, ...row] as const))(
    "%s",
    (_, finding, needed, changes) => {
      expect(changesFor(finding, needed).map(line)).toEqual(changes);
    },
  );

  test("are tested above for every kind that has some", () => {
    const tested = new Set(ROWS.map(([{ kind }]) => kind));
    expect(FINDING_KINDS.filter((kind) => !tested.has(kind))).toEqual(WITHOUT_CHANGES);
    for (const kind of WITHOUT_CHANGES) expect(changesFor(exampleOf(kind), atApex)).toEqual([]);
  });
});

test.each([
  [NAME, "docs"],
  [APEX, "@"],
  [`my${APEX}`, `my${APEX}`],
  ["pages.test", "pages.test"],
])("the change of a record of %s has the name %s, as DNS providers ask for it", (fullName, name) => {
  const finding: DomainFinding = { kind: "https_record", name: fullName, found: ["1 old.test."] };
  const change = { action: "delete", type: "HTTPS", name, fullName, found: ["1 old.test."] };
  expect(fromFindings([finding], atApex)).toMatchObject([{ changes: [change] }]);
});

test("a check stores the fields of a finding, and neither its texts nor its changes", () => {
  const found = ["192.0.2.7"];
  expect(foundAt(...found)).toEqual([recordFinding("conflicting_record", NAME, "A", found, expected)]);
});

describe("the advice on a finding", () => {
  test.each(FINDING_KINDS)("%s has a title and a message for its example, and who must act", (kind) => {
    const { title, message, responsible } = adviceOn(exampleOf(kind));
    expect(title).toMatch(/^[\w'].*[^.:]$/);
    expect(message).toMatch(/\.$/);
    expect(responsible).toBe(FINDINGS[kind].responsible);
  });

  test("is a hint if the domain works all the same or needs only time, and nobody else must act", () => {
    const hints = (isLive: boolean) =>
      FINDING_KINDS.filter((kind) => {
        const { responsible: _, ...finding } = { responsible: "", ...exampleOf(kind) };
        return adviceOn(finding, isLive).isHint;
      });
    expect(hints(true)).toEqual(["apex_cname", "not_propagated", "unreachable", "long_ttl"]);
    expect(hints(false)).toEqual([...hints(true), "not_moved"]);
    expect(adviceOn(exampleOf("unreachable"))).toMatchObject({ isHint: false });
  });

  test("has a title that keeps what a server said in brackets", () => {
    const reason = "expired: RRSIG. Sorry";
    const finding: DomainFinding = { kind: "dnssec_failure", name: APEX, server: "192.0.2.1", reason };
    expect(adviceOn(finding).title).toBe(
      `192.0.2.1 rejects the records of ${APEX} because DNSSEC validation fails (${reason})`,
    );
  });

  test("that is ready to move says so in its title", () => {
    const finding = exampleOf("not_moved");
    expect([adviceOn(finding).title, adviceOn(finding, true).title]).toEqual([
      `${NAME} is yours, and its certificate comes next`,
      "Ready: change the record now",
    ]);
  });
});
