import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { testClock } from "../../support/store.ts";
import { DAY, MINUTE, openIssuing } from "./issuing.ts";

const NAME = "docs.example.org";

test("rule 6: a domain that verifies gets a certificate by itself, and is live then", async () => {
  const { ca, asked, certificates, pass, verified, stageOf, events, https } = await openIssuing();
  await verified(NAME);
  expect(await stageOf(NAME)).toBe("verified");
  await pass();
  expect(await stageOf(NAME)).toBe("live");
  expect(await events(NAME)).toEqual([
    "added awaiting_dns",
    "records_right verified",
    "order_placed issuing",
    "certificate_stored live",
  ]);
  expect(asked).toEqual([NAME]);
  const found = await certificates.find(NAME);
  expect(found).toMatchObject({ failures: 0, order: undefined, problem: undefined });
  const leaf = new X509Certificate(found?.issued?.chain ?? "");
  expect(leaf.checkHost(NAME)).toBe(NAME);
  expect(ca.orders()).toHaveLength(1);
  expect(https.certificates.hasValid(NAME)).toBe(true);
});

test("every certificate has a separate key, and the account is the same", async () => {
  const { ca, certificates, verified, attempted } = await openIssuing();
  await verified(NAME);
  await attempted("other.example.org");
  const keys = (await certificates.list({ after: "", limit: 10 })).map(({ issued }) => issued?.key);
  expect(new Set(keys).size).toBe(2);
  expect(ca.accounts()).toHaveLength(1);
});

test("the service's own public names and its projects' get one each, addresses and local names none", async () => {
  const env = {
    PLATFORM_DOMAIN: "sites.example.net",
    BASE_URL: "https://adopt.example.net",
    API_HOSTS: "api.example.net,store.local",
  };
  const { certificates, https, pass } = await openIssuing({}, { env });
  await pass();
  const names = ["adopt.example.net", "api.example.net", "docs.sites.example.net"];
  expect((await certificates.list({ after: "", limit: 10 })).map(({ hostname }) => hostname)).toEqual(names);
  expect(names.filter((name) => !https.certificates.hasValid(name))).toEqual([]);
});

test("a public name of the service whose row is erased is requested again", async () => {
  const { certificates, clock, pass } = await openIssuing({}, { env: { API_HOSTS: "api.example.net" } });
  await pass();
  const found = await certificates.find("api.example.net");
  const attempt = await certificates.beginAttempt(found!, clock.now());
  expect(await certificates.forget(attempt!)).toBe(true);
  await pass();
  expect((await certificates.find("api.example.net"))?.issued).toBeDefined();
});

test("a domain whose plan drops is suspended from any stage, and nothing is ordered for it", async () => {
  const { ca, api, pass, verified, stageOf } = await openIssuing();
  await verified(NAME);
  await api("PATCH", "", { json: { plan: "free" } });
  expect(await stageOf(NAME)).toBe("suspended");
  await pass();
  expect(ca.orders()).toEqual([]);
});

test("nothing is ordered before the operator agrees to the terms of service, and the reason is given", async () => {
  const { ca, stageOf, attempted, problemOf } = await openIssuing({}, { env: { ACME_AGREE_TOS: "false" } });
  await attempted(NAME);
  expect(ca.orders()).toEqual([]);
  expect(await stageOf(NAME)).toBe("verified");
  expect(await problemOf(NAME)).toMatchObject({ type: "no_authority" });
});

test("no order is placed for a domain whose records are no longer right", async () => {
  const { ca, fakeDns, pass, verified, problemOf } = await openIssuing();
  await verified(NAME);
  fakeDns.outcome = "records_wrong";
  await pass();
  expect(ca.orders()).toEqual([]);
  expect(await problemOf(NAME)).toMatchObject({ type: "records" });
});

test("a challenge gets its response under its own name only, and only while pending", async () => {
  const { store, certificates, pass, verified } = await openIssuing({ validate: async () => false });
  const ask = async (host: string, token: string) =>
    (await store.visit(`http://${host}/.well-known/acme-challenge/${token}`)).status;
  await verified(NAME);
  const attempt = (await certificates.beginAttempt((await certificates.find(NAME))!, 1))!;
  await certificates.saveOrderKey(attempt, { ca: "https://ca.test/", url: null, key: "k" });
  await certificates.saveChallenge(attempt, "tok_en-1", "tok_en-1.thumb");
  expect(await ask(NAME, "tok_en-1")).toBe(200);
  expect(await ask("other.example.org", "tok_en-1")).toBe(421);
  expect(await ask(NAME, "tok_en-2")).toBe(404);
  await certificates.fail(
    attempt,
    { problem: { type: "x", detail: "", subproblems: [] }, nextAt: null, refusedBy: "https://ca.test/" },
    0,
  );
  expect(await ask(NAME, "tok_en-1")).toBe(404);
  await pass();
});

