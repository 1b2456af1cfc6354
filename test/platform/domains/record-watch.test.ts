import { expect, test } from "bun:test";
import { pino } from "pino";
import type { Database } from "../../../src/data/db/open.ts";
import type { Checks } from "../../../src/platform/domains/checks.ts";
import type { Domain } from "../../../src/platform/domains/domain.ts";
import type { Checkable } from "../../../src/platform/domains/domain.ts";
import { recordWatch } from "../../../src/platform/domains/record-watch.ts";
import { contextOf, testClock } from "../../support/store.ts";

const SERVERS = ["192.0.2.53", "192.0.2.54"];
const CAA_QUERY = { server: SERVERS[0], name: "docs.example.org", type: "CAA", outcome: "NOERROR" };

/** A watch of one domain whose records are right at the first server, and that no check improves. */
const openWatch = (
  domain: Partial<Domain>,
  options: Partial<Parameters<typeof recordWatch>[1]> = {},
  check: () => Promise<"recorded"> = async () => "recorded",
) => {
  const watched = {
    domain: { id: 3, hostname: "docs.example.org", findings: [], ...domain },
    project: { id: 7, plan: "pro", targetLabel: "label" },
  } as unknown as Checkable;
  const trace = JSON.stringify({ nameServers: SERVERS, targetAddresses: [], questions: [CAA_QUERY] });
  const counts = { rounds: 0, checks: 0 };
  const clock = testClock();
  const error = ({ err }: { err: unknown }) => {
    throw err;
  };
  const log = Object.assign(pino({ level: "silent" }), { error });
  // A watch reads only through the repository that it is given.
  const context = contextOf({} as Database, { clock, log });
  const watch = recordWatch(context, {
    domains: {
      async watched() {
        counts.rounds += 1;
        return [watched];
      },
      trace: async () => trace,
    },
    repeatQuery: async () => false,
    probe: async () => true,
    probeChallenge: async () => false,
    checks: {
      run() {
        counts.checks += 1;
        return check();
      },
    } satisfies Checks,
    ...options,
  });
  return { watch, counts, clock };
};

/** A domain whose CAA records allow only dns-01. */
const forbidden = {
  stage: "verified",
  findings: [{ kind: "caa_forbids", challenge: { name: "_acme-challenge.docs.example.org", value: "x" } }],
} as unknown as Partial<Domain>;

test("a check that takes minutes holds up neither the next watch nor a stop", async () => {
  const { watch, counts } = openWatch({}, { patienceMs: 10 }, () => new Promise(() => {}));
  await watch.tick();
  await watch.tick();
  expect(counts).toEqual({ rounds: 2, checks: 1 });
  await watch.stop();
});

test("a challenge record causes one check, once every server has it", async () => {
  const holders = new Set(["192.0.2.53"]);
  const probeChallenge = async (_: unknown, { address }: { address: string }) => holders.has(address);
  const { watch, counts, clock } = openWatch(forbidden, { probeChallenge });
  const watchFor = async (minutes: number) => {
    for (let round = 0; round < minutes * 3; round++) {
      clock.advance(20_000);
      await watch.tick();
    }
  };
  await watchFor(3);
  expect(counts.checks).toBe(0);
  holders.add("192.0.2.54");
  await watchFor(3);
  expect(counts.checks).toBe(1);
  holders.delete("192.0.2.54");
  await watchFor(1);
  holders.add("192.0.2.54");
  await watchFor(1);
  expect(counts.checks).toBe(2);
});

test("a domain that moves after a fruitless check for its challenge record is checked again", async () => {
  let hasMoved = false;
  const { watch, counts } = openWatch(
    {
      findings: [{ kind: "not_moved", challenge: { name: "_acme-challenge.docs.example.org", value: "x" } }],
    } as never,
    { probeChallenge: async () => true, probe: async () => hasMoved },
  );
  await watch.tick();
  await watch.tick();
  expect(counts.checks).toBe(1);
  hasMoved = true;
  await watch.tick();
  await watch.tick();
  expect(counts.checks).toBe(2);
});

test("CAA records that change all the time cause one check a minute", async () => {
  const { watch, counts, clock } = openWatch(forbidden, { repeatQuery: async () => true });
  for (let round = 0; round < 15; round++) {
    await watch.tick();
    clock.advance(20_000);
  }
  expect(counts.checks).toBe(5);
});
