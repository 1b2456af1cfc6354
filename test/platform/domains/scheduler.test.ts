import { expect, jest, test } from "bun:test";
import { pino } from "pino";
import {
  domainChecks,
  MAX_CONCURRENT,
  MAX_PER_TICK,
  domainScheduler,
} from "../../../src/platform/domains/checks.ts";
import { domainRepository } from "../../../src/platform/domains/repository.ts";
import { stageRepository } from "../../../src/platform/domains/stage-repository.ts";
import { stagesThat } from "../../../src/platform/domains/stage.ts";
import { atEnd, type Store, temporaryDirectory } from "../../support/store.ts";
import { openProject, openFakeDns } from "./projects.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lets time pass in steps, with a look for what is due at each. */
const pass = async (store: Store, ms: number, step: number) => {
  for (let gone = 0; gone < ms; gone += step) {
    store.clock.advance(step);
    await store.domainScheduler.tick();
  }
};

test("a waiting domain is checked on schedule, for 48 hours", async () => {
  const { store, add, fakeDns, show, api } = await openProject();
  await add("docs.example.org");
  const counts: number[] = [];
  for (const minutes of [0.1, 0.1, 0.2, 0.3, 0.4, 1.1, 3.2, 5.2, 16.2]) {
    await pass(store, minutes * MINUTE, 6000);
    counts.push(fakeDns.asked.length);
  }
  expect(counts).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  await pass(store, 50 * HOUR, MINUTE);
  // Jitter delays each check a little, so there are slightly fewer than 198.
  expect(fakeDns.asked.length).toBeGreaterThan(170);
  expect(fakeDns.asked.length).toBeLessThan(199);
  expect(await show("docs.example.org")).toMatchObject({ stage: "awaiting_dns" });
  expect(await show("docs.example.org")).not.toHaveProperty("nextCheckAt");
  const before = fakeDns.asked.length;
  await pass(store, DAY, 10 * MINUTE);
  expect(fakeDns.asked.length).toBe(before);
  fakeDns.outcome = "records_right";
  const answer = await api("POST", "/domains/docs.example.org/verify");
  expect(await answer.json()).toMatchObject({ stage: "live" });
});

test("checks with the same result leave one event, with its actor", async () => {
  const { store, add, fakeDns, history } = await openProject();
  await add("docs.example.org");
  await pass(store, HOUR, MINUTE);
  fakeDns.outcome = "records_wrong";
  await pass(store, HOUR, MINUTE);
  fakeDns.outcome = "records_right";
  await pass(store, HOUR, MINUTE);
  const rows = (await history("docs.example.org")).map(({ actor, event }) => `${actor} ${event}`);
  expect(rows.toReversed()).toEqual([
    "key added",
    "service records_missing",
    "service records_wrong",
    "service records_right",
    "service served_over_http",
  ]);
});

test("a live domain is checked daily; one that fails is reported for 7 days, then parked", async () => {
  const { store, add, fakeDns, show, events, verify } = await openProject();
  await add("docs.example.org");
  fakeDns.outcome = "records_right";
  await verify("docs.example.org");
  fakeDns.asked.length = 0;
  await pass(store, 10 * DAY, 10 * MINUTE);
  expect(fakeDns.asked.length).toBe(9);
  fakeDns.outcome = "records_missing";
  await pass(store, 1.1 * DAY, 10 * MINUTE);
  const failing = await show("docs.example.org");
  expect(failing).toMatchObject({ stage: "live", findings: [{ kind: "no_record" }] });
  const since = Date.parse(String(failing["failingSince"]));
  while (store.clock.now() < since + 7 * DAY - 10 * MINUTE) {
    store.clock.advance(10 * MINUTE);
    await store.domainScheduler.tick();
    expect((await store.visit("http://docs.example.org/")).status).toBe(200);
  }
  await pass(store, HOUR, 10 * MINUTE);
  expect(await show("docs.example.org")).toMatchObject({ stage: "awaiting_dns" });
  expect((await store.visit("http://docs.example.org/")).status).toBe(503);
  expect((await events("docs.example.org")).slice(3)).toEqual([
    "records_missing live",
    "lapsed awaiting_dns",
  ]);
  // It waits again: a mended record brings it back by itself.
  fakeDns.outcome = "records_right";
  await pass(store, HOUR, 10 * MINUTE);
  expect(await show("docs.example.org")).toMatchObject({ stage: "live" });
});

