import { describe, expect, test } from "bun:test";
import {
  adviceOf,
  adviceWithPair,
  allRecords,
  certificateProblem,
  moveRecord,
} from "../../../src/pages/console/ui/domains/advice.ts";
import {
  type Domain,
  FIELDS,
  type Finding,
  activeWords,
  actorWords,
  addressOf,
  eventWords,
  hostnameIn,
  listRefetchDelay,
  nextCheck,
  offeredPair,
  refetchDelay,
  roleLabel,
  shownName,
  targetsOf,
  verifyLabel,
  visitorsWords,
  withPrimary,
  withRedirect,
} from "../../../src/pages/console/ui/domains/model.ts";
import {
  allDomainsPath,
  filterOf,
  nextStep,
  statusOf,
  stepsOf,
} from "../../../src/pages/console/ui/domains/progress.ts";
import { EVENTS } from "../../../src/platform/domains/domain.ts";
import { NAME_REFUSALS } from "../../../src/platform/dns-checks/names.ts";
import { hostnameOf, pairOf, parseHostname } from "../../../src/lib/hostname.ts";
import { type Shown, type Stored, findingsOf } from "./findings.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const SOON = "2026-11-20T10:02:00Z";
const TARGET = "k3vq.cname.example.net";

describe("text pasted as a domain", () => {
  test.each([
    ["guide.example.org", "guide.example.org"],
    ["https://guide.example.org/", "guide.example.org"],
    ["HTTP://Guide.Example.ORG", "guide.example.org"],
    ["https://guide.example.org:8443/a/b?c=d#e", "guide.example.org"],
    ["//guide.example.org/", "guide.example.org"],
    ["https://user:secret@guide.example.org/", "guide.example.org"],
    ["guide.example.org/pages/1", "guide.example.org"],
    ["guide.example.org:443", "guide.example.org"],
    ["guide.example.org?utm=1", "guide.example.org"],
    ["guide.example.org.", "guide.example.org"],
    ["https://guide.example.org./", "guide.example.org"],
    ["  guide.example.org\n", "guide.example.org"],
    ["\u200bguide.example.org\ufeff", "guide.example.org"],
    ["<https://guide.example.org>", "guide.example.org"],
    ["“guide.example.org”,", "guide.example.org"],
    ["https://B\u00dcCHER.example.org/", "b\u00fccher.example.org"],
    ["https://*.Example.ORG/", "*.example.org"],
    ["", ""],
    ["https://", ""],
  ])("%p is the host name %p", (typed, hostname) => {
    expect(hostnameIn(typed)).toBe(hostname);
  });

  test.each([
    "a@example.org",
    "a.*.example.org",
    "[2001:db8::1]",
    "2001:db8::1",
    "a b.example.org",
    "192.0.2.1",
  ])("such as %p stays unchanged, and the API reports the error", (typed) => {
    expect(hostnameIn(typed)).toBe(typed);
    expect(parseHostname(hostnameIn(typed)).ok).toBe(false);
  });

  test("is accepted by the API once it is a host name", () => {
    for (const typed of ["https://Guide.example.org:443/a?b#c", " guide.example.org. "])
      expect(parseHostname(hostnameIn(typed))).toMatchObject({
        ok: true,
        hostname: { ascii: "guide.example.org" },
      });
  });
});

describe("the name that is offered with a domain", () => {
  test.each([
    "example.org",
    "www.example.org",
    "example.co.uk",
    "www.example.co.uk",
    "example.com.au",
    "docs.example.org",
    "www.docs.example.org",
    "docs.example.co.uk",
    "www.docs.example.com.br",
    "b\u00fccher.example",
  ])("is the pair of %s, if it has one", (hostname) => {
    expect(offeredPair(hostname)).toBe(pairOf({ ...hostnameOf(hostname), ascii: hostname }));
  });

  test.each([
    "",
    "org",
    "www",
    "www.org",
    "example.",
    ".org",
    "example.o",
    "*.org",
    "*.example.org",
    "my-site.github.io",
  ])("does not exist for %p", (typed) => {
    expect(offeredPair(typed)).toBeUndefined();
  });
});

const SUBDOMAIN = {
  hostname: "docs.example.org",
  record: { type: "CNAME", name: "docs", value: TARGET, ttl: 3600, terraform: "" },
  stage: "awaiting_dns",
  checkedAt: "2026-11-20T09:59:00Z",
  nextCheckAt: SOON,
} as const;

const proof = {
  type: "TXT",
  name: "_adoption-store",
  value: TARGET,
  ttl: 3600,
  bind: "",
  terraform: "",
} as const;
const APEX = {
  ...SUBDOMAIN,
  hostname: "example.org",
  record: { ...SUBDOMAIN.record, type: "ALIAS", name: "@", proof, note: "An ANAME record works too." },
} as const;

const advice = (findings: Stored[], domain: Shown = SUBDOMAIN) =>
  adviceOf({ ...domain, findings: findingsOf(findings, domain) }, NOW);

const CAA: Stored = {
  kind: "caa_forbids",
  name: "example.org",
  found: ['0 issue ";"'],
  expected: ["ca.test"],
};

