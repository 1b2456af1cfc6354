import { expect, test } from "bun:test";
import { makeProject } from "../domains/projects.ts";
import { acmeCa } from "../../support/acme-ca.ts";
import { atEnd } from "../../support/store.ts";
import { MINUTE, openIssuing } from "./issuing.ts";

const HOUR = 60 * MINUTE;

/** This many names below different registered domains. */
const names = (count: number, label: string) =>
  Array.from({ length: count }, (_, index) => `docs.${label}-${index}.org`);

interface Queue {
  position: number;
  estimatedAt: string;
}

/** The service with the projects `docs` and `small`. */
const openQueue = async (ACME_LIMITS: string, env: Record<string, string> = {}, ...directories: string[]) => {
  const room = await openIssuing({}, { env: { ACME_LIMITS, ...env } }, ({ directory }) =>
    [directory, ...directories].join(","),
  );
  const { store, ca, add, show, pass, clock, certificates, stageOf } = room;
  await makeProject(store, "small");
  /** Adds domains without Verify: the service finds by itself that their records are right. */
  const attach = async (hostnames: readonly string[], slug = "docs") => {
    for (const hostname of hostnames) await add(hostname, slug);
    clock.advance(70_000);
    for (let checks = 0; checks < hostnames.length; checks += 5) await store.domainScheduler.tick();
  };
  const queueOf = async (hostname: string, slug = "docs") =>
    ((await show(hostname, slug)) as unknown as { certificate?: { queue?: Queue } }).certificate?.queue;
  const ordered = () => ca.orders().map(({ names: [name = ""] }) => name);
  const isIssued = async (hostname: string) => (await certificates.find(hostname))?.issued !== undefined;
  return { ...room, attach, queueOf, ordered, isIssued, pass, stageOf };
};

test("projects take turns, so one that added many domains first does not delay another", async () => {
  const { attach, pass, ordered } = await openQueue("none orders=3/3h");
  const many = names(10, "many");
  const one = names(1, "one");
  await attach(many);
  await attach(one, "small");
  await pass();
  expect(ordered().toSorted()).toEqual([...many.slice(0, 2), ...one].toSorted());
});

test("a project's orders in the window count as turns", async () => {
  const { attach, pass, ordered } = await openQueue("none orders=4/3h");
  await attach(names(2, "early"));
  await pass();
  const others = names(2, "other");
  await attach(names(5, "many"));
  await attach(others, "small");
  await pass();
  expect(ordered().slice(2).toSorted()).toEqual(others);
});

test("waiting names are not written to, and follow one by one as orders leave the window", async () => {
  const { attach, pass, certificates, ordered, clock } = await openQueue("none orders=4/3h");
  const many = names(10, "many");
  await attach(many);
  await pass();
  expect(ordered()).toHaveLength(4);
  const waiting = async () =>
    (await Promise.all(many.map((name) => certificates.find(name)))).filter((one) => !one?.issued);
  const before = await waiting();
  expect(before).toHaveLength(6);
  for (let again = 0; again < 5; again++) await pass(30 * MINUTE);
  expect(await waiting()).toEqual(before);
  expect(before.every((one) => one?.problem === undefined)).toBe(true);
  await pass(3 * HOUR - 5 * 30 * MINUTE);
  expect(ordered()).toHaveLength(8);
  clock.advance(3 * HOUR);
  await pass();
  expect(ordered()).toHaveLength(10);
});

test("a waiting domain shows its place and the estimated time of its turn, other domains do not", async () => {
  const { attach, pass, queueOf, show, stageOf, clock } = await openQueue("none orders=4/3h");
  const many = names(10, "many");
  await attach(many);
  await pass();
  expect(await queueOf(many[0]!)).toBeUndefined();
  clock.advance(HOUR);
  const places = await Promise.all(many.slice(4).map((name) => queueOf(name)));
  expect(places.map((place) => place?.position)).toEqual([1, 2, 3, 4, 5, 6]);
  const hours = places.map((place) => (Date.parse(place?.estimatedAt ?? "") - clock.now()) / HOUR);
  for (const first of hours.slice(0, 4)) expect(first).toBeWithin(1.9, 2.01);
  for (const second of hours.slice(4)) expect(second).toBeWithin(4.9, 5.01);
  expect(await stageOf(many[4]!)).toBe("verified");
  const { certificate } = (await show(many[4]!)) as unknown as { certificate: Record<string, unknown> };
  expect(certificate).toMatchObject({ status: "wanted", nextAttemptAt: places[0]?.estimatedAt });
});

test("a name is overdue if no attempt begins within 30 minutes of its turn", async () => {
  const { attach, pass, show, clock } = await openQueue("none orders=2/3h");
  const many = names(5, "many");
  await attach(many);
  await pass();
  const [next = "", last = ""] = [many[2], many[4]];
  const shown = async (hostname: string) =>
    ((await show(hostname)) as unknown as { certificate: { status: string; queue?: Queue } }).certificate;
  // The server has stopped: no attempt begins.
  clock.advance(3 * HOUR + 29 * MINUTE);
  const estimatedAt = new Date(clock.now()).toISOString();
  expect(await shown(next)).toMatchObject({ status: "wanted", queue: { position: 1, estimatedAt } });
  clock.advance(2 * MINUTE);
  expect(await shown(next)).not.toHaveProperty("queue");
  expect(await shown(next)).toMatchObject({ status: "ssl_overdue" });
  expect(await shown(last)).toMatchObject({ status: "wanted", queue: { position: 3 } });
});

