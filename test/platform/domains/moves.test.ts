import { beforeAll, expect, test } from "bun:test";
import { domainRepository } from "../../../src/platform/domains/repository.ts";
import type { StageEvent, StoredStage } from "../../../src/platform/domains/stage.ts";
import { DAY, openIssuing } from "../certificates/issuing.ts";
import { faultOf, temporaryDirectory } from "../../support/store.ts";
import { makeProject, openProject } from "./projects.ts";
import { certificateQueue } from "../../../src/platform/certificates/queue.ts";
import { EXPECTED_TRANSITIONS } from "./transitions.ts";

/** Every move of a domain from stage to stage, each from a stage that it came to by the API or by its certificate. */

const CA = "https://ca.test/";
/** Nobody looks into it here. */
const PAIR = { key: "key", chain: "chain" };

/** Nobody lets time pass, so that a certificate is what a test says that it is. */
const openMoves = async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const room = await openIssuing({}, { path });
  const plain = await openProject({ path, clock: room.clock });
  return { ...room, plain, domains: domainRepository(room.store.database) };
};

let opened: Awaited<ReturnType<typeof openMoves>>;
let cases = 0;

beforeAll(async () => {
  opened = await openMoves();
});

/** A project and a name of their own in the service that all of these tests share. */
const openCase = async () => {
  const { store, fakeDns, certificates, clock, plain, ...room } = opened;
  cases++;
  const [slug, rival] = [`case${cases}`, `rival${cases}`];
  const name = `case${cases}.example.org`;
  await makeProject(store, slug);
  const show = () => room.show(name, slug);
  const verify = (by = slug) => room.verify(name, by);
  const add = () => room.add(name, slug);
  const addRival = async () => {
    await makeProject(store, rival);
    await room.add(name, rival);
    clock.advance(1);
    fakeDns.outcome = "records_right";
  };

  const check = (said: typeof fakeDns.outcome) => async () => {
    fakeDns.outcome = said;
    await verify();
  };
  const verified = async () => {
    await add();
    await check("records_right")();
  };
  const begin = async () => {
    await certificates.want([name], clock.now());
    return (await certificates.beginAttempt((await certificates.find(name))!, clock.now()))!;
  };
  const placeOrder = async () => {
    await certificates.saveOrder(await begin(), { ca: CA, url: `${CA}order/1` }, clock.now());
  };
  const refuse = async () => {
    const problem = { type: "unauthorized", detail: "It was not proven.", subproblems: [] };
    return certificates.fail(await begin(), { problem, nextAt: null, refusedBy: CA }, clock.now());
  };
  const storeCertificate = () => {
    const validity = { notBefore: clock.now() - DAY, notAfter: clock.now() + 90 * DAY };
    const issued = { ...PAIR, ca: null, ariId: null, ...validity };
    return certificates.installImported(name, issued, clock.now() + DAY, clock.now());
  };
  const setPlan = (plan: string) => room.api("PATCH", "", { json: { plan } }, slug);

  const reach: Record<StoredStage, () => Promise<unknown>> = {
    awaiting_dns: add,
    async dns_conflict() {
      await add();
      await check("records_wrong")();
    },
    verified,
    async issuing() {
      await verified();
      await placeOrder();
    },
    async issue_failed() {
      await verified();
      await placeOrder();
      await refuse();
    },
    async live() {
      await verified();
      await storeCertificate();
    },
    async suspended() {
      await verified();
      await setPlan("free");
    },
  };

  const happen: Record<StageEvent, () => Promise<unknown>> = {
    records_right: check("records_right"),
    async ownership_proven() {
      fakeDns.isClaimed = true;
      await check("records_wrong")();
      fakeDns.isClaimed = false;
    },
    records_wrong: check("records_wrong"),
    records_missing: check("records_missing"),
    async lapsed() {
      await check("records_missing")();
      clock.advance(8 * DAY);
      await verify();
    },
    async served_over_http() {
      plain.fakeDns.outcome = "records_right";
      await plain.verify(name, slug);
    },
    order_placed: placeOrder,
    certificate_stored: storeCertificate,
    issue_refused: refuse,
    plan_dropped: () => setPlan("free"),
    plan_restored: () => setPlan("pro"),
    async yielded() {
      await addRival();
      await verify(rival);
    },
  };
  return {
    name,
    slug,
    rival,
    show,
    verify,
    addRival,
    reach,
    happen,
    stageOf: async () => (await show()).stage,
    lastEvent: async () => (await room.events(name, slug)).at(-1),
  };
};

test.each(EXPECTED_TRANSITIONS)(
  "a domain that is %s moves on %s to %s, and its history says so",
  async (from, event, to) => {
    const { reach, happen, stageOf, lastEvent } = await openCase();
    await reach[from]();
    expect(await stageOf()).toBe(from);
    await happen[event]();
    expect(await stageOf()).toBe(to);
    expect(await lastEvent()).toBe(`${event} ${to}`);
  },
);

