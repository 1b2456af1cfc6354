import { expect, test } from "bun:test";
import { isOverdue } from "../../../src/platform/certificates/certificate.ts";
import { type Notice, noticeCounts, noticeWarnings } from "../../../src/platform/domains/notice.ts";
import { noticeRepository } from "../../../src/platform/domains/notice-repository.ts";
import { DAY, MINUTE, openIssuing } from "../certificates/issuing.ts";
import { openProject } from "./projects.ts";
import type { Store } from "../../support/store.ts";

const NAME = "docs.example.org";

/** The changes of the name's notices in the audit log, oldest first, as a key sees them. */
const recorded = async (store: Store) => {
  const response = await store.call("GET", "/platform/audit?action=domain.noticed");
  const entries = (await response.json()) as { actor: object; resource: object; changes: object[] }[];
  return entries.toReversed();
};

const RESOURCE = { kind: "domain", id: NAME, parent: { kind: "project", id: "docs" } };
const began = (kind: string) => ({
  actor: { kind: "service" },
  resource: RESOURCE,
  changes: [{ field: "notice", to: kind }],
});
const ended = (kind: string) => ({ ...began(kind), changes: [{ field: "notice", from: kind }] });

/** A live domain whose records are wrong from now on. */
const openFailing = async () => {
  const project = await openProject();
  const { store, fakeDns, add, verify } = project;
  fakeDns.outcome = "records_right";
  await add(NAME);
  await verify(NAME);
  fakeDns.outcome = "records_wrong";
  await verify(NAME);
  const notices = noticeRepository(store.database);
  return { ...project, notices, update: () => notices.update(store.clock.now(), []) };
};

test("a live domain that stops verifying gets one notice, and so does its recovery", async () => {
  const { store, fakeDns, verify, notices, update } = await openFailing();
  for (let time = 0; time < 3; time++) await update();
  expect(notices.open()).toEqual([{ kind: "domain_failing", hostname: NAME, project: "docs" }]);
  expect(await recorded(store)).toMatchObject([began("domain_failing")]);
  fakeDns.outcome = "records_right";
  await verify(NAME);
  for (let time = 0; time < 3; time++) await update();
  expect(notices.open()).toEqual([]);
  expect(await recorded(store)).toMatchObject([began("domain_failing"), ended("domain_failing")]);
});

test("a domain that has lapsed keeps its notice until it verifies", async () => {
  const { store, verify, show, notices, update } = await openFailing();
  await update();
  store.clock.advance(8 * DAY);
  await verify(NAME);
  expect((await show(NAME)).stage).toBe("awaiting_dns");
  await update();
  expect(notices.open()).toMatchObject([{ kind: "domain_failing" }]);
});

test("a domain that never verified gets no notice", async () => {
  const { store, fakeDns, add, verify } = await openProject();
  fakeDns.outcome = "records_wrong";
  await add(NAME);
  await verify(NAME);
  const notices = noticeRepository(store.database);
  await notices.update(store.clock.now(), []);
  expect(notices.open()).toEqual([]);
});

test("a domain that is removed loses its notice", async () => {
  const { api, notices, update } = await openFailing();
  await update();
  await api("DELETE", `/domains/${NAME}`);
  await update();
  expect(notices.open()).toEqual([]);
});

test("a first certificate gets a notice after three failed orders in a row", async () => {
  const { store, verified, pass } = await openIssuing({ validate: async () => false });
  const notices = noticeRepository(store.database);
  await verified(NAME);
  const seen: number[] = [];
  for (let time = 0; time < 3; time++) {
    await pass(2 * DAY);
    await notices.update(store.clock.now(), []);
    seen.push(notices.open().filter(({ kind }) => kind === "orders_failed").length);
  }
  expect(seen).toEqual([0, 0, 1]);
  expect(await recorded(store)).toContainEqual(expect.objectContaining(began("orders_failed")));
});

test("a name without a certificate is reported after 30 minutes, also by readyz, until it has one", async () => {
  const { promise: decision, resolve } = Promise.withResolvers<boolean>();
  const { store, verified, pass, clock } = await openIssuing({ validate: () => decision });
  const notices = noticeRepository(store.database);
  const start = clock.now();
  await verified(NAME);
  await pass();
  await notices.update(start + 30 * MINUTE - 1, []);
  expect(notices.open()).toEqual([]);
  await notices.update(start + 31 * MINUTE, []);
  expect(notices.open()).toEqual([{ kind: "certificate_overdue", hostname: NAME, project: "docs" }]);
  expect(await (await store.call("GET", "/readyz")).json()).toMatchObject({
    warnings: [
      {
        code: "certificates_overdue",
        count: 1,
        message: `Names have no certificate after 30 minutes: ${NAME}. Run adoption-store certificates show ${NAME}`,
      },
    ],
  });
  const metrics = await (await store.call("GET", "/metrics")).text();
  expect(metrics).toContain('open_notices{kind="certificate_overdue"} 1');
  resolve(true);
  await pass(10 * MINUTE);
  await notices.update(clock.now(), []);
  expect(notices.open()).toEqual([]);
});

