import { describe, expect, test } from "bun:test";
import type { Domain, Event, Finding } from "../../../src/pages/console/ui/domains/model.ts";
import { isCertified, statusOf, stepsOf } from "../../../src/pages/console/ui/domains/progress.ts";
import { findingsOf } from "./findings.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const CHECKED = "2026-11-20T09:59:00Z";
const SOON = "2026-11-20T10:02:00Z";
const AUTHORITY = "192.0.2.1";

const trace = {
  target: "t",
  nameServers: [AUTHORITY],
  chain: [],
  targetAddresses: [],
  caa: [],
  questions: [],
};

type Some = Partial<Domain> & Pick<Domain, "stage">;

const domainOf = (some: Some) => ({
  hostname: "docs.example.org",
  record: { type: "CNAME" as const, name: "docs", value: "t.pages.test", ttl: 3600, terraform: "" },
  findings: [],
  ...some,
});

const states = (domain: Some, history: Pick<Event, "event" | "at">[] = [], isSecured = false) =>
  stepsOf(domainOf(domain), history, isSecured, NOW).map(({ name, state }) => `${name}: ${state}`);

const status = (domain: Some) => statusOf(domainOf(domain), NOW);

const checked = (
  kind: Finding["kind"],
  more: Partial<Finding> = {},
  stage: Domain["stage"] = "awaiting_dns",
) => ({
  stage,
  checkedAt: CHECKED,
  nextCheckAt: SOON,
  trace,
  findings: findingsOf([{ kind, ...more }], domainOf({ stage })),
});

const SEEN = "Record seen at your DNS provider";
const LATER = ["Live: later"];

describe("a domain that waits for its record", () => {
  test("and was not checked yet waits for the provider first", () => {
    const domain: Some = { stage: "awaiting_dns", nextCheckAt: SOON };
    expect([states(domain), status(domain)]).toEqual([[`${SEEN}: now`, ...LATER], "not_yet"]);
  });

  test("that is not there waits at the provider", () => {
    const domain = checked("no_record");
    expect([states(domain), status(domain)]).toEqual([[`${SEEN}: now`, ...LATER], "not_yet"]);
  });

  test.each(["conflicting_record", "wrong_target", "domain_lost"] as const)(
    "needs an action by the user on %s",
    (kind) => {
      const domain = checked(kind, {}, "dns_conflict");
      expect([states(domain), status(domain)]).toEqual([[`${SEEN}: stuck`, ...LATER], "action_needed"]);
    },
  );

  test("that is right but does not name the project needs one more step", () => {
    const domain = checked("ownership_unproven");
    expect([states(domain), status(domain)]).toEqual([
      [`${SEEN}: done`, "Linked to this project: stuck", "Live: later"],
      "action_needed",
    ]);
  });

  test.each(["no_record", "not_propagated", "unreachable"] as const)(
    "needs an action by the user when it is no longer checked automatically after %s",
    (kind) => {
      const { nextCheckAt: _, ...domain } = checked(kind);
      expect(status(domain)).toBe("action_needed");
    },
  );
});