describe("a domain and its pair", () => {
  const apex = { ...APEX, findings: [], pair: "www.example.org" } as unknown as Domain;
  const www = {
    ...apex,
    hostname: "www.example.org",
    record: { ...SUBDOMAIN.record, name: "www" },
  } as unknown as Domain;
  const missing = findingsOf([{ kind: "no_record", type: "CNAME" }], www);

  test.each([
    ["the apex", apex, www, ["ALIAS @", "TXT _adoption-store", "CNAME www"]],
    ["www", www, apex, ["CNAME www", "ALIAS @", "TXT _adoption-store"]],
    [
      "www, after a check,",
      { ...www, findings: missing },
      apex,
      ["CNAME www", "ALIAS @", "TXT _adoption-store"],
    ],
  ])("that both lack their records show them together on the page of %s", (_, domain, pair, expected) => {
    const [first, ...others] = adviceWithPair(domain, pair, NOW);
    expect(first).toMatchObject({
      title: "Create these records at your DNS provider",
      note: "An ANAME record works too.",
    });
    expect(first!.changes.map(({ type, name }) => `${type} ${name}`)).toEqual(expected);
    expect(others).toEqual([]);
  });

  test.each([
    ["live", { ...www, stage: "live" }],
    ["in conflict", { ...www, findings: findingsOf([{ kind: "conflicting_record", type: "A" }], www) }],
    ["not there", undefined],
  ] as [string, Domain | undefined][])("are advised about separately if one is %s", (_, pair) => {
    expect(adviceWithPair(apex, pair, NOW)).toEqual(adviceOf(apex, NOW));
    if (pair) expect(adviceWithPair(pair, apex, NOW)).toEqual(adviceOf(pair, NOW));
  });
});

describe("the list of the domains of all projects", () => {
  const next = (stage: Domain["stage"], ...findings: Stored[]) =>
    nextStep({ ...SUBDOMAIN, stage, findings: findingsOf(findings, SUBDOMAIN) } as unknown as Domain, NOW);

  test("names the records to change, or the next step", () => {
    expect(next("dns_conflict", { kind: "conflicting_record", name: "docs.example.org", type: "A" })).toEqual(
      {
        title: "An A record of docs.example.org is in the way",
        details: "Delete A docs. Create CNAME docs.",
      },
    );
    const reason = { kind: "not_propagated", name: "docs.example.org", server: "192.0.2.9" } as const;
    expect(next("awaiting_dns", reason)).toEqual({
      title: "Some visitors may still get the old record",
      details: "Your domain's own name servers have the right record for docs.example.org.",
    });
  });

  test("has a next step for domains that need no record", () => {
    expect([next("live"), next("issuing"), next("issue_failed")]).toEqual([
      { title: "Nothing" },
      { title: "Wait. The certificate is issued automatically." },
      { title: "Open it and choose Re-verify" },
    ]);
  });

  test("keeps its filter in the address, without malformed parts", () => {
    const filter = { q: "example.org", stage: "dns_conflict" } as const;
    expect(allDomainsPath(filter, "add")).toBe("/console/domains/add?q=example.org&stage=dns_conflict");
    expect(filterOf({ q: " example.org ", stage: "dns_conflict", page: "2" })).toEqual(filter);
    expect(filterOf({ q: " ", stage: "constructor" })).toEqual({});
    expect(allDomainsPath({ q: "", stage: "" })).toBe("/console/domains");
  });
});

/** The advice about one finding. */
const about = (finding: Stored, domain?: Shown) => advice([finding], domain)[0]!;

/** "create CNAME docs = target", "delete A docs, now 192.0.2.1" */
const brief = (changes: ReturnType<typeof about>["changes"]) =>
  changes.map(({ action, type, name, value, found = [] }) => {
    const to = value === undefined ? "" : ` = ${value}`;
    return `${action} ${type} ${name}${to}${found.length > 0 ? `, now ${found.join()}` : ""}`;
  });

const CREATE = `create CNAME docs = ${TARGET}`;
const CNAME = { kind: "wrong_target", type: "CNAME" } as const;
const AWAY = { kind: "delegated_away", found: ["ns.old.test"], expected: [TARGET] } satisfies Stored;
const DOUBLED: Stored = {
  kind: "doubled_name",
  type: "CNAME",
  found: ["docs.example.org.example.org"],
  expected: [TARGET],
};
const UNPROVEN: Stored = {
  kind: "ownership_unproven",
  type: "TXT",
  name: "_adoption-store.example.org",
  found: [],
  expected: [TARGET],
};