test("a missing certificate is reported for the service's own names, and only for domains that should have one", async () => {
  const { store, add, certificates } = await openIssuing();
  const notices = noticeRepository(store.database);
  for (const name of ["waits.example.org", "suspended.example.org", "verified.example.org"]) await add(name);
  store.database.client.run(
    "UPDATE domains SET stage = substr(hostname, 1, instr(hostname, '.') - 1) WHERE hostname NOT LIKE 'waits%'",
  );
  await certificates.want(
    ["waits.example.org", "suspended.example.org", "verified.example.org", "adopt.example.net"],
    0,
  );
  store.database.client.run(`UPDATE certificates SET problem = '{"type":"connection"}'`);
  await notices.update(DAY, []);
  expect(notices.open().map(({ hostname }) => hostname)).toEqual([
    "adopt.example.net",
    "verified.example.org",
  ]);
});

const caa = { type: "caa", detail: "", subproblems: [] };

test.each<[string, { problem?: object; attemptSince?: number; createdAt?: number }, boolean, boolean]>([
  ["that was never attempted", {}, false, true],
  ["that was added less than 30 minutes ago", { createdAt: DAY - 30 * MINUTE + 1 }, false, false],
  ["whose first attempt began just now, after hours in the queue", { attemptSince: DAY - 1 }, false, false],
  ["whose first attempt began 30 minutes ago", { attemptSince: DAY - 30 * MINUTE }, false, true],
  ["in the queue", {}, true, false],
  ["that a limit delays", { problem: { ...caa, type: "budget" } }, false, false],
  ["that a limit delays after a refusal", { problem: { ...caa, type: "budget", cause: caa } }, false, true],
  ["that the CA itself limits", { problem: { ...caa, type: "rateLimited" } }, false, true],
  ["that the CA has not decided", { problem: { ...caa, type: "undecided" } }, false, true],
  ["that the CA refused", { problem: caa }, false, true],
  ["that the CA refused and that is in the queue again", { problem: caa }, true, true],
])("the notice and the status agree about a name %s", async (_, row, isQueued, expected) => {
  const { store, certificates } = await openIssuing();
  const { problem, attemptSince = null, createdAt = 0 } = row;
  await certificates.want([NAME], createdAt);
  store.database.client.run("UPDATE certificates SET problem = ?, attempt_since = ?", [
    problem === undefined ? null : JSON.stringify(problem),
    attemptSince,
  ]);
  const notices = noticeRepository(store.database);
  await notices.update(DAY, isQueued ? [NAME] : []);
  const certificate = (await certificates.find(NAME))!;
  expect([notices.open().length > 0, isOverdue(certificate, DAY, isQueued)]).toEqual([expected, expected]);
});

test("a name stays reported when its owner verifies until a limit applies", async () => {
  const { store, verified, verify, pass, clock, certificates } = await openIssuing({
    validate: async () => false,
  });
  const notices = noticeRepository(store.database);
  await verified(NAME);
  await pass();
  clock.advance(31 * MINUTE);
  const kinds = async () => {
    await notices.update(clock.now(), []);
    return notices.open().map(({ kind }) => kind);
  };
  expect(await kinds()).toContain("certificate_overdue");
  for (let again = 0; again < 8; again++) {
    await verify(NAME);
    await pass(MINUTE);
  }
  const { problem } = (await certificates.find(NAME)) ?? {};
  expect(problem).toMatchObject({ type: "budget", cause: { type: "unauthorized" } });
  expect(await kinds()).toContain("certificate_overdue");
});

test("a certificate that could not be renewed has a notice until it is renewed", async () => {
  let isRight = true;
  const { store, verified, pass } = await openIssuing({ validate: async () => isRight });
  const notices = noticeRepository(store.database);
  await verified(NAME);
  await pass();
  isRight = false;
  await pass(80 * DAY);
  await notices.update(store.clock.now(), []);
  expect(notices.open()).toMatchObject([{ kind: "renewal_failed", hostname: NAME, project: "docs" }]);
  isRight = true;
  await pass(2 * DAY);
  await notices.update(store.clock.now(), []);
  expect(notices.open()).toEqual([]);
  expect(await recorded(store)).toMatchObject([began("renewal_failed"), ended("renewal_failed")]);
});

test("readyz and metrics show the notices", async () => {
  const { store, update } = await openFailing();
  await update();
  const ready = (await (await store.call("GET", "/readyz")).json()) as { warnings: object[] };
  expect(ready.warnings).toEqual([
    {
      code: "domains_fail",
      count: 1,
      message:
        "Domains that were live no longer verify: docs.example.org. Run adoption-store domains show docs.example.org --project docs",
    },
  ]);
  const metrics = await (await store.call("GET", "/metrics")).text();
  expect(metrics).toContain('open_notices{kind="domain_failing"} 1');
  expect(metrics).toContain('open_notices{kind="orders_failed"} 0');
});

const noticeOf = (at: number): Notice => ({
  kind: "renewal_failed",
  hostname: `${at}.example.org`,
  project: null,
});

test("a warning names ten host names at most", () => {
  const notices = Array.from({ length: 12 }, (_, index) => noticeOf(index));
  const [warning] = noticeWarnings(notices);
  expect(warning).toMatchObject({ code: "renewals_fail", count: 12 });
  expect(warning?.message).toContain(
    "9.example.org and 2 more. Run adoption-store certificates show 0.example.org",
  );
  expect(warning?.message).not.toContain("10.example.org");
  expect(noticeCounts(notices).get("renewal_failed")).toBe(12);
});

test("the project of a name with a notice is found by index, because every request for /readyz reads all notices", async () => {
  const { store } = await openProject();
  const plan = store.database.client
    .query(
      "explain query plan select project_id from domains d where d.hostname = 'a' order by d.verified_at",
    )
    .all();
  expect(plan).toMatchObject([{ detail: expect.stringContaining("INDEX domains_by_name (hostname=?)") }, {}]);
});
