import { beforeEach, expect, spyOn, test } from "bun:test";
import { followDomain } from "../../src/cli/domains.ts";
import { printCertificate } from "../../src/cli/print/domain.ts";
import type { DomainFinding } from "../../src/platform/dns-checks/finding.ts";
import { fromDomain } from "../../src/platform/domains/model.ts";
import type { InspectedDomain } from "../../src/platform/domains/domain.ts";
import { atEnd } from "../support/store.ts";
import { addDomain, addSite } from "../edge/projects.ts";
import { openShared } from "./program.ts";

test("`domains list` and `domains show` show the reason of a suspension", async () => {
  const { store, run } = await openShared();
  await addSite(store, "docs");
  addDomain(store, "docs", "docs.example.org", { stage: "suspended" });
  addDomain(store, "docs", "www.example.org");
  const outputOf = async (...argv: string[]) => (await run("domains", ...argv, "--project", "docs")).out;
  const stages = (await outputOf("list")).split("\n").map((line) => line.split(/ {2,}/)[1]);
  expect(stages.slice(0, 3)).toEqual(["STAGE", "suspended (the plan is below Pro)", "live"]);
  expect(await outputOf("show", "docs.example.org")).toStartWith(
    "docs.example.org: suspended\n  The project's plan is below Pro, so the domain is not served. Change the plan",
  );
  expect(JSON.parse(await outputOf("show", "docs.example.org", "--json"))).toMatchObject({
    stage: "suspended",
    suspension: { reason: "plan_below_pro" },
  });
});

/** A project with a live domain and a live wildcard. @returns the output of `domains remove` before the question */
const advice = async (hostname: string): Promise<string> => {
  const { store, run } = await openShared();
  await addSite(store, "docs");
  addDomain(store, "docs", "*.example.net");
  addDomain(store, "docs", "docs.example.org", { role: "primary" });
  return (await run("domains", "remove", hostname, "--project", "docs")).out;
};

test("a wildcard cannot be redirected before its removal, and takes no redirect", async () => {
  expect(await advice("*.example.net")).toBe(
    "*.example.net is live: its traffic stops being served immediately.\n",
  );
  const lines = await advice("docs.example.org");
  expect(lines).toContain("adoption-store domains add OTHER --project docs --wait");
  expect(lines).not.toContain("*.example.net");
});

const NAME = "docs.example.org";

const domain = (stage: InspectedDomain["stage"], ...findings: DomainFinding[]): InspectedDomain => ({
  id: 3,
  projectId: 5,
  hostname: NAME,
  stage,
  role: "primary",
  createdAt: 1,
  waitingSince: 1,
  checkedAt: 2,
  nextCheckAt: null,
  failingSince: null,
  verifiedAt: null,
  liveAt: null,
  findings,
  project: "docs",
  target: "abc.cname.example.net",
});

beforeEach(() => {
  const sleep = spyOn(Bun, "sleep").mockResolvedValue();
  atEnd(() => sleep.mockRestore());
});

/** Follows a domain that has these states one after the other. @returns the calls, and the stages that were printed */
const follow = async (...states: InspectedDomain[]) => {
  const calls: string[] = [];
  const printed: string[] = [];
  const next = (call: string) => async () => {
    calls.push(call);
    return states.shift() ?? domain("live");
  };
  const domains = { verify: next("verify"), get: next("get") };
  await followDomain(domains, "docs", NAME, ({ stage }) => void printed.push(stage));
  return { calls, printed };
};

test("a domain is verified until its records are right, and then only read until it is live", async () => {
  const { calls } = await follow(
    domain("awaiting_dns"),
    domain("awaiting_dns"),
    domain("verified"),
    domain("issuing"),
    domain("issue_failed"),
    domain("issue_failed"),
  );
  expect(calls).toEqual(["verify", "get", "verify", "get", "get", "get", "get"]);
});

test("a domain whose certificate failed is verified once, and then only read", async () => {
  const { calls } = await follow(domain("verified"), domain("issue_failed"));
  expect(calls).toEqual(["verify", "get", "get"]);
});

test("a domain that the server verifies meanwhile is not verified again", async () => {
  const { calls } = await follow(domain("awaiting_dns"), domain("issuing"));
  expect(calls).toEqual(["verify", "get", "get"]);
});

test("a domain that waits for its records again is verified again", async () => {
  const { calls } = await follow(domain("verified"), domain("dns_conflict"), domain("verified"));
  expect(calls).toEqual(["verify", "get", "verify", "get"]);
});

test("a finding that differs only in its remaining seconds is printed once", async () => {
  const cached = (seconds: number) =>
    domain("verified", { kind: "not_propagated", name: NAME, server: "192.0.2.53", seconds });
  const { printed } = await follow(cached(598), cached(588), cached(12), domain("verified"));
  expect(printed).toEqual(["verified", "verified", "live"]);
});

test.each([
  ["unauthorized", "2026-03-04T05:06:07.000Z, or within a minute if you verify the domain again."],
  ["budget", "2026-03-04T05:06:07.000Z."],
  ["rateLimited", "2026-03-04T05:06:07.000Z."],
])("the next attempt after the problem %s is at %s", (type, expected) => {
  let out = "";
  const write = spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  atEnd(() => write.mockRestore());
  const problem = { type, detail: "", subproblems: [] };
  const nextAttemptAt = "2026-03-04T05:06:07.000Z";
  const certificate = { status: "failing", problem, failures: 1, nextAttemptAt } as const;
  printCertificate(fromDomain({ ...domain("issue_failed"), certificate }));
  write.mockRestore();
  expect(out).toContain(`Next attempt: ${expected}\n`);
});
