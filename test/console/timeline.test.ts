import { describe, expect, test } from "bun:test";
import type { Domain, Event, Finding } from "../../src/console/ui/domains/model.ts";
import { isCertified, timelineOf } from "../../src/console/ui/domains/timeline.ts";

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

const stepsOf = (domain: Some, history: Event[] = [], isSecured = false) =>
  timelineOf({ findings: [], ...domain }, history, isSecured, NOW);

const states = (...given: Parameters<typeof stepsOf>) =>
  stepsOf(...given).map(({ name, state }) => `${name}: ${state}`);

const checked = (
  kind: Finding["kind"],
  more: Partial<Finding> = {},
  stage: Domain["stage"] = "awaiting_dns",
) => ({
  stage,
  checkedAt: CHECKED,
  nextCheckAt: SOON,
  trace,
  findings: [{ kind, message: "", name: "docs.example.org", ...more }],
});

const SEEN = "Record seen at your DNS provider";
const EVERYWHERE = "Record seen by everyone else";

describe("a domain that waits for its record", () => {
  test("and was not checked yet waits for the provider first", () => {
    const [first, second] = stepsOf({ stage: "awaiting_dns", nextCheckAt: SOON });
    expect(first).toEqual({
      name: SEEN,
      state: "now",
      words: "Not checked yet. The next check is in 2 minutes.",
    });
    expect(second?.state).toBe("later");
  });

  test("that is not there waits at the provider", () => {
    expect(states(checked("no_record"))).toEqual([`${SEEN}: now`, `${EVERYWHERE}: later`, "Live: later"]);
  });

  test("with another record in its place needs somebody to act", () => {
    expect(states(checked("conflicting_record", {}, "dns_conflict"))[0]).toBe(`${SEEN}: stuck`);
    expect(states(checked("wrong_target", {}, "dns_conflict"))[0]).toBe(`${SEEN}: stuck`);
  });

  test("that has not reached everyone is done at the provider", () => {
    expect(states(checked("not_propagated"))).toEqual([`${SEEN}: done`, `${EVERYWHERE}: now`, "Live: later"]);
  });

  test("with a silent resolver is done at the provider", () => {
    expect(states(checked("unreachable", { server: "192.0.2.53" })).slice(0, 2)).toEqual([
      `${SEEN}: done`,
      `${EVERYWHERE}: now`,
    ]);
  });

  test("with a silent provider is not done there", () => {
    expect(states(checked("unreachable", { server: AUTHORITY }))[0]).toBe(`${SEEN}: now`);
  });

  test("that is right but does not name the project needs one more step", () => {
    expect(states(checked("ownership_unproven"))).toEqual([
      `${SEEN}: done`,
      `${EVERYWHERE}: done`,
      "Linked to this project: stuck",
      "Live: later",
    ]);
  });

  test("after 48 hours says that it is no longer checked automatically", () => {
    const { nextCheckAt: _, ...domain } = checked("no_record");
    expect(stepsOf(domain)[0]?.words).toContain("no longer checked automatically");
  });
});

describe("a certificate", () => {
  const verified = { verifiedAt: CHECKED };

  test("is not expected while HTTPS is off", () => {
    expect(states({ stage: "live", liveAt: CHECKED, ...verified })).toEqual([
      `${SEEN}: done`,
      `${EVERYWHERE}: done`,
      "Live: done",
    ]);
  });

  test("is expected while HTTPS is on, before it is ordered", () => {
    expect(states({ stage: "awaiting_dns", nextCheckAt: SOON }, [], true).slice(2)).toEqual([
      "Certificate ordered: later",
      "Certificate issued: later",
      "Live: later",
    ]);
    expect(isCertified({ stage: "awaiting_dns", findings: [] }, false)).toBe(false);
  });

  test("is ordered, then issued", () => {
    expect(states({ stage: "verified", certificate: { status: "wanted" }, ...verified }).slice(2)).toEqual([
      "Certificate ordered: now",
      "Certificate issued: later",
      "Live: later",
    ]);
    expect(states({ stage: "issuing", certificate: { status: "ordered" }, ...verified }).slice(2)).toEqual([
      "Certificate ordered: done",
      "Certificate issued: now",
      "Live: later",
    ]);
  });

  test("that was refused needs somebody to act", () => {
    expect(states({ stage: "issue_failed", certificate: { status: "failing" }, ...verified })[3]).toBe(
      "Certificate issued: stuck",
    );
  });

  test("in use has the times of the history's newest events", () => {
    const event = (event: Event["event"], at: string): Event => ({
      event,
      at,
      actor: "service",
      stage: "live",
      findings: [],
    });
    const history = [
      event("certificate_stored", "2026-11-20T09:58:00Z"),
      event("order_placed", "2026-11-20T09:57:00Z"),
      event("order_placed", "2026-11-20T09:00:00Z"),
    ];
    const domain: Some = {
      stage: "live",
      liveAt: CHECKED,
      certificate: { status: "in_use", notAfter: "2027-02-18T09:32:00Z" },
      ...verified,
    };
    expect(stepsOf(domain, history).slice(2)).toEqual([
      { name: "Certificate ordered", state: "done", at: "2026-11-20T09:57:00Z" },
      { name: "Certificate issued", state: "done", at: "2026-11-20T09:58:00Z" },
      { name: "Live", state: "done", at: CHECKED },
    ]);
  });

  test("that has expired needs somebody to act", () => {
    const certificate = { status: "expired", notAfter: CHECKED } as const;
    expect(states({ stage: "live", liveAt: CHECKED, certificate, ...verified })[3]).toBe(
      "Certificate issued: stuck",
    );
  });
});

test("a live domain whose records are no longer right needs somebody to act", () => {
  const domain = { ...checked("no_record", {}, "live"), liveAt: CHECKED, failingSince: CHECKED };
  expect(states(domain).at(-1)).toBe("Live: stuck");
});

test("a suspended domain says which plan it needs", () => {
  expect(stepsOf({ stage: "suspended", verifiedAt: CHECKED }).at(-1)?.words).toContain("Pro or above");
});
