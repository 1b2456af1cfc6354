import { expect, test } from "bun:test";
import { describeAttempt } from "../../../src/platform/certificates/summary.ts";
import { commandRooms } from "../../../src/app/command-rooms.ts";
import { formatTime } from "../../../src/lib/time.ts";
import { createTestCa } from "../../support/certificates.ts";
import { DAY, MINUTE, openIssuing } from "./issuing.ts";
import { outcomeOf } from "../../support/outcome.ts";

const NAME = "docs.example.org";
const { key, cert: chain } = await (await createTestCa()).issue([NAME]);

/** The service, and a command line that does something while the CA validates the name. */
const openBeside = async ({ isMet }: { isMet: boolean }) => {
  let beside = async (): Promise<unknown> => undefined;
  const room = await openIssuing({
    async validate() {
      await beside();
      beside = async () => {};
      return isMet;
    },
  });
  const { store, clock, ca, certificates, pass, verified } = room;
  const service = commandRooms({ ...store.context, clock }).certificates;
  const found = async () => {
    const known = await certificates.find(NAME);
    if (!known) throw new Error("the name is not known");
    return known;
  };
  const during = async (act: () => Promise<unknown>) => {
    beside = act;
    await verified(NAME);
    await pass();
  };
  /** Does something while the CA's renewal window is read. */
  const duringLook = async (act: () => Promise<unknown>) => {
    await verified(NAME);
    await pass();
    ca.failNext("renewal-info", async () => {
      await act();
      return new Response(null, { status: 503 });
    });
    await pass(DAY);
  };
  const imported = () => service.import(NAME, { key, chain });
  return { ...room, service, found, during, duringLook, imported };
};

test.each([false, true])(
  "an import while an order is under way stays, whether the order succeeds or not: %p",
  async (isMet) => {
    const { during, imported, found, pass, ca, stageOf } = await openBeside({ isMet });
    await during(imported);
    const { issued, nextAt, problem, failures, order } = await found();
    expect({ issued, problem, failures, order }).toMatchObject({
      issued: { ca: null, chain },
      problem: undefined,
      failures: 0,
      order: undefined,
    });
    expect(nextAt).toBeGreaterThan(Date.now() + DAY);
    expect(await stageOf(NAME)).toBe("live");
    await pass(DAY);
    expect(ca.orders()).toHaveLength(1);
  },
);

test("an order is described with its start and CA while it is under way, and not afterwards", async () => {
  const { during, service, found, ca } = await openBeside({ isMet: true });
  let description: string | undefined;
  await during(async () => {
    description = describeAttempt(await service.get(NAME));
  });
  expect(description).toStartWith(`an order is under way with ${ca.directory} since 20`);
  expect(describeAttempt(await found())).toBeUndefined();
});

test("a renewal requested during a failing attempt gets another attempt immediately", async () => {
  const { during, service, pass, ca } = await openBeside({ isMet: false });
  await during(() => service.renew(NAME));
  expect(ca.orders()).toHaveLength(1);
  await pass();
  expect(ca.orders()).toHaveLength(2);
  await pass();
  expect(ca.orders()).toHaveLength(2);
});

test("requests during each failing attempt get two orders in a minute", async () => {
  const { during, service, pass, ca } = await openBeside({ isMet: false });
  const renewMeanwhile = () => during(() => service.renew(NAME));
  for (let again = 0; again < 5; again++) await renewMeanwhile();
  expect(ca.orders()).toHaveLength(2);
  await pass(MINUTE);
  expect(ca.orders()).toHaveLength(3);
});

test("a request while the CA's renewal window is read gets another certificate immediately", async () => {
  const { duringLook, service, pass, ca } = await openBeside({ isMet: true });
  await duringLook(() => service.renew(NAME));
  await pass();
  expect(ca.certificates).toHaveLength(2);
});

test("a certificate that is revoked while the CA's renewal window is read is replaced immediately", async () => {
  const { duringLook, service, found, pass, ca } = await openBeside({ isMet: true });
  await duringLook(() => service.revoke(NAME));
  expect((await found()).issued).toBeUndefined();
  await pass();
  expect(ca.certificates).toHaveLength(2);
  expect((await found()).issued?.chain).toBe(ca.certificates[1]?.chain);
});

test("a certificate that is imported while the CA's renewal window is read stays", async () => {
  const { duringLook, imported, found, pass, ca } = await openBeside({ isMet: true });
  await duringLook(imported);
  await pass();
  expect((await found()).issued).toMatchObject({ ca: null, chain });
  expect(ca.certificates).toHaveLength(1);
});

test("a certificate that is imported while another is revoked stays", async () => {
  const { service, imported, found, pass, verified, ca } = await openBeside({ isMet: true });
  await verified(NAME);
  await pass();
  ca.failNext("revoke-cert", async () => {
    await imported();
    return new Response(null, { status: 200 });
  });
  await service.revoke(NAME);
  expect((await found()).issued?.chain).toBe(chain);
});

test("a request during a limit's wait is refused with a time that is not past", async () => {
  const { service, certificates, clock, verified, found, pass, ca } = await openBeside({ isMet: true });
  ca.failNext("new-order", { status: 429, problem: { type: "rateLimited", detail: "" }, retryAfter: 60 });
  await verified(NAME);
  await pass();
  await certificates.beginAttempt(await found(), clock.now());
  expect(await outcomeOf(service.renew(NAME))).toThrow(`The next attempt is at ${formatTime(clock.now())}.`);
});

test("an interrupted attempt continues at the next start", async () => {
  const { certificates, clock, verified, found, pass, ca } = await openBeside({ isMet: true });
  await verified(NAME);
  await pass();
  clock.advance(DAY);
  expect(await certificates.beginAttempt(await found(), clock.now())).toBeDefined();
  await pass();
  expect(ca.certificates).toHaveLength(2);
});
