import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { certificateQueue } from "../../../src/platform/certificates/queue.ts";
import { type Certificates, certificateRepository } from "../../../src/platform/certificates/repository.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { certificateEffects } from "../../../src/platform/domains/stage-repository.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

const BEFORE = migrations.findIndex(({ tag }) => tag === "0011_revisions");

const openMigrated = (...rows: [hostname: string, nextAt: number | null][]) => {
  const path = `${temporaryDirectory()}/store.db`;
  const old = new Client(path, { create: true });
  old.run("PRAGMA journal_mode=WAL");
  migrate(old, migrations.slice(0, BEFORE));
  for (const [hostname, nextAt] of rows)
    old.run(
      "INSERT INTO certificates (hostname, next_at, failures, renewals, created_at) VALUES (?, ?, 0, 0, 1)",
      [hostname, nextAt],
    );
  old.close();
  const database = openDatabase(path);
  atEnd(() => database.close());
  return certificateRepository(database, certificateEffects);
};

/** The certificates that are due at 100. */
const dueOf = (certificates: Certificates, limit: number) =>
  certificateQueue({ certificates, authorities: [], first: [], clock: { now: () => 100 } }).due(100, limit);

test.each<[what: string, was: number | null, is: object]>([
  ["that a user requested stays requested", 0, { nextAt: 0, isRequested: true, attemptSince: null }],
  ["whose attempt was under way continues it", -77, { nextAt: 0, isRequested: false, attemptSince: 77 }],
  ["that was due at a time is due then", 88, { nextAt: 88, isRequested: false, attemptSince: null }],
  ["that waits for a request still does", null, { nextAt: null, isRequested: false, attemptSince: null }],
])("after the upgrade a certificate %s", async (_what, was, is) => {
  const certificates = openMigrated(["docs.example.org", was]);
  expect(await certificates.find("docs.example.org")).toMatchObject(is);
  const due = await dueOf(certificates, 10);
  expect(due).toHaveLength(was === null ? 0 : 1);
});

test("requested and interrupted certificates are due before those that have waited longer", async () => {
  const certificates = openMigrated(
    ["late.example.org", 5],
    ["asked.example.org", 0],
    ["cut.example.org", -50],
  );
  const due = await dueOf(certificates, 2);
  expect(due.map(({ hostname }) => hostname).toSorted()).toEqual(["asked.example.org", "cut.example.org"]);
});

test("a request delays neither a scheduled attempt nor one under way", async () => {
  const certificates = openMigrated(["docs.example.org", 1]);
  const found = async () => (await certificates.find("docs.example.org"))!;
  const problem = { type: "connection", detail: "", subproblems: [] };
  for (const now of [1000, 2000]) {
    const attempt = (await certificates.beginAttempt(await found(), now))!;
    await certificates.fail(attempt, { problem, nextAt: now + 7000, refusedBy: "https://ca.example" }, now);
  }
  await certificates.request("docs.example.org", 3000);
  expect(await found()).toMatchObject({ nextAt: 9000, isRequested: true });
  await certificates.beginAttempt(await found(), 9000);
  await certificates.request("docs.example.org", 9500);
  expect(await found()).toMatchObject({ nextAt: 0, isRequested: true, attemptSince: 9000 });
});

test("a requested attempt comes a minute after the second newest refusal, regardless of older ones", async () => {
  const certificates = openMigrated(["docs.example.org", 1]);
  const found = async () => (await certificates.find("docs.example.org"))!;
  const problem = { type: "connection", detail: "", subproblems: [] };
  for (const now of [1000, 11_000, 31_000, 41_000]) {
    const attempt = (await certificates.beginAttempt(await found(), now))!;
    await certificates.fail(attempt, { problem, nextAt: 900_000, refusedBy: "https://ca.example" }, now);
  }
  await certificates.request("docs.example.org", 42_000);
  expect((await found()).nextAt).toBe(91_000);
});

test("an attempt begins once, regardless of how many processes read the same row", async () => {
  const certificates = openMigrated(["docs.example.org", 1]);
  const read = (await certificates.find("docs.example.org"))!;
  const begun = await Promise.all([2, 3, 4].map((now) => certificates.beginAttempt(read, now)));
  expect(begun).toEqual([{ hostname: "docs.example.org", attemptSince: 2 }, undefined, undefined]);
});

test("a certificate that is requested after it was read is not delayed", async () => {
  const certificates = openMigrated(["docs.example.org", 1]);
  const read = (await certificates.find("docs.example.org"))!;
  await certificates.request("docs.example.org", 2);
  await certificates.putOff(read, 1000);
  expect(await dueOf(certificates, 10)).toHaveLength(1);
});

test("an attempt that an import ended stays ended when another certificate is requested", async () => {
  const certificates = openMigrated(["docs.example.org", 1]);
  const attempt = await certificates.beginAttempt((await certificates.find("docs.example.org"))!, 2);
  const imported = {
    key: "k",
    chain: "imported",
    ca: null,
    notBefore: 0,
    notAfter: 1000,
    ariId: null,
  };
  await certificates.installImported("docs.example.org", imported, 900, 3);
  await certificates.request("docs.example.org", 2);
  const issued = { ...imported, chain: "issued", ca: "https://ca.test/" };
  expect(await certificates.install(attempt!, issued, 900, 4)).toBe(false);
  expect((await certificates.find("docs.example.org"))?.issued?.chain).toBe("imported");
});

test("an attempt that another process has taken over changes nothing any more, regardless of the clocks", async () => {
  const certificates = openMigrated(["docs.example.org", 1]);
  const read = async () => (await certificates.find("docs.example.org"))!;
  const stopped = (await certificates.beginAttempt(await read(), 2000))!;
  const current = (await certificates.beginAttempt(await read(), 1000))!;
  expect(current.attemptSince).toBe(2001);
  const [ca, problem] = ["https://ca.test/", { type: "unauthorized", detail: "", subproblems: [] }];
  const issued = { key: "k", chain: "c", ca, notBefore: 0, notAfter: 9000, ariId: null };
  await certificates.saveOrderKey(current, { ca, url: null, key: "key" });
  await certificates.saveOrder(current, { ca, url: "order" }, 3);
  const before = await read();
  expect(await certificates.saveOrderKey(stopped, { ca, url: null, key: "other" })).toBe(false);
  expect(await certificates.saveOrder(stopped, { ca, url: "other" }, 3)).toBe(false);
  expect(await certificates.saveChallenge(stopped, "t", "t.k")).toBe(false);
  expect(await certificates.install(stopped, issued, 900, 4)).toBe(false);
  expect(await certificates.forget(stopped)).toBe(false);
  await certificates.postpone(stopped, { problem, nextAt: 900 }, 4);
  await certificates.fail(stopped, { problem, nextAt: 900, refusedBy: ca }, 4);
  expect(await read()).toEqual(before);
  expect(await certificates.install(current, issued, 900, 4)).toBe(true);
});