test("rule 9: a domain without a certificate after 30 minutes is ssl_overdue, with the last problem", async () => {
  const { store, ca, pass, show, stageOf, attempted } = await openIssuing();
  await ca.down();
  await attempted(NAME);
  const seen = async () => (await show(NAME)) as unknown as { certificate: Record<string, unknown> };
  expect((await seen()).certificate).toMatchObject({ status: "failing", problem: { type: "unreachable" } });
  const list = await store.call("GET", "/platform/projects/docs/domains");
  expect(await list.json()).toMatchObject([{ certificate: { status: "failing" } }]);
  await pass(30 * MINUTE);
  expect((await seen()).certificate).toMatchObject({
    status: "ssl_overdue",
    problem: { type: "unreachable" },
    nextAttemptAt: expect.any(String),
  });
  ca.up();
  await pass(11 * MINUTE);
  expect(await stageOf(NAME)).toBe("live");
  expect(ca.orders()).toHaveLength(1);
});

test("an order that a CA refuses leaves the domain issue_failed with the full reason, and is retried after 10 seconds, 10 and 100 minutes", async () => {
  const { ca, certificates, pass, stageOf, attempted } = await openIssuing({ validate: async () => false });
  await attempted(NAME);
  expect(await stageOf(NAME)).toBe("issue_failed");
  const found = await certificates.find(NAME);
  expect(found).toMatchObject({ failures: 1, order: undefined, problem: { type: "unauthorized" } });
  expect(ca.orders()).toHaveLength(1);
  await pass(MINUTE / 12);
  expect(ca.orders()).toHaveLength(1);
  await pass(MINUTE / 6);
  expect(ca.orders()).toHaveLength(2);
  await pass(5 * MINUTE);
  expect(ca.orders()).toHaveLength(2);
  await pass(10 * MINUTE);
  expect(ca.orders()).toHaveLength(3);
  await pass(60 * MINUTE);
  expect(ca.orders()).toHaveLength(3);
  await pass(55 * MINUTE);
  expect(ca.orders()).toHaveLength(4);
});

test("rule 9: an order that a CA refuses is retried immediately when the owner verifies again", async () => {
  let isMet = false;
  const { pass, verify, stageOf, attempted } = await openIssuing({ validate: async () => isMet });
  await attempted(NAME);
  expect(await stageOf(NAME)).toBe("issue_failed");
  isMet = true;
  await verify(NAME);
  await pass();
  expect(await stageOf(NAME)).toBe("live");
});

test("an order that a CA refuses for too many orders waits for its Retry-After", async () => {
  const { ca, pass, stageOf, attempted, problemOf } = await openIssuing();
  ca.failNext("new-order", {
    status: 429,
    problem: { type: "rateLimited", detail: "too many" },
    retryAfter: 7200,
  });
  await attempted(NAME);
  expect(await stageOf(NAME)).toBe("verified");
  expect(await problemOf(NAME)).toMatchObject({
    type: "rateLimited",
    detail: "too many",
    status: 429,
  });
  await pass(7200 * 1000 - MINUTE);
  expect(ca.orders()).toEqual([]);
  await pass(MINUTE + 7200 * 100);
  expect(await stageOf(NAME)).toBe("live");
});

test("five refusals in an hour stop all orders until the hour is over, requested ones too", async () => {
  const { ca, pass, verify, show, attempted, problemOf } = await openIssuing({
    validate: async () => false,
  });
  await attempted(NAME);
  for (let again = 0; again < 8; again++) {
    await verify(NAME);
    await pass(MINUTE);
  }
  expect(ca.orders()).toHaveLength(5);
  expect(await problemOf(NAME)).toMatchObject({ type: "budget" });
  const { certificate } = (await show(NAME)) as unknown as { certificate: Record<string, unknown> };
  expect(certificate).toMatchObject({
    status: "failing",
    problem: { detail: expect.stringContaining("5 failed") },
  });
  expect(certificate["nextAttemptAt"]).toBeString();
  await pass(70 * MINUTE);
  expect(ca.orders()).toHaveLength(6);
});

test("a domain that is verified again and again gets two orders in a minute", async () => {
  const { ca, clock, pass, verify, show, attempted, problemOf } = await openIssuing({
    validate: async () => false,
  });
  await attempted(NAME);
  for (let again = 0; again < 6; again++) {
    await verify(NAME);
    await pass(1000);
  }
  expect(ca.orders()).toHaveLength(2);
  expect((await problemOf(NAME))?.type).not.toBe("budget");
  const { certificate } = (await show(NAME)) as unknown as { certificate: { nextAttemptAt: string } };
  const waitMs = Date.parse(certificate.nextAttemptAt) - clock.now();
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(MINUTE);
  await pass(waitMs);
  expect(ca.orders()).toHaveLength(3);
});

