import { expect, test } from "bun:test";
import type { Checks } from "../../src/domains/checks.ts";
import type { Domain } from "../../src/domains/domain.ts";
import type { Checkable } from "../../src/domains/read-repository.ts";
import { recordWatch } from "../../src/domains/record-watch.ts";
import { testClock } from "../support/store.ts";

test("a check that takes minutes holds up neither the next watch nor a stop", async () => {
  const domain = { id: 3, hostname: "docs.example.org", findings: [] } as unknown as Domain;
  const watched: Checkable = { domain, project: { id: 7, plan: "pro", targetLabel: "label" } };
  const report = JSON.stringify({ nameServers: ["192.0.2.53"], targetAddresses: [] });
  let [rounds, checks] = [0, 0];
  const watch = recordWatch({
    domains: {
      async watched() {
        rounds += 1;
        return [watched];
      },
      trace: async () => report,
    },
    repeatQuery: async () => false,
    probe: async () => true,
    probeChallenge: async () => false,
    checks: {
      run() {
        checks += 1;
        return new Promise(() => {});
      },
    } satisfies Checks,
    clock: testClock(),
    targetOf: (label) => `${label}.pages.test`,
    onError(error) {
      throw error;
    },
    patienceMs: 10,
  });
  await watch.tick();
  await watch.tick();
  expect([rounds, checks]).toEqual([2, 1]);
  await watch.stop();
});