describe("the advice for a domain", () => {
  test.each<[finding: Stored, domain: Shown, changes: string[]]>([
    [{ ...CNAME, found: ["x.test"] }, SUBDOMAIN, [`change CNAME docs = ${TARGET}, now x.test`]],
    [{ ...CNAME, found: ["a.test", TARGET] }, SUBDOMAIN, ["delete CNAME docs, now a.test"]],
    [{ ...CNAME, found: ["a.test", "b.test"] }, SUBDOMAIN, ["delete CNAME docs, now a.test,b.test", CREATE]],
    [{ ...AWAY, zone: "docs.example.org" }, SUBDOMAIN, ["delete NS docs, now ns.old.test", CREATE]],
    // The zone is a parent's.
    [{ ...AWAY, zone: "example.org" }, SUBDOMAIN, []],
    [DOUBLED, SUBDOMAIN, [`delete CNAME docs.example.org, now ${TARGET}`, CREATE]],
    [{ kind: "wildcard_record", found: ["192.0.2.7"] }, SUBDOMAIN, [CREATE]],
    [
      { kind: "stray_address", type: "AAAA", found: ["2001:db8::1"] },
      APEX,
      ["delete AAAA @, now 2001:db8::1"],
    ],
    [{ kind: "domain_lost" }, APEX, [`change ALIAS @ = ${TARGET}`, `change TXT _adoption-store = ${TARGET}`]],
    [UNPROVEN, APEX, [`create TXT _adoption-store = ${TARGET}`]],
    [{ ...UNPROVEN, found: ["b.test"] }, APEX, [`change TXT _adoption-store = ${TARGET}, now b.test`]],
  ])("after the finding %j is to change the records", (finding, domain, changes) => {
    expect(advice([finding], domain).map(({ changes }) => brief(changes))).toEqual([changes]);
  });

  test("that was not checked yet is the record to create", () => {
    const { checkedAt: _, ...unchecked } = SUBDOMAIN;
    const [first, ...others] = advice([], unchecked);
    expect(first?.title).toBe("Create this record at your DNS provider");
    expect([brief(first!.changes), others]).toEqual([[CREATE], []]);
  });

  test("without a record is the one to create, and how long the DNS may take", () => {
    const { tone, text, changes } = about({ kind: "no_record", type: "CNAME", expected: [TARGET] });
    expect(tone).toBe("waiting");
    expect(text).toContain("48 hours");
    expect(brief(changes)).toEqual([CREATE]);
    expect(changes[0]?.fullName).toBe("docs.example.org");
  });

  test("at the top of a zone is both records, with what to do without ALIAS", () => {
    const { title, note, changes } = about({ kind: "no_record", type: "ALIAS" }, APEX);
    expect(title).toBe("There is no ALIAS record for example.org yet");
    expect(note).toBe("An ANAME record works too.");
    expect(brief(changes)).toEqual([`create ALIAS @ = ${TARGET}`, `create TXT _adoption-store = ${TARGET}`]);
  });

  test("with a record in the way is the one to remove, then the one to create", () => {
    const { tone, title, changes } = about({
      kind: "conflicting_record",
      type: "AAAA",
      found: ["2001:db8::1"],
    });
    expect([tone, title]).toEqual(["bad", "An AAAA record of docs.example.org is in the way"]);
    expect(brief(changes)).toEqual(["delete AAAA docs, now 2001:db8::1", CREATE]);
  });

  test("with records of both types in the way removes both, and creates one record", () => {
    const [first, ...others] = advice([
      { kind: "conflicting_record", type: "A", found: ["192.0.2.1"] },
      { kind: "conflicting_record", type: "AAAA", found: ["2001:db8::1"] },
    ]);
    expect([first?.title, others]).toEqual(["The A and AAAA records of docs.example.org are in the way", []]);
    expect(brief(first!.changes)).toEqual([
      "delete A docs, now 192.0.2.1",
      "delete AAAA docs, now 2001:db8::1",
      CREATE,
    ]);
  });

  test("with records that other services use warns that these stop", () => {
    const mail = about({ kind: "conflicting_record", type: "MX", found: ["10 mail.test"] });
    expect(mail.title).toBe("An MX record of docs.example.org is in the way");
    expect(mail.note).toContain("choose another name for the site");
    expect(brief(mail.changes)).toEqual(["delete MX docs, now 10 mail.test", CREATE]);
    expect(about({ kind: "conflicting_record", type: "A", found: ["192.0.2.1"] }).note).toBeUndefined();
  });

  test("with an HTTPS record of another host removes it, and a CNAME at an apex is a hint", () => {
    const live = { ...APEX, stage: "live", liveAt: SOON } as const;
    const https = about({ kind: "https_record", found: ["1 . ipv4hint=192.0.2.7"] }, live);
    expect(https.tone).toBe("bad");
    expect(brief(https.changes)).toEqual(["delete HTTPS @, now 1 . ipv4hint=192.0.2.7"]);
    expect(about({ kind: "apex_cname", expected: [TARGET] }, live)).toMatchObject({
      tone: "waiting",
      changes: [],
    });
  });

  const WRONG_APEX = {
    kind: "wrong_target",
    type: "ALIAS",
    found: ["192.0.2.1"],
    expected: ["192.0.2.80"],
  } as const;
  const PROOF = `create TXT _adoption-store = ${TARGET}`;

  test("with a wrong apex removes every possible record, and names the replacement for ALIAS", () => {
    const { changes, note } = about({ ...WRONG_APEX, found: ["192.0.2.1"], expected: [] }, APEX);
    expect(brief(changes)).toEqual([
      "delete A, AAAA, ALIAS or ANAME @, now 192.0.2.1",
      `create ALIAS @ = ${TARGET}`,
      PROOF,
    ]);
    expect(note).toBe("An ANAME record works too.");
  });

  test.each([
    ["CNAME", [`create CNAME @ = ${TARGET}`, PROOF], "A, AAAA or CNAME"],
    [undefined, ["create A @ = 192.0.2.80", PROOF], "A or AAAA"],
  ] as const)("of an apex has the types of its provider: %s", (apexType, created, removed) => {
    const addresses = [{ type: "A", name: "@", value: "192.0.2.80", ttl: 3600, bind: "" }] as const;
    const domain = {
      ...APEX,
      record: { ...APEX.record, addresses: [...addresses] },
      guide: { provider: "X", steps: [], ...(apexType && { apexType }) },
    };
    const { changes, note } = about({ ...WRONG_APEX, found: ["192.0.2.1"], expected: [] }, domain);
    expect(brief(changes)).toEqual([`delete ${removed} @, now 192.0.2.1`, ...created]);
    expect(note).toBeUndefined();
  });

  test("whose new record spreads counts down from the check, to the last server", () => {
    const [first, ...others] = advice([
      { kind: "not_propagated", server: "192.0.2.53", seconds: 42 * 60 },
      { kind: "not_propagated", server: "192.0.2.54", seconds: 12 * 60 },
    ]);
    expect(first?.text).toContain("Their caches expire within 41 minutes.");
    expect(first?.text).toContain("192.0.2.53 and 192.0.2.54");
    expect([first?.changes, others]).toEqual([[], []]);
  });

  test("whose cache time is over says that the next check will tell", () => {
    expect(about({ kind: "not_propagated", server: "192.0.2.53", seconds: 30 }).text).toContain(
      "The next check will tell",
    );
  });

  test("whose cache time is not known says how long the DNS may take", () => {
    expect(about({ kind: "not_propagated", server: "192.0.2.53" }).text).toContain("48 hours");
  });

  test("that CAA records block is a record that allows the CA, named within the zone", () => {
    const caa = { name: "example.org", found: ['0 issue ";"'], expected: ["letsencrypt.org"] };
    const { tone, changes } = about({ kind: "caa_forbids", ...caa }, { ...SUBDOMAIN, stage: "verified" });
    expect(tone).toBe("bad");
    expect(brief(changes)).toEqual(['create CAA @ = 0 issue "letsencrypt.org"']);
    const challenge = { name: "_acme-challenge.docs.example.org", value: "abc.challenge.test" };
    const delegated = about({ kind: "caa_forbids", ...caa, challenge }, { ...SUBDOMAIN, stage: "verified" });
    expect(brief(delegated.changes)).toEqual(["create CNAME _acme-challenge.docs = abc.challenge.test"]);
    const ofWildcard = about({ kind: "caa_forbids", ...caa, tag: "issuewild" });
    expect(ofWildcard.changes[0]?.value).toBe('0 issuewild "letsencrypt.org"');
  });

  test("with silent servers is to wait", () => {
    const [first, ...others] = advice([
      { kind: "unreachable", server: "192.0.2.53", reason: "timeout" },
      { kind: "unreachable", server: "192.0.2.54", reason: "refused" },
    ]);
    expect(first).toMatchObject({ tone: "waiting", title: "2 name servers did not respond", changes: [] });
    expect(others).toEqual([]);
  });

  test("with servers that are silent for a day says who must act, each by itself", () => {
    const since = new Date(NOW - 26 * 3_600_000).toISOString();
    const silent = (server: string, responsible: Finding["responsible"]) =>
      ({
        kind: "unreachable",
        server,
        reason: "timeout",
        since,
        ...(responsible && { responsible }),
      }) as const;
    const found = advice([
      silent("192.0.2.53", "dns_provider"),
      silent("192.0.2.9", "operator"),
      silent("192.0.2.54", "dns_provider"),
    ]);
    expect(found.map(({ tone, title, text, who }) => [tone, title, text, who])).toEqual([
      [
        "waiting",
        "2 name servers did not respond",
        "No check has received a response for 1 day. Ask your DNS provider to repair the name servers of the zone.",
        "Who must act: your DNS provider.",
      ],
      [
        "waiting",
        "The name server 192.0.2.9 did not respond",
        "No check has received a response for 1 day. The operator of this server must find out why its resolver gives no usable response.",
        "Who must act: the operator of this server.",
      ],
    ]);
  });

  test.each<[Finding["responsible"], string]>([
    ["holder", "Who must act: you, at your DNS provider."],
    ["registrar", "Who must act: you, at your registrar."],
    ["operator", "Who must act: the operator of this server."],
  ])("names who must act: %s", (responsible, who) => {
    const parked: Stored = { kind: "parked", name: "example.org", provider: "Sedo", found: ["ns1.test"] };
    expect(about({ ...parked, ...(responsible && { responsible }) })).toMatchObject({
      tone: "bad",
      title: "example.org uses the name servers of Sedo's parking page (ns1.test)",
      text: "At the registrar, enter the name servers of your DNS provider.",
      who,
    });
  });

  test("has the whole message after a title of other words", () => {
    const parked: Stored = { kind: "parked", name: "example.org", provider: "Sedo", found: ["ns1.test"] };
    const [finding] = findingsOf([parked], SUBDOMAIN);
    const message = "it is parked: enter other name servers.";
    const findings = [{ ...finding!, title: "Nobody arrives", message }];
    expect(adviceOf({ ...SUBDOMAIN, findings }, NOW)).toMatchObject([
      { title: "Nobody arrives", text: "It is parked: enter other name servers." },
    ]);
  });

  test("that only has a hint is not urgent", () => {
    const live = { ...SUBDOMAIN, stage: "live", liveAt: SOON } as const;
    const slow = { kind: "long_ttl", type: "CNAME", seconds: 86_400 } as const;
    expect(advice([slow], live)[0]?.tone).toBe("waiting");
    expect(statusOf({ ...live, findings: findingsOf([slow], live) }, NOW)).toBe("active");
    const waiting = { ...SUBDOMAIN, trace: { nameServers: ["192.0.2.1"] } as NonNullable<Domain["trace"]> };
    const steps = (kind: Finding["kind"]) =>
      stepsOf({ ...waiting, findings: findingsOf([{ kind, seconds: 1 }], waiting) }, [], true, NOW)[0]?.state;
    expect([steps("long_ttl"), steps("wildcard_record"), steps("parked")]).toEqual(["now", "stuck", "stuck"]);
  });

  test("that another project keeps is the TXT record, with this project's value alone", () => {
    const { title, text, changes } = about({ kind: "domain_taken" }, APEX);
    expect({ title, text }).toEqual({
      title:
        "The DNS names both this project and another one for example.org, and the other project holds the domain",
      text: "Remove the other project's value from the TXT record.",
    });
    expect(brief(changes)).toEqual([`change TXT _adoption-store = ${TARGET}`]);
  });

  test("is to wait if a new attempt to get a certificate is due", () => {
    const problem = { type: "records", detail: "CAA forbids it.", subproblems: [] };
    const of = (nextAttemptAt: string) =>
      advice([], {
        ...SUBDOMAIN,
        stage: "issue_failed",
        certificate: { status: "failing", problem, nextAttemptAt },
      });
    expect(of(new Date(NOW).toISOString())).toMatchObject([
      { tone: "waiting", title: "A new attempt to get a certificate begins in a moment" },
    ]);
    expect(of(new Date(NOW + 60_000).toISOString())).toMatchObject([{ tone: "bad" }]);
  });

  test("begins with the user's task", () => {
    const kinds = advice([
      { kind: "unreachable", server: "192.0.2.53", reason: "timeout" },
      { kind: "conflicting_record", type: "A", found: ["192.0.2.1"] },
    ]).map(({ tone }) => tone);
    expect(kinds).toEqual(["bad", "waiting"]);
  });

  test("that is live with wrong records says how long it is served", () => {
    const live = { ...SUBDOMAIN, stage: "live", failingSince: "2026-11-18T10:00:00Z" } as const;
    const { tone, note } = about({ kind: "no_record" }, live);
    expect(tone).toBe("bad");
    expect(note).toContain("another 5 days");
  });

  test("says nothing about CAA records while HTTPS is off", () => {
    expect(advice([CAA], { ...SUBDOMAIN, stage: "live" })).toEqual([]);
    const ofTarget: Stored = { ...CAA, kind: "platform_unready", name: TARGET };
    expect(advice([ofTarget], { ...SUBDOMAIN, stage: "live" })).toEqual([]);
    expect(
      advice([CAA], { ...SUBDOMAIN, stage: "live", certificate: { status: "in_use" } }).map(
        ({ tone }) => tone,
      ),
    ).toEqual(["bad"]);
  });

  test("that is live with right records is nothing", () => {
    expect(advice([], { ...SUBDOMAIN, stage: "live", certificate: { status: "in_use" } })).toEqual([]);
  });
});

