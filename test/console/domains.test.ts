import { describe, expect, test } from "bun:test";
import { problemDetails, problemMessage } from "../../src/console/ui/domains/certificate.ts";
import { shownFindings, describeFinding } from "../../src/console/ui/domains/findings.ts";
import { actorWords, eventWords } from "../../src/console/ui/domains/history.ts";
import type { Domain, Finding } from "../../src/console/ui/domains/model.ts";
import { shownName } from "../../src/console/ui/domains/model.ts";
import {
  addressOf,
  roleLabel,
  roleDescription,
  withRedirect,
} from "../../src/console/ui/domains/redirects.ts";
import { refetchDelay, listRefetchDelay, verifyLabel } from "../../src/console/ui/domains/stages.ts";
import { EVENTS } from "../../src/domains/domain.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const TARGET = "k3vq.cname.example.net";
const SEEN: Pick<Domain, "hostname" | "record" | "checkedAt"> = {
  hostname: "docs.example.org",
  record: { type: "CNAME", name: "docs", value: TARGET, ttl: 3600, terraform: "" },
  checkedAt: "2026-11-20T09:59:00Z",
};

const words = (finding: Omit<Finding, "message" | "name"> & { name?: string }, seen = SEEN) =>
  describeFinding({ message: "", name: "docs.example.org", ...finding }, seen, NOW);

describe("a finding", () => {
  test("of no record names the one to create, and how long the DNS may take", () => {
    const { tone, advice, changes } = words({ kind: "no_record", type: "CNAME", expected: [TARGET] });
    expect(tone).toBe("waiting");
    expect(advice).toContain("48 hours");
    expect(changes).toEqual([
      { what: "Create", type: "CNAME", name: "docs.example.org", found: [], value: TARGET },
    ]);
  });

  test("of a record in the way names the one to remove, then the one to create", () => {
    const { title, changes } = words({ kind: "conflicting_record", type: "AAAA", found: ["2001:db8::1"] });
    expect(title).toBe("An AAAA record of docs.example.org is in the way");
    expect(changes).toEqual([
      { what: "Remove", type: "AAAA", name: "docs.example.org", found: ["2001:db8::1"] },
      { what: "Create", type: "CNAME", name: "docs.example.org", found: [], value: TARGET },
    ]);
  });

  test("of a wrong target names the current value and the new one", () => {
    const { changes } = words({ kind: "wrong_target", found: ["other.example.net"], expected: [TARGET] });
    expect(changes).toMatchObject([{ what: "Change", found: ["other.example.net"], value: TARGET }]);
  });

  test("of an apex asks for the ALIAS, not for the target's addresses", () => {
    const record = { ...SEEN.record, type: "ALIAS" as const, name: "@" };
    const { changes } = words(
      { kind: "wrong_target", type: "ALIAS", found: ["192.0.2.1"], expected: ["192.0.2.80"] },
      { ...SEEN, record },
    );
    expect(changes).toMatchObject([{ type: "ALIAS", value: TARGET }]);
  });

  test("of an old record counts down from the check", () => {
    const { advice, changes } = words({ kind: "not_propagated", server: "192.0.2.53", seconds: 42 * 60 });
    expect(advice).toContain("Your provider's cache expires in 41 minutes.");
    expect(changes).toEqual([]);
  });

  test("whose cache time is over says that the next check will tell", () => {
    const { advice } = words({ kind: "not_propagated", server: "192.0.2.53", seconds: 30 });
    expect(advice).toContain("The next check will tell");
  });

  test("of an old record without a time says how long the DNS may take", () => {
    expect(words({ kind: "not_propagated", server: "192.0.2.53" }).advice).toContain("48 hours");
  });

  test("of CAA records names one that allows the CA", () => {
    const { changes } = words({
      kind: "caa_forbids",
      name: "example.org",
      found: ['0 issue ";"'],
      expected: ["letsencrypt.org"],
    });
    expect(changes).toEqual([
      {
        what: "Create",
        type: "CAA",
        name: "example.org",
        found: ['0 issue ";"'],
        value: '0 issue "letsencrypt.org"',
      },
    ]);
  });

  test("of a silent server asks for nothing", () => {
    const { tone, changes } = words({ kind: "unreachable", server: "192.0.2.53", reason: "timeout" });
    expect({ tone, changes }).toEqual({ tone: "waiting", changes: [] });
  });

  test("of unproven ownership names the TXT record", () => {
    const { changes } = words({
      kind: "ownership_unproven",
      name: "_adoption-store.example.org",
      type: "TXT",
      found: [],
      expected: [TARGET],
    });
    expect(changes).toEqual([
      { what: "Create", type: "TXT", name: "_adoption-store.example.org", found: [], value: TARGET },
    ]);
  });

  test("of a name that another project keeps says which value to remove", () => {
    expect(words({ kind: "domain_taken" }).advice).toContain(
      "the TXT record also names that project. Remove its value",
    );
  });

  test("of a name that was lost to another project names every record to change", () => {
    const proof = {
      type: "TXT",
      name: "_adoption-store",
      value: TARGET,
      ttl: 3600,
      bind: "",
      terraform: "",
    } as const;
    const seen = {
      ...SEEN,
      hostname: "example.org",
      record: { ...SEEN.record, type: "ALIAS" as const, proof },
    };
    const { changes } = describeFinding({ kind: "domain_lost", name: "example.org", message: "" }, seen, NOW);
    expect(changes.map(({ what, type, name, value }) => [what, type, name, value])).toEqual([
      ["Change", "ALIAS", "example.org", TARGET],
      ["Change", "TXT", "_adoption-store.example.org", TARGET],
    ]);
  });
});