test("refusals in the future, after the clock was set back, delay no request", async () => {
  const { certificates } = await openIssuing();
  await certificates.want([NAME], 0);
  const problem = { type: "connection", detail: "", subproblems: [] };
  const before = 100 * MINUTE;
  for (const at of [before, before + 1]) {
    const certificate = await certificates.find(NAME);
    const attempt = certificate && (await certificates.beginAttempt(certificate, at));
    if (!attempt) throw new Error("no attempt");
    await certificates.fail(attempt, { problem, nextAt: before * 2, refusedBy: "https://ca.example" }, at);
  }
  await certificates.request(NAME, before - 50 * MINUTE);
  expect((await certificates.find(NAME))?.nextAt).toBeLessThanOrEqual(before - 49 * MINUTE);
});

test("a domain whose CA has not decided on the first attempt is in every response, without a failure", async () => {
  const { promise: decision, resolve } = Promise.withResolvers<boolean>();
  const { api, attempted } = await openIssuing({ validate: () => decision });
  await attempted(NAME);
  const waiting = { status: "ordered", failures: 0, problem: { type: "undecided" } };
  const domain = { hostname: NAME, certificate: waiting };
  for (const [method, path, body] of [
    ["GET", "/domains", [domain]],
    ["GET", `/domains/${NAME}`, domain],
    ["POST", `/domains/${NAME}/verify`, domain],
    ["PUT", `/domains/${NAME}/primary`, domain],
  ] as const)
    expect(await (await api(method, path)).json()).toMatchObject(body);
  resolve(true);
});

test.each([
  "new-account",
  "new-order",
  "order",
  "authorization",
  "challenge",
  "finalize",
  "certificate",
] as const)("a 500 at %s is retried, which leads to one certificate, and no key is lost", async (kind) => {
  const { ca, pass, stageOf, attempted, problemOf } = await openIssuing();
  ca.failNext(kind, { status: 500 });
  await attempted(NAME);
  await pass(2 * MINUTE);
  expect(await stageOf(NAME)).toBe("live");
  expect(ca.certificates).toHaveLength(1);
  expect(ca.accounts()).toHaveLength(1);
  expect(await problemOf(NAME)).toBeUndefined();
});

test("CAA records that forbid midway are reported in the CA's words, and retried once they allow", async () => {
  const { ca, pass, stageOf, attempted, problemOf } = await openIssuing();
  const problem = {
    type: "caa",
    detail: "CAA record forbids issuance",
    subproblems: [
      {
        type: "urn:ietf:params:acme:error:caa",
        detail: "by example.org",
        identifier: { type: "dns", value: NAME },
      },
    ],
  };
  ca.failNext("finalize", { status: 403, problem });
  await attempted(NAME);
  expect(await stageOf(NAME)).toBe("issue_failed");
  expect(await problemOf(NAME)).toEqual({
    type: "caa",
    detail: "CAA record forbids issuance",
    status: 403,
    subproblems: [{ type: "caa", detail: "by example.org", identifier: NAME }],
  });
  await pass(2 * MINUTE);
  expect(await stageOf(NAME)).toBe("live");
});

test("a certificate that is not valid yet by this machine's clock is not used, and the problem names the clock", async () => {
  const caClock = testClock(Date.now() + 60 * MINUTE);
  const { certificates, stageOf, attempted } = await openIssuing({ clock: caClock });
  await attempted(NAME);
  expect(await stageOf(NAME)).toBe("issue_failed");
  const found = await certificates.find(NAME);
  expect(found?.issued).toBeUndefined();
  expect(found?.problem?.detail).toContain("is this machine's clock right?");
});

test("a CA whose clock is an hour late changes nothing", async () => {
  const { stageOf, attempted } = await openIssuing({ clock: testClock(Date.now() - 60 * MINUTE) });
  await attempted(NAME);
  expect(await stageOf(NAME)).toBe("live");
});

test("an expired order is placed again", async () => {
  const { ca, pass, stageOf, attempted } = await openIssuing();
  ca.failNext("finalize", { status: 500 });
  await attempted(NAME);
  ca.expireOrders();
  await pass(2 * MINUTE);
  await pass(20 * MINUTE);
  expect(await stageOf(NAME)).toBe("live");
  expect(ca.orders()).toHaveLength(2);
});

test("an account that the CA no longer knows is registered again", async () => {
  const { ca, pass, stageOf, attempted } = await openIssuing();
  await attempted("first.example.org");
  ca.forgetAccounts();
  await attempted(NAME);
  await pass(2 * MINUTE);
  expect(await stageOf(NAME)).toBe("live");
});

