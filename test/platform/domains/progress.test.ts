import { describe, expect, test } from "bun:test";
import type { Verdict } from "../../../src/platform/dns-checks/verdict.ts";
import type { Domain } from "../../../src/platform/domains/domain.ts";
import { acceptsProof, progressOf } from "../../../src/platform/domains/progress.ts";
import { LAPSE_MS, nextWaitingCheck, WAITING_MS } from "../../../src/platform/domains/schedule.ts";
import {
  type StageEvent,
  type StoredStage,
  isWaiting,
  STORED_STAGES,
} from "../../../src/platform/domains/stage.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SINCE = Date.UTC(2026, 10, 20);

/** By default, one whose records have been right, unless it waits for them. */
const domain = (stage: StoredStage, more: Partial<Domain> = {}): Domain => ({
  id: 1,
  projectId: 1,
  hostname: "docs.example.org",
  stage,
  role: "primary",
  createdAt: SINCE,
  waitingSince: SINCE,
  checkedAt: null,
  nextCheckAt: null,
  failingSince: null,
  verifiedAt: isWaiting(stage) ? null : SINCE,
  liveAt: null,
  findings: [],
  ...more,
});

describe("what a check makes of a domain", () => {
  const NOW = SINCE + HOUR;
  const EVENTS = ["records_right", "records_wrong", "records_missing", undefined] as const;
  const KEPT = { waitingSince: SINCE, failingSince: null, verifiedAt: null, liveAt: null };

  test.each<[StoredStage, Verdict["event"], StoredStage, StageEvent[]]>([
    ["awaiting_dns", "records_right", "live", ["records_right", "served_over_http"]],
    ["awaiting_dns", "records_wrong", "dns_conflict", ["records_wrong"]],
    ["awaiting_dns", "records_missing", "awaiting_dns", []],
    ["awaiting_dns", undefined, "awaiting_dns", []],
    ["dns_conflict", "records_right", "live", ["records_right", "served_over_http"]],
    ["dns_conflict", "records_wrong", "dns_conflict", []],
    ["dns_conflict", "records_missing", "awaiting_dns", ["records_missing"]],
    ["dns_conflict", undefined, "dns_conflict", []],
    ["verified", "records_right", "live", ["records_right", "served_over_http"]],
    ["verified", "records_wrong", "dns_conflict", ["records_wrong"]],
    ["issue_failed", "records_right", "live", ["records_right", "served_over_http"]],
    ["live", "records_right", "live", []],
    ["live", "records_wrong", "live", []],
    ["live", "records_missing", "live", []],
    ["live", undefined, "live", []],
    ["issuing", "records_right", "issuing", []],
    ["issuing", "records_wrong", "issuing", []],
    ["suspended", "records_right", "suspended", []],
    ["suspended", "records_missing", "suspended", []],
  ])("%s and %s: %s", (stage, event, next, events) => {
    const { stage: after, events: happened } = progressOf(domain(stage), event, NOW);
    expect(after).toBe(next);
    expect(happened.map((one) => one.event)).toEqual(events);
    expect(happened.at(-1)?.stage ?? stage).toBe(next);
  });

  test("every pair of stage and event is covered", () => {
    for (const stage of STORED_STAGES)
      for (const event of EVENTS)
        expect(STORED_STAGES).toContain(progressOf(domain(stage), event, NOW).stage);
  });

  test("that waits: the times of the plan, and those at which it went live", () => {
    expect(progressOf(domain("awaiting_dns"), "records_missing", NOW)).toMatchObject({
      ...KEPT,
      nextCheckAt: SINCE + 70 * MINUTE,
    });
    expect(progressOf(domain("awaiting_dns"), "records_right", NOW)).toMatchObject({
      ...KEPT,
      verifiedAt: NOW,
      liveAt: NOW,
      nextCheckAt: NOW + DAY,
    });
  });

  test("that is live: fails from the first failure on, until a check is right", () => {
    const failing = progressOf(domain("live", { liveAt: SINCE }), "records_missing", NOW);
    expect(failing).toMatchObject({
      stage: "live",
      failingSince: NOW,
      liveAt: SINCE,
      nextCheckAt: NOW + DAY,
    });
    const still = progressOf(domain("live", { failingSince: SINCE }), "records_wrong", NOW);
    expect(still).toMatchObject({ stage: "live", failingSince: SINCE });
    const well = progressOf(domain("live", { failingSince: SINCE }), "records_right", NOW);
    expect(well).toMatchObject({ stage: "live", failingSince: null });
  });

  test.each(["records_wrong", "records_missing"] as const)(
    "that is live and has failed for 7 days: %s parks it, and it waits from then on",
    (event) => {
      const late = SINCE + LAPSE_MS;
      expect(progressOf(domain("live", { failingSince: SINCE }), event, late - 1).stage).toBe("live");
      expect(progressOf(domain("live", { failingSince: SINCE }), event, late)).toMatchObject({
        events: [{ event: "lapsed", stage: "awaiting_dns" }],
        stage: "awaiting_dns",
        waitingSince: late,
        failingSince: null,
        nextCheckAt: late + MINUTE / 6,
      });
    },
  );

  test("that came back from a suspension: checked often until it verifies", () => {
    const back = domain("live", { verifiedAt: SINCE, liveAt: SINCE + DAY, waitingSince: SINCE + DAY });
    const later = SINCE + DAY + MINUTE;
    expect(progressOf(back, undefined, later)).toMatchObject({
      stage: "live",
      verifiedAt: SINCE,
      nextCheckAt: later + 15 * MINUTE,
    });
    expect(progressOf(back, "records_right", later)).toMatchObject({
      stage: "live",
      verifiedAt: later,
      nextCheckAt: later + DAY,
    });
    expect(progressOf(back, "records_wrong", later)).toMatchObject({
      stage: "awaiting_dns",
      events: [{ event: "lapsed", stage: "awaiting_dns" }],
    });
    expect(progressOf(back, "records_missing", later)).toMatchObject({ stage: "live", failingSince: later });
  });

  test("that gets a certificate: is verified, and is not live before it has one", () => {
    expect(progressOf(domain("awaiting_dns"), "records_right", NOW, true)).toEqual({
      ...KEPT,
      events: [{ event: "records_right", stage: "verified" }],
      stage: "verified",
      verifiedAt: NOW,
      nextCheckAt: null,
    });
  });

  test.each(["issuing", "issue_failed", "suspended"] as const)("that is %s: no other check", (stage) => {
    expect(progressOf(domain(stage), undefined, NOW).nextCheckAt).toBeNull();
  });

  test("that waits without responses: checked after twice the time since the last check", () => {
    const now = SINCE + 3 * MINUTE;
    const waiting = domain("awaiting_dns", { checkedAt: SINCE + MINUTE });
    expect(progressOf(waiting, undefined, now).nextCheckAt).toBe(now + 4 * MINUTE);
    expect(progressOf(waiting, "records_missing", now).nextCheckAt).toBe(SINCE + 5 * MINUTE);
  });

  test.each<[string, Domain]>([
    ["went live as it was verified", domain("live", { verifiedAt: SINCE, liveAt: SINCE })],
    [
      "went live later, with its certificate",
      domain("live", { verifiedAt: SINCE - 1, liveAt: SINCE, waitingSince: SINCE - 1 }),
    ],
    ["has verified since", domain("live", { verifiedAt: SINCE + DAY, liveAt: SINCE })],
  ])("that %s: is not asked about soon again, and keeps its time", (_, live) => {
    expect(progressOf(live, undefined, NOW).nextCheckAt).toBe(NOW + DAY);
    expect(progressOf(live, "records_wrong", NOW)).toMatchObject({ stage: "live", failingSince: NOW });
    expect(progressOf(live, "records_right", NOW)).toMatchObject({
      verifiedAt: live.verifiedAt,
      liveAt: SINCE,
    });
  });

  /** A domain that holds its name by a proof: its records have never been right. */
  const unmoved = (stage: StoredStage, more: Partial<Domain> = {}) =>
    domain(stage, { verifiedAt: null, ...more });

  test.each(["verified", "issuing", "issue_failed", "live"] as const)(
    "that is %s and points to its old host: is checked like a waiting one, then daily, until it moves",
    (stage) => {
      const next = (now: number) => progressOf(unmoved(stage), "ownership_proven", now).nextCheckAt;
      expect(next(SINCE)).toBe(nextWaitingCheck(SINCE, SINCE));
      expect(next(NOW)).toBe(SINCE + 70 * MINUTE);
      expect(next(SINCE + WAITING_MS)).toBe(SINCE + WAITING_MS + DAY);
      expect(progressOf(unmoved(stage), undefined, NOW).nextCheckAt).toBe(SINCE + 70 * MINUTE);
      const moved = progressOf(unmoved(stage), "records_right", NOW, true);
      expect(moved).toMatchObject({ verifiedAt: NOW, nextCheckAt: stage === "live" ? NOW + DAY : null });
    },
  );

  test("that is live at its old host: does not fail while it is proven, and then fails like any other", () => {
    expect(progressOf(unmoved("live", { liveAt: SINCE }), "ownership_proven", NOW)).toMatchObject({
      events: [],
      failingSince: null,
      verifiedAt: null,
    });
    const failing = unmoved("live", { liveAt: SINCE, failingSince: SINCE });
    expect(progressOf(failing, "records_wrong", SINCE + LAPSE_MS - 1).stage).toBe("live");
    expect(progressOf(failing, "records_wrong", SINCE + LAPSE_MS).stage).toBe("awaiting_dns");
  });

  test("accepts a proof until its records have been right, or the proof has kept it live for 30 days", () => {
    expect(acceptsProof(unmoved("awaiting_dns"), SINCE + 365 * DAY)).toBe(true);
    expect(acceptsProof(unmoved("live", { liveAt: SINCE }), SINCE + 30 * DAY - 1)).toBe(true);
    expect(acceptsProof(unmoved("live", { liveAt: SINCE }), SINCE + 30 * DAY)).toBe(false);
    expect(acceptsProof(domain("awaiting_dns", { verifiedAt: SINCE }), SINCE)).toBe(false);
  });

  test("that waits again after it was live: is not treated as restored", () => {
    const waiting = domain("awaiting_dns", { verifiedAt: SINCE, liveAt: SINCE + MINUTE, checkedAt: NOW });
    expect(progressOf(waiting, undefined, NOW).nextCheckAt).toBe(NOW + 5 * MINUTE);
  });

  test("that moves without right records: keeps the time at which they were right", () => {
    expect(progressOf(domain("dns_conflict"), "records_missing", NOW).verifiedAt).toBeNull();
  });

  test("without responses never parks a domain, and is not a failure", () => {
    expect(progressOf(domain("live"), undefined, NOW)).toMatchObject({ stage: "live", failingSince: null });
    expect(progressOf(domain("live", { failingSince: SINCE }), undefined, SINCE + 30 * DAY)).toMatchObject({
      stage: "live",
      failingSince: SINCE,
      nextCheckAt: SINCE + 31 * DAY,
    });
  });
});