describe("the advice for a certificate", () => {
  const problem = {
    type: "somethingNew",
    detail: "No.",
    subproblems: [{ type: "caa", detail: "CAA forbids it.", identifier: "a.test" }],
  };
  const failed = { ...SUBDOMAIN, stage: "issue_failed" } as const;

  test("quotes the CA if the problem is not known", () => {
    const [first] = advice([], { ...failed, certificate: { status: "failing", problem, failures: 3 } });
    expect(first).toMatchObject({
      tone: "bad",
      text: "The CA refused. This is what it said:",
      quotes: ["No.", "a.test: CAA forbids it."],
      note: "3 attempts have failed. No further attempt is scheduled: choose Re-verify.",
    });
    expect(certificateProblem("rateLimited")).toContain("Wait");
    expect(certificateProblem("unauthorized")).toContain("TXT record");
    expect(certificateProblem("records_unknown")).not.toContain("Correct");
  });

  test("names the CA's last refusal while a limit makes it wait, and asks for the repair", () => {
    const cause = { type: "connection", detail: "Timeout.", subproblems: [] };
    const limited = { type: "budget", detail: "5 are allowed.", subproblems: [], cause };
    const [first] = advice([], { ...failed, certificate: { status: "failing", problem: limited } });
    expect(first).toMatchObject({
      tone: "bad",
      text: expect.stringMatching(/limit .+ is reached.+ports 80 and 443 must reach this server/),
      quotes: ["5 are allowed.", "Timeout."],
    });
  });

  test("is to wait for a limit of the CA: nothing has failed", () => {
    const limited = { type: "budget", detail: "50 are allowed.", subproblems: [] };
    const [first] = advice([], {
      ...failed,
      certificate: { status: "wanted", problem: limited, failures: 0 },
    });
    expect(first).toMatchObject({ tone: "waiting", title: "The certificate is waiting for a CA limit" });
  });

  test("is to wait for its turn in the queue", () => {
    const queue = { position: 412, estimatedAt: new Date(NOW + 4 * 3_600_000).toISOString() };
    const certificate = { status: "wanted", queue } as const;
    const [first, ...others] = advice([], { ...SUBDOMAIN, stage: "verified", certificate });
    expect(first).toMatchObject({
      tone: "waiting",
      title: "The certificate is number 412 in the queue",
      text: expect.stringContaining("should come in 4 hours"),
    });
    expect(others).toEqual([]);
  });

  test("gives way to the record that explains it", () => {
    const titles = advice([CAA], { ...failed, certificate: { status: "failing", problem } });
    expect(titles.map(({ title }) => title)).toEqual([
      'The CAA records of example.org (0 issue ";") forbid the certificate',
    ]);
  });

  test("lists what to do after 30 minutes", () => {
    const [first] = advice([], { ...SUBDOMAIN, stage: "verified", certificate: { status: "ssl_overdue" } });
    expect(first?.tone).toBe("bad");
    expect(first?.steps).toHaveLength(3);
  });

  test("does not alarm while the current one is valid", () => {
    const certificate = { status: "in_use", notAfter: "2026-12-18T09:32:00Z", problem } as const;
    expect(advice([], { ...SUBDOMAIN, stage: "live", certificate })[0]?.tone).toBe("waiting");
  });

  test.each([
    [90, 7 * 24],
    [6, 36],
  ])(
    "of %i days alarms when it should have been renewed, whether or not an attempt failed",
    (days, hours) => {
      const toneAt = (left: number, failure?: typeof problem) => {
        const notAfter = new Date(NOW + left * 3_600_000).toISOString();
        const notBefore = new Date(NOW + (left - days * 24) * 3_600_000).toISOString();
        const certificate = {
          status: "in_use",
          notBefore,
          notAfter,
          ...(failure && { problem: failure }),
        } as const;
        return advice([], { ...SUBDOMAIN, stage: "live", certificate })[0]?.tone;
      };
      expect([toneAt(hours + 1), toneAt(hours + 1, problem)]).toEqual([undefined, "waiting"]);
      expect([toneAt(hours - 1), toneAt(hours - 1, problem)]).toEqual(["bad", "bad"]);
    },
  );
});