test("a domain that is removed while its order is under way gets no certificate, and no order is left", async () => {
  const { ca, api, certificates, pass, attempted } = await openIssuing();
  ca.failNext("finalize", { status: 500 });
  await attempted(NAME);
  expect((await api("DELETE", `/domains/${NAME}`)).status).toBe(204);
  await pass(2 * MINUTE);
  expect(await certificates.find(NAME)).toBeUndefined();
  expect(ca.certificates).toEqual([]);
});

test("a certificate in use is renewed when a third of its lifetime is left, and replaced in one step", async () => {
  const { ca, pass, attempted, issuedOf } = await openIssuing({ ari: false });
  await attempted(NAME);
  const first = await issuedOf(NAME);
  await pass(55 * DAY);
  expect(ca.orders()).toHaveLength(1);
  await pass(10 * DAY);
  const second = await issuedOf(NAME);
  expect(ca.orders()).toHaveLength(2);
  expect(second?.notAfter).toBeGreaterThan(first?.notAfter ?? 0);
  expect(second?.key).not.toBe(first?.key);
});

test("a certificate in use is renewed early if the CA requests it, and the order names the replaced certificate", async () => {
  const { ca, pass, clock, attempted } = await openIssuing({
    ari: ({ notBefore }) => ({ start: notBefore + 2 * DAY, end: notBefore + 3 * DAY }),
  });
  await attempted(NAME);
  await pass(DAY);
  expect(ca.orders()).toHaveLength(1);
  await pass(2 * DAY);
  expect(ca.orders()).toHaveLength(2);
  expect(ca.orders()[1]).toMatchObject({ replaces: ca.certificates[0]?.ariId });
  expect(clock.now()).toBeGreaterThan(0);
});

test("a certificate in use is renewed even if the CA has already replaced it, as after a lost response", async () => {
  const { ca, pass, attempted, issuedOf } = await openIssuing();
  await attempted(NAME);
  const before = await issuedOf(NAME);
  ca.failNext("new-order", { status: 409, problem: { type: "alreadyReplaced", detail: "it is" } });
  await pass(85 * DAY);
  expect((await issuedOf(NAME))?.notAfter).toBeGreaterThan(before?.notAfter ?? 0);
  expect(ca.orders().at(-1)?.replaces).toBeUndefined();
});

test("a certificate in use is renewed within about a day, regardless of Retry-After", async () => {
  const { ca, clock, certificates, pass, attempted } = await openIssuing({ ari: false });
  await attempted(NAME);
  ca.failNext("new-order", {
    status: 429,
    problem: { type: "rateLimited", detail: "" },
    retryAfter: 999_999_999,
  });
  await pass(65 * DAY);
  expect((await certificates.find(NAME))?.nextAt).toBeLessThan(clock.now() + 2 * DAY);
});

test("a certificate in use stays in use while its renewal fails", async () => {
  const { ca, certificates, pass, stageOf, attempted, issuedOf } = await openIssuing({ ari: false });
  await attempted(NAME);
  const before = await issuedOf(NAME);
  ca.failNext("new-order", { status: 403, problem: { type: "unauthorized", detail: "no" } });
  await pass(65 * DAY);
  const after = await certificates.find(NAME);
  expect(after?.issued).toEqual(before);
  expect(after?.problem).toMatchObject({ detail: "no" });
  expect(await stageOf(NAME)).toBe("live");
  await pass(2 * MINUTE);
  expect(await issuedOf(NAME)).not.toEqual(before);
});

test("each decision of a check and an attempt is logged at debug with its reason", async () => {
  const { store, ca, attempted, pass } = await openIssuing({ ari: false });
  store.context.log.level = "debug";
  ca.failNext("new-order", {
    status: 429,
    problem: { type: "rateLimited", detail: "later" },
    retryAfter: 60,
  });
  await attempted(NAME);
  await pass(2 * MINUTE);
  await pass(DAY);
  const decisions = store.log.filter(({ hostname }) => hostname === NAME);
  expect(decisions.map(({ msg }) => msg)).toEqual([
    "checked a domain",
    "the result of a check is stored",
    "a certificate is needed: the attempt begins",
    "the name can be proved",
    "a limit forbids the order at this CA",
    "no certificate was issued",
    "the next attempt is scheduled, unless the name has changed",
    "a certificate is needed: the attempt begins",
    "the name can be proved",
    "a new certificate is in use",
    "the certificate need not be renewed yet",
  ]);
  expect(decisions[2]).toMatchObject({ level: 20, reason: "it was requested" });
  expect(decisions[7]).toMatchObject({ reason: "the name has no certificate" });
});
