import { expect, test } from "bun:test";
import { acmeCa } from "../../support/acme-ca.ts";
import { atEnd } from "../../support/store.ts";
import { DAY, MINUTE, openIssuing } from "./issuing.ts";

const NAME = "docs.example.org";

const tooMany = (retryAfter: number) => ({
  status: 429,
  problem: { type: "rateLimited", detail: "too many" },
  retryAfter,
});

/** The service with two authorities. */
const openTwo = async () => {
  const second = await acmeCa();
  atEnd(() => second[Symbol.asyncDispose]());
  const room = await openIssuing({}, {}, ({ directory }) => `${directory},${second.directory}`);
  return { ...room, second };
};

test("a CA that has had too many orders is skipped, and the next one gets the order immediately", async () => {
  const { ca, second, pass, verified, stageOf } = await openTwo();
  ca.failNext("new-order", tooMany(7200));
  await verified(NAME);
  await pass();
  expect(await stageOf(NAME)).toBe("live");
  expect([ca.orders().length, second.orders().length]).toEqual([0, 1]);
});

test("a CA whose limit is reached gets no request, and the next one gets the order", async () => {
  const { ca, second, clock, certificates, pass, verified, stageOf } = await openTwo();
  await verified(NAME);
  await certificates.want([NAME], clock.now());
  await certificates.request(NAME, clock.now());
  const problem = { type: "unauthorized", detail: "no", subproblems: [] };
  for (let refusal = 0; refusal < 6; refusal++)
    await certificates.fail(
      { hostname: NAME, attemptSince: 1 },
      { problem, nextAt: clock.now(), refusedBy: ca.directory },
      clock.now(),
    );
  await pass();
  expect(await stageOf(NAME)).toBe("live");
  expect([ca.orders().length, second.orders().length]).toEqual([0, 1]);
});

test("when all CAs have had too many orders, the shortest Retry-After counts", async () => {
  const { ca, second, certificates, clock, pass, verified } = await openTwo();
  ca.failNext("new-order", tooMany(7200));
  second.failNext("new-order", tooMany(3600));
  await verified(NAME);
  await pass();
  const found = await certificates.find(NAME);
  expect(found).toMatchObject({ failures: 1, problem: { type: "rateLimited" } });
  expect(found?.nextAt).toBeWithin(clock.now() + 3500_000, clock.now() + 3600_000 * 1.1 + 1);
});

test("after a CA that cannot be reached, the next attempt goes to the next CA", async () => {
  const { ca, second, pass, verified, stageOf } = await openTwo();
  await ca.down();
  await verified(NAME);
  await pass();
  await pass(2 * MINUTE);
  expect(await stageOf(NAME)).toBe("live");
  expect(second.orders()).toHaveLength(1);
});

test("a renewal at another CA does not name the certificate it replaces", async () => {
  const { ca, second, certificates, pass, verified } = await openTwo();
  await verified(NAME);
  await pass();
  ca.failNext("new-order", tooMany(7200));
  await pass(85 * DAY);
  expect(second.orders()).toHaveLength(1);
  expect(second.orders()[0]?.replaces).toBeUndefined();
  expect((await certificates.find(NAME))?.issued?.ca).toBe(second.directory);
});