test("an active domain says when its certificate expires, and whether it is renewed", () => {
  const notAfter = "2031-12-18T09:32:00Z";
  const nextAttemptAt = "2029-12-18T09:32:00Z";
  expect(activeWords({ status: "in_use", notAfter, nextAttemptAt }, NOW)).toBe(
    "Active. Expires in 5 years; renews automatically.",
  );
  expect(activeWords({ status: "in_use", notAfter }, NOW)).toBe("Active. Expires in 5 years.");
  expect(activeWords(undefined, NOW)).toBe("Active.");
});

test("the next check is in the future, or on request", () => {
  expect(nextCheck({ nextCheckAt: SOON }, NOW)).toBe("The next check is in 2 minutes.");
  expect(nextCheck({ nextCheckAt: "2026-11-20T09:59:00Z" }, NOW)).toBe("The next check is in a moment.");
  expect(nextCheck({}, NOW)).toContain("choose Verify");
});

describe("how often a domain is fetched", () => {
  test("depends on the work in progress", () => {
    const nextCheckAt = "2026-11-20T10:01:00Z";
    expect(refetchDelay({ stage: "awaiting_dns", nextCheckAt })).toBe(5000);
    expect(refetchDelay({ stage: "issuing" })).toBe(2000);
    expect(refetchDelay({ stage: "live" })).toBe(15_000);
  });

  test("is seldom once nothing happens automatically", () => {
    expect(refetchDelay({ stage: "awaiting_dns" })).toBe(15_000);
  });

  test("in a list depends on the domain with the shortest delay", () => {
    expect(listRefetchDelay([{ stage: "live" }, { stage: "issuing" }])).toBe(5000);
    expect(listRefetchDelay([{ stage: "live" }])).toBe(15_000);
    expect(listRefetchDelay([])).toBe(15_000);
  });
});