test.each<[stage: StoredStage, event: StageEvent]>([
  ["issuing", "records_wrong"],
  ["issuing", "records_missing"],
  ["live", "records_wrong"],
  ["live", "issue_refused"],
  ["live", "order_placed"],
  ["issue_failed", "issue_refused"],
  ["awaiting_dns", "certificate_stored"],
  ["dns_conflict", "certificate_stored"],
  ["awaiting_dns", "order_placed"],
  ["awaiting_dns", "issue_refused"],
  ["awaiting_dns", "plan_dropped"],
  ["dns_conflict", "plan_dropped"],
  ["suspended", "certificate_stored"],
])("a domain that is %s stays so on %s", async (stage, event) => {
  const { reach, happen, stageOf } = await openCase();
  await reach[stage]();
  await happen[event]();
  expect(await stageOf()).toBe(stage);
});

test("a verified domain that is found right again has been verified since then", async () => {
  const { clock } = opened;
  const { reach, happen, show } = await openCase();
  await reach.verified();
  const before = (await show())["verifiedAt"];
  clock.advance(DAY);
  await happen.records_right();
  expect(await show()).toMatchObject({
    stage: "verified",
    verifiedAt: expect.not.stringContaining(String(before)),
  });
});

test.each<[StoredStage, boolean]>([
  ["awaiting_dns", false],
  ["dns_conflict", false],
  ["verified", true],
  ["issuing", true],
  ["issue_failed", true],
  ["live", true],
  ["suspended", false],
])("a domain that is %s keeps its name against a project that is proven too: %p", async (stage, isKept) => {
  const { store, fakeDns } = opened;
  const { reach, addRival, slug, rival, verify, stageOf } = await openCase();
  await reach[stage]();
  const project = await (await store.call("GET", `/platform/projects/${slug}`)).json();
  await addRival();
  fakeDns.rivals = [(project as { target: string }).target];
  const answer = await verify(rival);
  fakeDns.rivals = [];
  if (isKept) expect(await faultOf(answer)).toBe("409 domain_taken");
  else expect(answer.status).toBe(200);
  const isWaiting = stage === "awaiting_dns" || stage === "dns_conflict";
  expect(await stageOf()).toBe(isKept || isWaiting ? stage : "dns_conflict");
});

test.each<[StoredStage, boolean]>([
  ["awaiting_dns", false],
  ["dns_conflict", false],
  ["verified", true],
  ["issuing", true],
  ["issue_failed", true],
  ["live", true],
  ["suspended", false],
])("a domain that is %s is to have a certificate: %p", async (stage, isWanted) => {
  const { store, domains } = opened;
  const { reach, name } = await openCase();
  await reach[stage]();
  store.database.client.run("delete from certificates");
  expect((await domains.uncertified(1000)).includes(name)).toBe(isWanted);
});

test.each<[StoredStage, boolean]>([
  ["dns_conflict", false],
  ["verified", true],
  ["issuing", true],
  ["issue_failed", true],
  ["live", false],
])("to verify a domain that is %s again orders its certificate at once: %p", async (stage, isOrdered) => {
  const { fakeDns, certificates, clock } = opened;
  const { reach, name, verify } = await openCase();
  await reach[stage]();
  clock.advance(1);
  await certificates.want([name], clock.now() + DAY);
  const found = await certificates.find(name);
  if (found) await certificates.putOff(found, clock.now() + DAY);
  fakeDns.outcome = "unreachable";
  await verify();
  const queue = certificateQueue({ certificates, authorities: [], first: [], clock });
  const due = await queue.due(clock.now(), 1000);
  expect(due.some(({ hostname }) => hostname === name)).toBe(isOrdered);
});

test.each<[StoredStage, number]>([
  ["awaiting_dns", 503],
  ["dns_conflict", 503],
  ["verified", 503],
  ["issuing", 503],
  ["issue_failed", 503],
  ["live", 200],
  ["suspended", 503],
])("the visitors of a domain that is %s get %i", async (stage, status) => {
  const { reach, name } = await openCase();
  await reach[stage]();
  expect((await opened.plain.store.visit(`http://${name}/`)).status).toBe(status);
});

test.each<[StoredStage, boolean]>([
  ["awaiting_dns", true],
  ["dns_conflict", true],
  ["verified", false],
  ["issuing", false],
  ["issue_failed", false],
  ["live", true],
  ["suspended", false],
])("a domain that is %s is checked by itself: %p", async (stage, isChecked) => {
  const { reach, verify, show } = await openCase();
  await reach[stage]();
  opened.fakeDns.outcome = "unreachable";
  await verify();
  expect((await show())["nextCheckAt"] !== undefined).toBe(isChecked);
});

test.each<[StoredStage, boolean]>([
  ["awaiting_dns", true],
  ["live", false],
  ["suspended", false],
])("a project that waits for a name that is %s elsewhere sees its certificate: %p", async (stage, isSeen) => {
  const { certificates, clock, show } = opened;
  const { reach, addRival, name, rival } = await openCase();
  await reach[stage]();
  await certificates.want([name], clock.now());
  await addRival();
  expect((await show(name, rival))["certificate"] !== undefined).toBe(isSeen);
});