describe("a certificate", () => {
  const verified = { verifiedAt: CHECKED, checkedAt: CHECKED };

  test("is not expected while HTTPS is off", () => {
    const domain: Some = { stage: "live", liveAt: CHECKED, ...verified };
    expect([states(domain), status(domain)]).toEqual([[`${SEEN}: done`, "Live: done"], "active"]);
  });

  test("is expected while HTTPS is on, before it is ordered", () => {
    expect(states({ stage: "awaiting_dns", nextCheckAt: SOON }, [], true).slice(1)).toEqual([
      "Certificate ordered: later",
      "Certificate issued: later",
      "Live: later",
    ]);
    expect(isCertified({ stage: "awaiting_dns" }, false)).toBe(false);
    // It went live over HTTP.
    expect(isCertified({ stage: "live", liveAt: CHECKED }, true)).toBe(false);
  });

  test("is ordered, then issued", () => {
    const wanted: Some = { stage: "verified", certificate: { status: "wanted" }, ...verified };
    const ordered: Some = { stage: "issuing", certificate: { status: "ordered" }, ...verified };
    expect(states(wanted).slice(1)).toEqual([
      "Certificate ordered: now",
      "Certificate issued: later",
      "Live: later",
    ]);
    expect(states(ordered).slice(1)).toEqual([
      "Certificate ordered: done",
      "Certificate issued: now",
      "Live: later",
    ]);
    expect([status(wanted), status(ordered)]).toEqual(["checking", "checking"]);
  });

  test("that CAA records forbid needs an action by the user before it is ordered", () => {
    const domain = { ...checked("caa_forbids", {}, "verified"), ...verified };
    expect([states(domain)[1], status(domain)]).toEqual(["Certificate ordered: stuck", "action_needed"]);
  });

  const problem = (type: string) => ({ type, detail: "No.", subproblems: [] });

  test("that was refused needs an action by the user", () => {
    const domain: Some = {
      stage: "issue_failed",
      certificate: { status: "failing", problem: problem("unauthorized") },
      ...verified,
    };
    expect([states(domain)[2], status(domain)]).toEqual(["Certificate issued: stuck", "action_needed"]);
  });

  test("that only a limit holds up needs no action", () => {
    const certificate = { status: "failing", problem: problem("rateLimited") } as const;
    expect(status({ stage: "issue_failed", certificate, ...verified })).toBe("checking");
  });

  test("that is overdue needs an action by the user", () => {
    const domain: Some = { stage: "verified", certificate: { status: "ssl_overdue" }, ...verified };
    expect([states(domain)[1], status(domain)]).toEqual(["Certificate ordered: stuck", "action_needed"]);
  });

  test("in use has the times of the history's newest events", () => {
    const history = [
      { event: "certificate_stored", at: "2026-11-20T09:58:00Z" },
      { event: "order_placed", at: "2026-11-20T09:57:00Z" },
      { event: "order_placed", at: "2026-11-20T09:00:00Z" },
    ] as const;
    const domain = domainOf({
      stage: "live",
      liveAt: CHECKED,
      certificate: { status: "in_use", notAfter: "2027-02-18T09:32:00Z" },
      ...verified,
    });
    expect(stepsOf(domain, history, false, NOW).slice(1)).toEqual([
      { name: "Certificate ordered", state: "done", at: "2026-11-20T09:57:00Z" },
      { name: "Certificate issued", state: "done", at: "2026-11-20T09:58:00Z" },
      { name: "Live", state: "done", at: CHECKED },
    ]);
  });

  test("that could not be renewed yet leaves the domain active", () => {
    const certificate = {
      status: "in_use",
      notAfter: "2026-12-18T09:32:00Z",
      problem: problem("unauthorized"),
    } as const;
    expect(status({ stage: "live", liveAt: CHECKED, certificate, ...verified })).toBe("active");
  });

  test("that has expired needs an action by the user", () => {
    const certificate = { status: "expired", notAfter: CHECKED } as const;
    const domain: Some = { stage: "live", liveAt: CHECKED, certificate, ...verified };
    expect([states(domain)[2], status(domain)]).toEqual(["Certificate issued: stuck", "action_needed"]);
  });
});

test("a live domain whose records are no longer right needs an action by the user", () => {
  const domain = { ...checked("no_record", {}, "live"), liveAt: CHECKED, failingSince: CHECKED };
  expect([states(domain).at(-1), status(domain)]).toEqual(["Live: stuck", "action_needed"]);
});

test("a live domain whose name server did not respond stays active", () => {
  expect(status({ ...checked("unreachable", {}, "live"), liveAt: CHECKED })).toBe("active");
});

describe("a suspended domain", () => {
  test("shows the reason at its last step, and no step of the DNS or the certificate as unfinished", () => {
    const suspended: Some = { stage: "suspended", verifiedAt: CHECKED };
    for (const checkedAt of [undefined, CHECKED])
      expect(states({ ...suspended, ...(checkedAt && { checkedAt }) }, [], true)).toEqual([
        "Record seen at your DNS provider: done",
        "Live: suspended",
      ]);
    expect(status(suspended)).toBe("action_needed");
  });

  test("keeps the steps of its certificate", () => {
    const certificate = { status: "in_use", notAfter: "2027-02-18T09:32:00Z" } as const;
    expect(
      states({ stage: "suspended", liveAt: CHECKED, certificate, verifiedAt: CHECKED }).slice(1),
    ).toEqual(["Certificate ordered: done", "Certificate issued: done", "Live: suspended"]);
  });
});