describe("the configuration", () => {
  const config = {
    domains: { primary: "a.test", redirects: [{ from: "b.test", to: "a.test", status: 301 }] },
  };

  test("gains one redirect, with 301 to the primary domain", () => {
    expect(withRedirect(config, "c.test", true)?.domains.redirects).toEqual([
      { from: "b.test", to: "a.test", status: 301 },
      { from: "c.test", to: "a.test", status: 301 },
    ]);
  });

  test("names no domain twice", () => {
    expect(withRedirect(config, "b.test", true)).toEqual(config);
  });

  test("loses a redirect, and keeps the others", () => {
    expect(withRedirect(config, "b.test", false)?.domains.redirects).toEqual([]);
  });

  test("never redirects the primary domain, nor without one", () => {
    expect(withRedirect(config, "a.test", true)).toBeUndefined();
    expect(withRedirect({ domains: { redirects: [] } }, "b.test", true)).toBeUndefined();
  });
});

test("a new primary domain gets every redirect, the former primary domain among them", () => {
  const config = {
    domains: { primary: "a.test", redirects: [{ from: "b.test", to: "a.test", status: 301 }] },
  };
  expect(withPrimary(config, "a.test", "b.test")).toEqual({
    domains: { primary: "b.test", redirects: [{ from: "a.test", to: "b.test", status: 301 }] },
  });
  expect(withPrimary(config, "a.test", "c.test").domains.redirects).toEqual([
    { from: "b.test", to: "c.test", status: 301 },
    { from: "a.test", to: "c.test", status: 301 },
  ]);
});

