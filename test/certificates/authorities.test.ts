import { expect, test } from "bun:test";
import { acmeCa } from "../support/acme-ca.ts";
import { atEnd } from "../support/store.ts";
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

test("an authority that has had too many orders is not waited for: the next one is asked at once", async () => {
  const { ca, second, pass, verified, stageOf } = await openTwo();
  ca.failNext("new-order", tooMany(7200));
  await verified(NAME);
  await pass();
  expect(await stageOf(NAME)).toBe("live");
  expect([ca.orders().length, second.orders().length]).toEqual([0, 1]);
});

test("an authority that would refuse one more is not asked: the next one is", async () => {
  const { ca, second, clock, certificates, pass, verified, stageOf } = await openTwo();
  await verified(NAME);
  await certificates.want([NAME], clock.now());
  await certificates.request(NAME);
  const problem = { type: "unauthorized", detail: "no", subproblems: [] };
  for (let refusal = 0; refusal < 6; refusal++)
    await certificates.fail(NAME, { problem, nextAt: clock.now(), refusedBy: ca.directory }, clock.now());
  await pass();
  expect(await stageOf(NAME)).toBe("live");
  expect([ca.orders().length, second.orders().length]).toEqual([0, 1]);
});

test("when all have had too many, the one that says the least is waited for", async () => {
  const { ca, second, certificates, clock, pass, verified } = await openTwo();
  ca.failNext("new-order", tooMany(7200));
  second.failNext("new-order", tooMany(3600));
  await verified(NAME);
  await pass();
  const found = await certificates.find(NAME);
  expect(found).toMatchObject({ failures: 1, problem: { type: "rateLimited" } });
  expect(found?.nextAt).toBeWithin(clock.now() + 3500_000, clock.now() + 3600_000 * 1.1 + 1);
});

test("an authority that cannot be reached is followed by the next one at the next attempt", async () => {
  const { ca, second, pass, verified, stageOf } = await openTwo();
  await ca.down();
  await verified(NAME);
  await pass();
  await pass(2 * MINUTE);
  expect(await stageOf(NAME)).toBe("live");
  expect(second.orders()).toHaveLength(1);
});

test("a renewal that another authority does says nothing of what it replaces", async () => {
  const { ca, second, certificates, pass, verified } = await openTwo();
  await verified(NAME);
  await pass();
  ca.failNext("new-order", tooMany(7200));
  await pass(85 * DAY);
  expect(second.orders()).toHaveLength(1);
  expect(second.orders()[0]?.replaces).toBeUndefined();
  expect((await certificates.find(NAME))?.issued?.ca).toBe(second.directory);
});