test("a tenth of the orders is reserved for certificates that users request", async () => {
  const { attach, add, verify, pass, ordered, queueOf, isIssued } = await openQueue("none orders=20/3h");
  const many = names(30, "many");
  await attach(many);
  await pass();
  await pass();
  expect(ordered()).toHaveLength(18);
  const [mine = "", other = ""] = names(2, "mine");
  await add(mine, "small");
  await verify(mine, "small");
  await pass();
  expect(await isIssued(mine)).toBe(true);
  await attach([other], "small");
  await pass();
  expect((await queueOf(other, "small"))?.position).toBe(1);
  await verify(many[29]!);
  expect(await queueOf(many[29]!)).toBeDefined();
  await pass();
  expect(ordered()).toHaveLength(19);
});

test("an exhausted CA does not close the queue while another one takes orders", async () => {
  const second = await acmeCa();
  atEnd(() => second[Symbol.asyncDispose]());
  const { attach, pass, ordered, queueOf, isIssued } = await openQueue(
    "none orders=2/3h, none orders=3/3h",
    {},
    second.directory,
  );
  const many = names(7, "many");
  await attach(many);
  await pass();
  await pass();
  expect([ordered().length, second.orders().length]).toEqual([2, 3]);
  expect(await Promise.all(many.map(isIssued))).toEqual([true, true, true, true, true, false, false]);
  expect((await queueOf(many[5]!))?.position).toBe(1);
});

test("a CA without a limit on orders takes those that the others cannot", async () => {
  const second = await acmeCa();
  atEnd(() => second[Symbol.asyncDispose]());
  const { attach, pass, ordered, queueOf } = await openQueue("none orders=1/3h, none", {}, second.directory);
  const many = names(5, "many");
  await attach(many);
  await pass();
  expect([ordered().length, second.orders().length]).toEqual([1, 4]);
  expect(await queueOf(many[4]!)).toBeUndefined();
});

test("a name that a user requests is next among its project's names", async () => {
  const { attach, verify, pass, ordered, queueOf } = await openQueue("none orders=2/3h");
  const many = names(6, "many");
  await attach(many);
  await pass();
  await verify(many[5]!);
  expect((await queueOf(many[5]!))?.position).toBe(1);
  await pass(3 * HOUR - 1000);
  await pass(2000);
  expect(ordered().slice(2)).toContain(many[5]!);
});

test("a requested name whose attempt is delayed keeps its turn and may use the reserve", async () => {
  const { clock, attach, pass, verify, certificates, ca, ordered } = await openQueue("none orders=20/3h");
  const [one = "", other = "", mine = ""] = names(3, "mine");
  await attach(names(30, "many"));
  for (let again = 0; again < 2; again++) await pass();
  await attach([one, other, mine], "small");
  await pass();
  expect(ordered()).toHaveLength(18);
  for (let again = 0; again < 2; again++) {
    const attempt = await certificates.beginAttempt((await certificates.find(mine))!, clock.now());
    const problem = { type: "unauthorized", detail: "", subproblems: [] };
    const nextAt = clock.now() + 10 * MINUTE;
    await certificates.fail(attempt!, { problem, nextAt, refusedBy: ca.directory }, clock.now());
  }
  await verify(mine, "small");
  await pass();
  expect(ordered()).toHaveLength(18);
  await pass(MINUTE);
  expect(ordered().slice(18)).toEqual([mine]);
});

test("the service's own names come before all domains", async () => {
  const env = { API_HOSTS: "api.example.net", BASE_URL: "https://adopt.example.net" };
  const { attach, pass, ordered } = await openQueue("none orders=3/3h", env);
  await attach(names(5, "many"));
  await pass();
  expect(ordered()).toHaveLength(3);
  expect(ordered()).toContain("api.example.net");
  expect(ordered()).toContain("adopt.example.net");
});

test("a new name of the service uses the reserved orders", async () => {
  const BASE_URL = "https://adopt.example.net";
  const { store, attach, pass, ordered, isIssued } = await openQueue("none orders=20/3h", { BASE_URL });
  await attach(names(30, "many"));
  await pass();
  await pass();
  expect(ordered()).toHaveLength(18);
  // As if the name were new in the settings.
  store.database.client.run("delete from certificates where hostname = 'adopt.example.net'");
  await pass();
  expect(await isIssued("adopt.example.net")).toBe(true);
});

test("a renewal and an order under way need no place in the queue", async () => {
  const { ca, attach, pass, certificates, clock, isIssued } = await openQueue("none orders=2/3h");
  const [first = "", second = ""] = names(5, "many");
  ca.failNext("finalize", { status: 500 });
  await attach(names(5, "many"));
  await pass();
  await pass(5 * MINUTE);
  expect([await isIssued(first), await isIssued(second)]).toEqual([true, true]);
  await pass(3 * HOUR);
  await certificates.request(first, clock.now());
  await pass(3 * HOUR);
  expect(ca.orders().filter(({ names: [name] }) => name === first)).toHaveLength(2);
});

test("without a limit on orders, no name waits", async () => {
  const { attach, pass, ordered } = await openQueue("none");
  await attach(names(16, "many"));
  await pass();
  expect(ordered()).toHaveLength(16);
});