test("a wildcard needs its own record and that of its challenge; other domains need not delegate theirs", () => {
  const challenge = {
    type: "CNAME",
    name: "_acme-challenge",
    value: "k3vq._acme-challenge.example.net",
    ttl: 3600,
    note: "",
    bind: "",
    terraform: "",
  } as const;
  const wildcard = {
    ...SUBDOMAIN,
    hostname: "*.example.org",
    record: { ...SUBDOMAIN.record, name: "*" },
    challengeRecord: { ...challenge, required: true },
  };
  expect(brief(allRecords(wildcard))).toEqual([
    `create CNAME * = ${TARGET}`,
    `create CNAME _acme-challenge = ${challenge.value}`,
  ]);
  const { checkedAt: _, ...unchecked } = wildcard;
  expect(advice([], unchecked)[0]?.title).toBe("Create these records at your DNS provider");
  const name = "_acme-challenge.example.org";
  const expected = [challenge.value];
  const missing = about({ kind: "no_record", type: "CNAME", name, expected }, wildcard);
  expect(brief(missing.changes)).toEqual([`create CNAME _acme-challenge = ${challenge.value}`]);
  expect(missing.text).toStartWith("Create it at your DNS provider. The value must match exactly.");
  const own = { kind: "no_record", type: "CNAME" } as const;
  const [both, ...others] = advice([own, { ...own, name, expected }], wildcard);
  expect(both?.text).toStartWith("Create these records at your DNS provider. The values must match exactly.");
  expect([brief(both!.changes), others]).toEqual([brief(allRecords(wildcard)), []]);
  expect(brief(about(own, wildcard).changes)).toEqual([`create CNAME * = ${TARGET}`]);
  const wrong = { kind: "wrong_target", type: "CNAME", name, found: ["x.test"], expected } as const;
  expect(brief(about({ ...wrong, found: [...wrong.found] }, wildcard).changes)).toEqual([
    `change CNAME _acme-challenge = ${challenge.value}, now x.test`,
  ]);
  const left = about(
    { kind: "conflicting_record", type: "TXT", name, found: ["left-over"], expected },
    wildcard,
  );
  expect(brief(left.changes)).toEqual([
    "delete TXT _acme-challenge, now left-over",
    `create CNAME _acme-challenge = ${challenge.value}`,
  ]);
  expect(left.note).toBeUndefined();
  const other = { ...SUBDOMAIN, challengeRecord: { ...challenge, required: false } };
  expect(allRecords(other)).toHaveLength(1);
});

test("a domain that moves shows when its record may change, and not before", () => {
  const finding = { kind: "not_moved" as const, type: "CNAME", found: ["192.0.2.7"] };
  const proven = { ...SUBDOMAIN, stage: "verified", certificate: { status: "ordered" } } as const;
  expect(about(finding, proven)).toMatchObject({
    tone: "waiting",
    title: "docs.example.org is yours, and its certificate comes next",
    changes: [],
    who: "No action needed.",
  });
  expect(statusOf({ ...proven, findings: findingsOf([finding], proven) }, NOW)).toBe("checking");
  const challenge = { name: "_acme-challenge.docs.example.org", value: "abc.challenge.test" };
  const unprepared = about({ ...finding, challenge }, proven);
  expect(unprepared).toMatchObject({ tone: "waiting", who: "Who must act: you, at your DNS provider." });
  expect(unprepared.text).toStartWith("To get a certificate before the move, create this record.");
  expect(brief(unprepared.changes)).toEqual([`create CNAME _acme-challenge.docs = ${challenge.value}`]);
  const certificate = { status: "in_use", notAfter: "2027-02-18T10:00:00Z" } as const;
  const ready = { ...proven, stage: "live", certificate } as const;
  const moved = about(finding, ready);
  expect(moved).toMatchObject({ tone: "bad", title: "Ready: change the record now" });
  expect(brief(moved.changes)).toEqual(["delete A docs, now 192.0.2.7", `create CNAME docs = ${TARGET}`]);
  const changesAt = (found: string[], domain: Partial<Domain> = {}) =>
    brief(
      about(
        { ...finding, found, type: domain.record?.type ?? "CNAME" },
        { ...ready, ...domain, stage: "live" },
      ).changes,
    );
  expect(changesAt(["old.example.net"])).toEqual([`change CNAME docs = ${TARGET}, now old.example.net`]);
  expect(changesAt([])).toEqual([`create CNAME docs = ${TARGET}`]);
  expect(changesAt(["192.0.2.7"], APEX)[0]).toStartWith("delete A, AAAA, ALIAS or ANAME");
  const findings = findingsOf([finding], ready);
  expect(statusOf({ ...ready, findings }, NOW)).toBe("action_needed");
  expect(stepsOf({ ...ready, findings }, [], true, NOW)).toMatchObject([
    { name: "Ownership proven, still at the old host", state: "done" },
    { name: "Certificate ordered", state: "done" },
    { name: "Certificate issued", state: "done" },
    { name: "Live", state: "stuck" },
  ]);
});