test("a live domain whose servers are silent stays served", async () => {
  const { store, add, fakeDns, show, verify } = await openProject();
  await add("docs.example.org");
  fakeDns.outcome = "records_right";
  await verify("docs.example.org");
  fakeDns.outcome = "unreachable";
  await pass(store, 30 * DAY, HOUR);
  expect(await show("docs.example.org")).toMatchObject({
    stage: "live",
    findings: [{ kind: "unreachable" }],
  });
  expect(await show("docs.example.org")).not.toHaveProperty("failingSince");
});

test("checks that were due while the service was down run once after the next start", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const first = await openProject({ path });
  await first.add("docs.example.org");
  const second = await openProject({ path, clock: first.store.clock });
  second.store.clock.advance(3 * HOUR);
  for (let at = 0; at < 5; at++) await second.store.domainScheduler.tick();
  expect(second.fakeDns.asked).toEqual(["docs.example.org"]);
});

/** A scheduler over very many domains that wait, all of them due. */
const openMany = async (count: number) => {
  const { store, add } = await openProject();
  await add("docs.example.org");
  const { client } = store.database;
  client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count - 1})
    insert into domains (project_id, hostname, stage, role, created_at, waiting_since, next_check_at, findings)
    select project_id, 'd' || i || '.example.org', stage, 'served', created_at, waiting_since, next_check_at, findings
    from domains, n`,
  );
  const { fakeDns, inspect } = openFakeDns();
  const repository = { ...domainRepository(store.database), ...stageRepository(store.database) };
  const failures: unknown[] = [];
  const error = ({ err }: { err: unknown }) => failures.push(err);
  const context = { ...store.context, log: Object.assign(pino({ level: "silent" }), { error }) };
  const schedulerOf = (domains = repository) =>
    domainScheduler(context, domains, domainChecks(context, domains, inspect));
  return { store, fakeDns, repository, schedulerOf, scheduler: schedulerOf(), failures };
};

test("10,000 waiting domains cause no burst: a limited number each second, and each gets its turn", async () => {
  const { store, fakeDns, scheduler } = await openMany(10_000);
  store.clock.advance(10 * MINUTE);
  const rounds = 10_000 / MAX_PER_TICK;
  for (let second = 0; second < rounds; second++) {
    const before = fakeDns.asked.length;
    await scheduler.tick();
    expect(fakeDns.asked.length - before).toBeLessThanOrEqual(MAX_PER_TICK);
  }
  expect(new Set(fakeDns.asked).size).toBe(10_000);
  // The next time they are spread over a tenth of the wait.
  const next = store.database.client
    .query("select count(distinct next_check_at) as times from domains")
    .get() as { times: number };
  expect(next.times).toBeGreaterThan(5000);
}, 60_000);

test("silent servers delay a limited number of checks, and none twice", async () => {
  const { store, fakeDns, scheduler } = await openMany(200);
  store.clock.advance(10 * MINUTE);
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  fakeDns.delay = () => silence;
  const ticks = [];
  for (let second = 0; second < 10; second++) {
    ticks.push(scheduler.tick());
    await Bun.sleep(1);
  }
  expect(fakeDns.asked.length).toBe(MAX_CONCURRENT);
  expect(new Set(fakeDns.asked).size).toBe(MAX_CONCURRENT);
  answer();
  await Promise.all(ticks);
  await scheduler.tick();
  expect(fakeDns.asked.length).toBe(MAX_CONCURRENT + MAX_PER_TICK);
});

test("a stopped scheduler does not wait for silent servers, and stores nothing more", async () => {
  const { store, fakeDns, scheduler, repository } = await openMany(10);
  store.clock.advance(10 * MINUTE);
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  fakeDns.delay = () => silence;
  fakeDns.outcome = "records_right";
  const ticked = scheduler.tick();
  await Bun.sleep(1);
  jest.useFakeTimers();
  const stopping = scheduler.stop();
  jest.advanceTimersByTime(1000);
  jest.useRealTimers();
  await stopping;
  answer();
  await ticked;
  await scheduler.tick();
  expect(fakeDns.asked.length).toBe(10);
  expect((await repository.due(store.clock.now(), 100)).length).toBe(10);
});

test("a check that cannot be stored is reported, delays no other, and is repeated a minute later", async () => {
  const { store, fakeDns, repository, schedulerOf, failures } = await openMany(100);
  store.clock.advance(10 * MINUTE);
  let isFull = true;
  const scheduler = schedulerOf({
    ...repository,
    async record(check) {
      if (isFull && check.domain.hostname !== "d99.example.org") throw new Error("full");
      return repository.record(check);
    },
  });
  for (let second = 0; second < 20; second++) await scheduler.tick();
  expect(fakeDns.asked.length).toBe(100);
  expect(failures.length).toBe(99);
  expect((await repository.due(store.clock.now(), 200)).length).toBe(99);
  isFull = false;
  store.clock.advance(MINUTE);
  for (let second = 0; second < 20; second++) await scheduler.tick();
  expect(fakeDns.asked.length).toBe(199);
  expect((await repository.due(store.clock.now(), 200)).length).toBe(0);
});

test("a plan restored while its domains' checks stop leaves none unchecked", async () => {
  const { store, repository, schedulerOf } = await openMany(3);
  store.clock.advance(10 * MINUTE);
  const scheduler = schedulerOf({
    ...repository,
    async due(now, limit) {
      const found = await repository.due(now, limit);
      // As it was a moment ago.
      return found.map(({ domain, project }) => ({ domain, project: { ...project, plan: "free" as const } }));
    },
  });
  await scheduler.tick();
  expect((await repository.due(store.clock.now(), 100)).length).toBe(3);
});

/** Lets what has begun end; what waits for a timer does not. */
const turns = async () => {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test("a scheduler looks every second from start to stop", async () => {
  const { store, fakeDns, scheduler } = await openMany(2);
  store.clock.advance(10 * MINUTE);
  jest.useFakeTimers();
  atEnd(() => jest.useRealTimers());
  scheduler.start();
  jest.advanceTimersByTime(999);
  await turns();
  expect(fakeDns.asked.length).toBe(0);
  jest.advanceTimersByTime(1);
  await turns();
  expect(fakeDns.asked.length).toBe(2);
  store.clock.advance(DAY);
  jest.advanceTimersByTime(1000);
  await turns();
  expect(fakeDns.asked.length).toBe(4);
  await scheduler.stop();
  store.clock.advance(DAY);
  jest.advanceTimersByTime(5000);
  await turns();
  expect(fakeDns.asked.length).toBe(4);
});

test("due domains and the holder of a name are found by index", async () => {
  const { store } = await openProject();
  const plan = (sql: string) =>
    (store.database.client.query(`explain query plan ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join("; ");
  expect(plan("select 1 from domains where next_check_at <= 1 order by next_check_at, id limit 20")).toMatch(
    /USING (COVERING )?INDEX domains_due \(next_check_at</,
  );
  expect(
    plan(
      `select 1 from domains other where other.hostname = 'a' and other.stage in ('${stagesThat("isHeld").join("', '")}')`,
    ),
  ).toContain("domains_held");
});
