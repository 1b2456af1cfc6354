import { expect, test } from "bun:test";
import type { DomainFinding } from "../../../src/platform/dns-checks/finding.ts";
import { openProject } from "./projects.ts";

const HOUR = 3_600_000;
const NAME = "docs.example.org";
const START = "2026-11-20T00:00:00.000Z";
const [FIRST, SECOND, RESOLVER] = ["192.0.2.1", "192.0.2.2", "192.0.2.53"] as const;

const silent = (server: string, reason = "timeout"): DomainFinding => ({
  kind: "unreachable",
  name: NAME,
  server,
  reason,
});

const openSilence = async (...findings: DomainFinding[]) => {
  const opened = await openProject();
  const { fakeDns, store, add, verify, show } = opened;
  fakeDns.nameServers = [FIRST, SECOND];
  await add(NAME);
  /** Checks the domain so many hours later. */
  const after = async (hours: number, ...now: DomainFinding[]) => {
    store.clock.advance(hours * HOUR);
    fakeDns.findings = now;
    await verify(NAME);
    return (await show(NAME)).findings;
  };
  await after(0, ...findings);
  return { ...opened, after };
};

const responsibleIn = (findings: { [field: string]: unknown }[]) =>
  findings.map(({ responsible }) => responsible);

/** A silence that somebody must end is not a hint. */
const advice = (server: string) => ({
  isHint: false,
  title: `The name server ${server} did not respond`,
  changes: [],
});

const OPERATOR = "The operator of this service must find out why its resolver gives no usable response.";
const DNS_PROVIDER = "Ask the DNS provider to repair the name servers of the zone.";

test.each([
  [FIRST, "dns_provider", DNS_PROVIDER],
  [RESOLVER, "operator", OPERATOR],
])(
  "after a day without a response from %s, somebody must act: the %s",
  async (server, responsible, words) => {
    const { after } = await openSilence(silent(server));
    const before = { kind: "unreachable", since: START, responsible: "nobody" };
    expect(await after(23, silent(server))).toMatchObject([before]);
    expect(await after(1, silent(server, "refused"))).toEqual([
      {
        ...silent(server, "refused"),
        since: START,
        responsible,
        ...advice(server),
        message: `${server} gave no usable response for ${NAME}: refused. No check has received a response since 2026-11-20 00:00 UTC. ${words}`,
      },
    ]);
  },
);

test("the first check that sees a silence reports no start, because no earlier check has seen it", async () => {
  const finding: DomainFinding = { ...silent(FIRST), responsible: "dns_provider" } as DomainFinding;
  const { show, after } = await openSilence(finding);
  const words = `${FIRST} gave no usable response for ${NAME}: timeout.`;
  expect((await show(NAME)).findings).toEqual([
    { ...finding, ...advice(FIRST), message: `${words} ${DNS_PROVIDER}` },
  ]);
  const since = "No check has received a response since 2026-11-20 00:00 UTC.";
  expect(await after(1, finding)).toMatchObject([{ message: `${words} ${since} ${DNS_PROVIDER}` }]);
});

test("a response ends the silence of a server, and of no other", async () => {
  const { after } = await openSilence(silent(FIRST), silent(RESOLVER));
  await after(1, silent(RESOLVER));
  const found = await after(23, silent(FIRST), silent(RESOLVER));
  expect(found).toMatchObject([
    { server: FIRST, responsible: "nobody" },
    { server: RESOLVER, since: START, responsible: "operator" },
  ]);
  expect(found[0]).not.toHaveProperty("since");
});

test("the responsible party is named immediately if the check shows it", async () => {
  const { after } = await openSilence();
  const finding: DomainFinding = {
    kind: "unreachable",
    name: NAME,
    server: FIRST,
    reason: "timeout",
    responsible: "operator",
  };
  expect(responsibleIn(await after(0, finding))).toEqual(["operator"]);
  expect(responsibleIn(await after(24, finding))).toEqual(["operator"]);
});

test("a live domain with silent servers stays live, and its history says once that somebody must act", async () => {
  const { after, fakeDns, show, history } = await openSilence();
  fakeDns.outcome = "records_right";
  await after(0);
  fakeDns.outcome = "unreachable";
  for (let hours = 0; hours <= 72; hours += 12) await after(12, silent(FIRST));
  expect(await show(NAME)).toMatchObject({ stage: "live" });
  expect(await show(NAME)).not.toHaveProperty("failingSince");
  const silences = (await history(NAME)).filter(({ event }) => event === "unreachable");
  expect(silences.map(({ stage, findings }) => [stage, ...responsibleIn(findings as [])])).toEqual([
    ["live", "dns_provider"],
    ["live", "nobody"],
  ]);
});

test("a silence that was stored without its beginning begins with the check that found it", async () => {
  const { after, store } = await openSilence(silent(FIRST));
  store.database.client.run("update domains set findings = ?", [JSON.stringify([silent(FIRST)])]);
  expect(await after(24, silent(FIRST))).toMatchObject([{ since: START, responsible: "dns_provider" }]);
});