test("findings about CAA records are not shown while HTTPS is off", () => {
  const findings: Finding[] = [
    { kind: "caa_forbids", message: "", name: "example.org" },
    { kind: "no_record", message: "", name: "docs.example.org" },
  ];
  expect(shownFindings({ stage: "live", findings })).toEqual(findings.slice(1));
  expect(shownFindings({ stage: "live", findings, certificate: { status: "in_use" } })).toEqual(findings);
  expect(shownFindings({ stage: "verified", findings })).toEqual(findings);
});

describe("how often a domain is fetched", () => {
  test("depends on the work in progress", () => {
    const nextCheckAt = "2026-11-20T10:01:00Z";
    expect(refetchDelay({ stage: "awaiting_dns", nextCheckAt })).toBe(5000);
    expect(refetchDelay({ stage: "issuing" })).toBe(2000);
    expect(refetchDelay({ stage: "live" })).toBe(60_000);
  });

  test("is seldom once nothing happens automatically", () => {
    expect(refetchDelay({ stage: "awaiting_dns" })).toBe(60_000);
  });

  test("in a list depends on the domain with the shortest delay", () => {
    expect(listRefetchDelay([{ stage: "live" }, { stage: "issuing" }])).toBe(5000);
    expect(listRefetchDelay([{ stage: "live" }])).toBe(60_000);
    expect(listRefetchDelay([])).toBe(60_000);
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

test("a domain that is not live is not said to show the site", () => {
  expect(roleLabel({ role: "served", stage: "awaiting_dns" })).toBe("");
  expect(roleDescription({ role: "served", stage: "awaiting_dns" }, undefined)).toStartWith(
    "Once the domain is live",
  );
  expect(addressOf({ hostname: "a.test", stage: "verified" })).toBeUndefined();
});

test("a live domain's address is HTTPS with its certificate, and HTTP without", () => {
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

test("a problem of an unknown type is explained in the CA's own words", () => {
  expect(problemMessage({ type: "rateLimited" })).toContain("Wait");
  expect(problemMessage({ type: "somethingNew" })).toContain("This is what it said");
  const subproblems = [{ type: "caa", detail: "CAA forbids it.", identifier: "a.test" }];
  expect(problemDetails({ type: "x", detail: "No.", subproblems })).toEqual([
    "No.",
    "a.test: CAA forbids it.",
  ]);
});

test("every event of the history has a description", () => {
  for (const event of EVENTS) expect(eventWords({ event })).toMatch(/^[A-Z]/);
});

test("the history names who caused an event", () => {
  expect([
    actorWords({ actor: "service" }),
    actorWords({ actor: "operator" }),
    actorWords({ actor: "key", key: 3 }),
  ]).toEqual(["by itself", "at the command line", "with key 3"]);
});
