import { expect, test } from "bun:test";
import { makeProject } from "../domains/projects.ts";
import type { AcmeCaOptions } from "../../support/acme-ca.ts";
import type { StoreSettings } from "../../support/store.ts";
import { WILDCARD, openDelegating } from "./dns-issuing.ts";
import { DAY, MINUTE, openIssuing } from "./issuing.ts";

const NAME = "docs.example.test";
const CHALLENGE = `_acme-challenge.${NAME}`;

/** The service with the waiting domain NAME. */
const openDelegated = async (options: AcmeCaOptions = {}, settings: StoreSettings = {}) => {
  const room = await openDelegating(CHALLENGE, options, settings);
  room.fakeDns.outcome = "records_missing";
  await room.pass();
  const orders = () => room.ca.orders().filter(({ names }) => names.includes(NAME));
  return { ...room, target: room.valueFor, orders };
};

test("a domain that delegates its challenge is live before its records change, and stays live when they do", async () => {
  const { add, verify, pass, delegate, target, orders, proven, zone, stageOf, https, fakeDns, ...room } =
    await openDelegated();
  const { clock, events, show } = room;
  await add(NAME);
  delegate(await target());
  await verify(NAME);
  await pass();
  expect(orders()).toHaveLength(1);
  expect(proven.at(-1)).toBe(`dns-01 ${NAME}`);
  expect(zone.acts.slice(-2)).toEqual([`add ${await target()}`, `remove ${await target()}`]);
  expect(https.certificates.hasValid(NAME)).toBe(true);
  expect(await show(NAME)).toMatchObject({
    stage: "live",
    findings: [{ kind: "not_moved", found: [] }, { kind: "no_record" }],
  });
  expect(await show(NAME)).not.toHaveProperty("verifiedAt");
  expect(Date.parse(String((await show(NAME))["nextCheckAt"]))).toBeLessThan(clock.now() + MINUTE);
  fakeDns.outcome = "records_right";
  await verify(NAME);
  expect(await stageOf(NAME)).toBe("live");
  expect(await show(NAME)).toMatchObject({ verifiedAt: expect.any(String), findings: [] });
  await pass();
  expect(orders()).toHaveLength(1);
  expect(await events(NAME)).toEqual([
    "added awaiting_dns",
    "ownership_proven verified",
    "order_placed issuing",
    "certificate_stored live",
    "records_right live",
  ]);
});

test("a domain that is live before its move needs no record for a certificate", async () => {
  const { add, verify, pass, delegate, target, fakeDns, show } = await openDelegated();
  await add(NAME);
  delegate(await target());
  await verify(NAME);
  await pass();
  delegate("elsewhere.example.test");
  fakeDns.isClaimed = true;
  await verify(NAME);
  const { stage, findings } = await show(NAME);
  expect([stage, findings[0]?.kind]).toEqual(["live", "not_moved"]);
  expect(findings[0]).not.toHaveProperty("challenge");
});

test("a live domain that delegates its challenge is renewed by its record, without port 80", async () => {
  const { pass, delegate, target, orders, proven, fakeDns, attempted } = await openDelegated();
  fakeDns.outcome = "records_right";
  delegate(await target());
  await attempted(NAME);
  await pass(85 * DAY);
  await pass(DAY);
  expect(orders().length).toBeGreaterThan(1);
  expect(new Set(proven.filter((one) => one.endsWith(NAME)))).toEqual(new Set([`dns-01 ${NAME}`]));
});

test("a challenge that is delegated to another project orders nothing", async () => {
  const { store, add, verify, pass, delegate, target, certificates } = await openDelegated();
  await makeProject(store, "other");
  await add(NAME);
  delegate(await target("other"));
  await verify(NAME);
  await pass();
  expect(await certificates.find(NAME)).toBeUndefined();
});

test("of two projects that wait for a name, the one that the challenge names gets the record", async () => {
  const { store, add, verify, pass, delegate, target, zone, orders } = await openDelegated();
  await makeProject(store, "other");
  await add(NAME);
  await add(NAME, "other");
  delegate(await target("other"));
  await verify(NAME);
  await verify(NAME, "other");
  await pass();
  expect(zone.acts).toContain(`add ${await target("other")}`);
  expect(zone.acts).not.toContain(`add ${await target()}`);
  expect(orders()).toHaveLength(1);
});

test("a delegated challenge that disappears before the order proves nothing", async () => {
  const { add, verify, pass, delegate, target, orders, problemOf } = await openDelegated();
  await add(NAME);
  delegate(await target());
  await verify(NAME);
  delegate("elsewhere.example.test");
  await pass();
  expect(orders()).toEqual([]);
  expect((await problemOf(NAME))?.type).toBe("records");
});

test("a domain with only a proof waits for the move, and its certificate is ordered once a check sees the move", async () => {
  const { store, clock, add, verify, pass, certificates, fakeDns, orders, delegate, show, target } =
    await openDelegated();
  await add(NAME);
  delegate("elsewhere.example.test", `${NAME} A 127.0.0.1`);
  Object.assign(fakeDns, { outcome: "records_wrong", isClaimed: true });
  await verify(NAME);
  const value = await target();
  const created = `create a CNAME record with the name ${CHALLENGE} and the value ${value}.`;
  expect(await show(NAME)).toMatchObject({
    findings: [{ challenge: { name: CHALLENGE, value }, message: expect.stringContaining(created) }],
  });
  await pass();
  const waiting = await certificates.find(NAME);
  expect(waiting?.problem).toMatchObject({ type: "not_moved" });
  expect(waiting).toMatchObject({ failures: 0, nextAt: clock.now() + 10 * MINUTE });
  fakeDns.outcome = "records_right";
  clock.advance(2 * MINUTE);
  await store.domainScheduler.tick();
  expect((await certificates.find(NAME))?.isRequested).toBe(true);
  await pass();
  expect(orders()).toHaveLength(1);
});