test("the record that proves a domain before it moves is its challenge, or else a TXT record", () => {
  const ownershipRecord = { ...proof, name: "_adoption-store.docs" };
  const challenge = { ...proof, type: "CNAME", name: "_acme-challenge.docs", value: "k3vq.test" } as const;
  expect(moveRecord({ ...SUBDOMAIN, ownershipRecord })).toMatchObject([
    {
      type: "TXT",
      name: "_adoption-store.docs",
      fullName: "_adoption-store.docs.example.org",
      value: TARGET,
    },
  ]);
  expect(moveRecord(APEX)).toMatchObject([{ type: "TXT", fullName: "_adoption-store.example.org" }]);
  const challengeRecord = { ...challenge, required: false, note: "" };
  expect(moveRecord({ ...SUBDOMAIN, challengeRecord })).toMatchObject([
    { type: "CNAME", name: "_acme-challenge.docs", value: "k3vq.test" },
  ]);
});

test("redirects lead to other domains, live ones first, and never to a wildcard", () => {
  const domains = [
    { hostname: "a.test", stage: "awaiting_dns" },
    { hostname: "b.test", stage: "live" },
    { hostname: "c.test", stage: "live" },
    { hostname: "*.d.test", stage: "live" },
  ] as const;
  expect(targetsOf(domains, "c.test").map(({ hostname }) => hostname)).toEqual(["b.test", "a.test"]);
});

test("the page of a domain that is not live does not claim that visitors see the site", () => {
  expect(roleLabel({ role: "served", stage: "awaiting_dns" })).toBe("");
  expect(visitorsWords({ role: "served", stage: "awaiting_dns" }, undefined)).toStartWith(
    "Once the domain is active",
  );
  expect(addressOf({ hostname: "a.test", stage: "verified" })).toBeUndefined();
});

test("the page of a live domain that still points to its old host names the old host", () => {
  const findings = findingsOf([{ kind: "not_moved", type: "CNAME" }], { ...SUBDOMAIN, stage: "live" });
  expect(visitorsWords({ role: "served", stage: "live", findings }, undefined)).toBe(
    "Visitors still reach the old host. After the move, they see the site at this address.",
  );
});

test("a live domain's address is HTTPS with its certificate, and HTTP without", () => {
  expect(addressOf({ hostname: "*.a.test", stage: "live" })).toBeUndefined();
  expect(addressOf({ hostname: "a.test", stage: "live" })).toBe("http://a.test/");
  expect(addressOf({ hostname: "a.test", stage: "live", certificate: { status: "in_use" } })).toBe(
    "https://a.test/",
  );
});

test("a name is shown with its A-labels if they differ", () => {
  expect(shownName({ hostname: "a.test", unicode: "a.test" })).toBe("a.test");
  expect(shownName({ hostname: "xn--bcher-kva.test", unicode: "b\u00fccher.test" })).toBe(
    "b\u00fccher.test (xn--bcher-kva.test)",
  );
});

test("the button says Verify until the records were right once, then Re-verify", () => {
  expect(verifyLabel({})).toBe("Verify");
  expect(verifyLabel({ verifiedAt: "2026-11-20T10:00:00Z" })).toBe("Re-verify");
});

test("every reason for refusing a name has a text", () => {
  const { missing, otherwise, rules = {} } = FIELDS["hostname"]!;
  const said = Object.keys(NAME_REFUSALS).map((reason) => {
    if (reason === "empty") return missing;
    return reason === "malformed" ? otherwise : rules[reason];
  });
  expect(said.filter((words) => words === undefined)).toEqual([]);
});

test("every event of the history has a description", () => {
  for (const event of EVENTS) expect(eventWords({ event })).toMatch(/^[A-Z]/);
});

test("the history names the key or the person, not a number", () => {
  expect([
    actorWords({ actor: "key", key: 3, name: "front desk" }),
    actorWords({ actor: "person", name: "Maria" }),
    actorWords({ actor: "operator" }),
    actorWords({ actor: "service" }),
    actorWords({ actor: "key", key: 3 }),
  ]).toEqual(["by key front desk", "by Maria", "by the operator", "automatically", "by key 3"]);
});