test("the record of a domain that is removed while its CA decides is removed too", async () => {
  const undecided = Promise.withResolvers<boolean>();
  const { store, add, verify, pass, delegate, target, zone } = await openDelegated({
    validate: async (_type, name) => (name === NAME ? undecided.promise : true),
  });
  await add(NAME);
  delegate(await target());
  await verify(NAME);
  await pass();
  await pass();
  expect(zone.acts.at(-1)).toBe(`add ${await target()}`);
  await store.call("DELETE", `/platform/projects/docs/domains/${NAME}`);
  await pass();
  expect(zone.acts.at(-1)).toBe(`remove ${await target()}`);
  const { length } = zone.acts;
  await pass();
  expect(zone.acts).toHaveLength(length);
  undecided.resolve(false);
});

test("CAA records choose between the delegated challenge and a connection", async () => {
  const { delegate, target, proven, fakeDns, attempted } = await openDelegated();
  fakeDns.outcome = "records_right";
  delegate(await target(), 'example.test CAA 0 issue "letsencrypt.org;validationmethods=http-01"');
  await attempted(NAME);
  expect(proven.at(-1)).toBe(`http-01 ${NAME}`);
});

test("a domain whose CAA records allow only dns-01 must delegate its challenge", async () => {
  const { delegate, orders, fakeDns, attempted, problemOf } = await openDelegated();
  fakeDns.outcome = "records_right";
  delegate("elsewhere.example.test", 'example.test CAA 0 issue "letsencrypt.org;validationmethods=dns-01"');
  await attempted(NAME);
  expect(orders()).toEqual([]);
  expect((await problemOf(NAME))?.detail).toEndWith(
    'Add a record with the value "letsencrypt.org; validationmethods=http-01,tls-alpn-01".',
  );
});

test("a check names the record that makes dns-01 possible, until it exists", async () => {
  const room = await openDelegated({}, { dns: { timeoutMs: 3000, attempts: 1 } });
  const { add, verify, show, delegate, target } = room;
  const caa = 'example.test CAA 0 issue "letsencrypt.org;validationmethods=dns-01"';
  const challenges = async (value: string) => {
    delegate(value, caa);
    await verify(NAME);
    const { findings } = await show(NAME);
    return findings.flatMap((one) => (one.kind === "caa_forbids" ? [one["challenge"]] : []));
  };
  await add(NAME);
  expect(await challenges("elsewhere.example.test")).toEqual([{ name: CHALLENGE, value: await target() }]);
  expect(await challenges(await target())).toEqual([]);
});

test("CAA records that forbid the certificate stop the order before any request to the CA", async () => {
  const { add, verify, pass, delegate, target, orders, problemOf } = await openDelegated();
  await add(NAME);
  delegate(await target(), 'example.test CAA 0 issue "other.test"');
  await verify(NAME);
  await pass();
  expect(orders()).toEqual([]);
  expect((await problemOf(NAME))?.detail).toStartWith(
    'The CAA records of example.test (0 issue "other.test") forbid the certificate: add one that allows',
  );
});

test("a project whose plan has no custom domains gets no certificate in advance", async () => {
  const { add, api, verify, pass, delegate, target, orders } = await openDelegated();
  await add(NAME);
  delegate(await target());
  await verify(NAME);
  await api("PATCH", "", { json: { plan: "free" } });
  await pass();
  expect(orders()).toEqual([]);
});

test("a domain that is removed loses the certificate that it had in advance", async () => {
  const { add, api, verify, pass, delegate, target, names } = await openDelegated();
  await add(NAME);
  delegate(await target());
  await verify(NAME);
  await pass();
  expect(await names()).toEqual([WILDCARD, NAME]);
  await api("DELETE", `/domains/${NAME}`);
  expect(await names()).toEqual([WILDCARD]);
});

test("a domain that is removed while its record is created is not proven, and the record is removed", async () => {
  const { add, api, verify, pass, delegate, target, names, proven, zone } = await openDelegated();
  await add(NAME);
  delegate(await target());
  await verify(NAME);
  const { records } = zone;
  const create = records.add;
  records.add = async (name, value) => {
    await create(name, value);
    await api("DELETE", `/domains/${NAME}`);
  };
  await pass();
  expect(zone.acts.slice(-2)).toEqual([`add ${await target()}`, `remove ${await target()}`]);
  expect(proven).not.toContain(`dns-01 ${NAME}`);
  expect(zone.count()).toBe(0);
  expect(await names()).toEqual([WILDCARD]);
});

test("a domain shows the optional record, if the service can publish records", async () => {
  const { add, show, target } = await openDelegated();
  await add(NAME);
  const value = await target();
  expect(await show(NAME)).toMatchObject({
    challengeRecord: {
      type: "CNAME",
      name: "_acme-challenge.docs",
      value,
      ttl: 3600,
      bind: `${CHALLENGE}. 3600 IN CNAME ${value}.`,
    },
  });
  const plain = await openIssuing();
  await plain.add(NAME);
  expect(await plain.show(NAME)).not.toHaveProperty("challengeRecord");
});
