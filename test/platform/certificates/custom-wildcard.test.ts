import { expect, test } from "bun:test";
import { makeProject } from "../domains/projects.ts";
import { faultOf } from "../../support/store.ts";
import { DOMAIN, openDelegating } from "./dns-issuing.ts";
import { MINUTE, openIssuing } from "./issuing.ts";

const NAME = "*.example.test";
const CHALLENGE = "_acme-challenge.example.test";
const BELOW = "any.example.test";
/** The service with the projects `docs` and `other`. */
const open = async () => {
  const room = await openDelegating(CHALLENGE);
  await makeProject(room.store, "other");
  const { delegate, valueFor } = room;
  /** Adds the wildcard and makes it live. */
  const makeLive = async (slug = "docs") => {
    delegate(await valueFor(slug));
    await room.add(NAME, slug);
    await room.verify(NAME, slug);
    await room.pass();
  };
  const statusOf = async (hostname: string) => (await room.store.visit(`http://${hostname}/`)).status;
  return { ...room, makeLive, statusOf };
};

test("a wildcard is live with a certificate by its delegated challenge, and every name directly below it is served", async () => {
  const { makeLive, show, ca, proven, https, statusOf, fakeDns, store } = await open();
  await makeLive();
  expect((await show(NAME)).stage).toBe("live");
  expect(ca.orders().map(({ names }) => names)).toContainEqual([NAME]);
  expect(proven).toContain("dns-01 example.test");
  expect(https.certificates.hasValid(BELOW)).toBe(true);
  const page = await store.visit(`https://${BELOW}/`);
  expect(page.status).toBe(200);
  for (const name of ["example.test", `a.${BELOW}`, "any.example.org"]) {
    expect(https.certificates.find(name)).toBeUndefined();
    expect(await statusOf(name)).toBe(421);
  }
  // Each check queries another name.
  const asked = fakeDns.asked.filter((name) => name.endsWith(".example.test"));
  expect(asked.every((name) => /^w[0-9a-f]{8}\.example\.test$/.test(name))).toBe(true);
  expect(new Set(asked).size).toBe(asked.length);
});

test("a wildcard shows the two records that it needs", async () => {
  const { add, show, valueFor } = await open();
  await add(NAME);
  expect(await show(NAME)).toMatchObject({
    hostname: NAME,
    unicode: NAME,
    role: "served",
    record: { type: "CNAME", name: "*" },
    challengeRecord: {
      type: "CNAME",
      name: "_acme-challenge",
      value: await valueFor(),
      required: true,
      bind: `${CHALLENGE}. 3600 IN CNAME ${await valueFor()}.`,
    },
  });
});

test("a wildcard without the record of its challenge waits, and the finding names the record", async () => {
  const { add, verify, show, valueFor, delegate, ca } = await open();
  await add(NAME);
  await verify(NAME);
  expect(await show(NAME)).toMatchObject({
    stage: "awaiting_dns",
    findings: [{ kind: "no_record", name: CHALLENGE, type: "CNAME", expected: [await valueFor()] }],
  });
  delegate(await valueFor("other"));
  await verify(NAME);
  expect(await show(NAME)).toMatchObject({
    stage: "dns_conflict",
    findings: [{ kind: "wrong_target", name: CHALLENGE, found: [await valueFor("other")] }],
  });
  expect(ca.orders().filter(({ names }) => names.includes(NAME))).toEqual([]);
});

test("a TXT record where the challenge's CNAME belongs is a finding, but a wildcard's TXT record is not", async () => {
  const { add, verify, show, valueFor, setRecords, fakeDns } = await open();
  await add(NAME);
  setRecords(`${CHALLENGE} TXT left-over`);
  await verify(NAME);
  const { stage, findings } = await show(NAME);
  const value = await valueFor();
  const [first] = findings as { message: string }[];
  expect({ stage, findings }).toMatchObject({
    stage: "dns_conflict",
    findings: [
      { kind: "conflicting_record", name: CHALLENGE, type: "TXT", found: ["left-over"], expected: [value] },
    ],
  });
  expect(first?.message).toEndWith(`: delete it, and create a CNAME with the value ${value}.`);
  fakeDns.outcome = "records_wrong";
  fakeDns.findings = [
    { kind: "conflicting_record", name: NAME, type: "TXT", found: ["left-over"], expected: [] },
  ];
  await verify(NAME);
  expect(await show(NAME)).toMatchObject({ findings: [{}, { kind: "no_record", name: CHALLENGE }] });
});

test("a zone can have any number of records for the challenge, and a hundred of them are named", async () => {
  const { add, verify, show, valueFor, delegate } = await open();
  const others = Array.from({ length: 150 }, (_, index) => `${CHALLENGE} CNAME x${index}.test`);
  delegate(await valueFor("other"), ...others);
  await add(NAME);
  await verify(NAME);
  const { findings } = (await show(NAME)) as unknown as { findings: { found: string[] }[] };
  expect(findings.map(({ found }) => found.length)).toEqual([100]);
});

test("a wildcard without a record at its name gets its certificate, and the finding names the wildcard", async () => {
  const { add, verify, show, valueFor, delegate, fakeDns } = await open();
  delegate(await valueFor());
  fakeDns.outcome = "records_missing";
  await add(NAME);
  await verify(NAME);
  expect(await show(NAME)).toMatchObject({
    stage: "verified",
    findings: [
      { kind: "not_moved", name: NAME, message: expect.stringContaining(`${NAME} belongs to this project`) },
      { kind: "no_record" },
    ],
  });
});

test("servers that do not respond change nothing for a wildcard", async () => {
  const { makeLive, verify, show, server } = await open();
  await makeLive();
  server.behaviours.set("*", "REFUSED");
  await verify(NAME);
  expect(await show(NAME)).toMatchObject({ stage: "live" });
  expect((await show(NAME))["failingSince"]).toBeUndefined();
});

test("CAA records count for a wildcard at its domain, with issuewild", async () => {
  const { add, verify, valueFor, delegate, ca, certificates, pass } = await open();
  delegate(
    await valueFor(),
    'example.test CAA 0 issue "letsencrypt.org"',
    'example.test CAA 0 issuewild "other.test"',
  );
  await add(NAME);
  await verify(NAME);
  await pass();
  expect(ca.orders().filter(({ names }) => names.includes(NAME))).toEqual([]);
  expect((await certificates.find(NAME))?.problem?.detail).toContain("forbid the certificate");
});

test("a name that another project holds is not covered, from its verification until its removal", async () => {
  const { makeLive, add, verify, pass, store, https, statusOf } = await open();
  await makeLive();
  await add(BELOW, "other");
  expect(await statusOf(BELOW)).not.toBe(421);
  await verify(BELOW, "other");
  // It has no certificate yet, and gets none of the wildcard's.
  expect(https.certificates.find(BELOW)).toBeUndefined();
  expect(await statusOf(BELOW)).toBe(503);
  expect(await statusOf("else.example.test")).not.toBe(421);
  await pass();
  await store.call("DELETE", `/platform/projects/other/domains/${BELOW}`);
  expect(https.certificates.hasValid(BELOW)).toBe(true);
});

test("the names below a suspended wildcard keep its certificate, for the page about the suspension", async () => {
  const { makeLive, api, https, store } = await open();
  await makeLive();
  const certificate = https.certificates.find(BELOW);
  await api("PATCH", "", { json: { plan: "free" } });
  expect(https.certificates.find(BELOW)).toBe(certificate);
  expect(certificate).toBeDefined();
  expect(await (await store.visit(`https://${BELOW}/`)).text()).toContain(`${BELOW} is suspended`);
});

test("the certificate of a removed domain is not used again, also where a wildcard serves its name", async () => {
  const { makeLive, delegate, delegated, valueFor, add, verify, pass, store, https } = await open();
  await makeLive();
  const challenge = `_acme-challenge.${BELOW}`;
  delegate(await valueFor(), `${challenge} CNAME ${await valueFor("other")}`);
  delegated.set(challenge, await valueFor("other"));
  await add(BELOW, "other");
  await verify(BELOW, "other");
  await pass();
  const ofWildcard = https.certificates.find("else.example.test");
  expect(https.certificates.find(BELOW)).toBeDefined();
  expect(https.certificates.find(BELOW)).not.toBe(ofWildcard);
  await store.call("DELETE", `/platform/projects/other/domains/${BELOW}`);
  expect(https.certificates.find(BELOW)).toBe(ofWildcard);
});

test("a wildcard is never the primary domain", async () => {
  const { makeLive, add, show, api } = await open();
  await makeLive();
  await add("example.test");
  expect((await show("example.test")).role).toBe("primary");
  expect((await show(NAME)).role).toBe("served");
  expect(await faultOf(await api("PUT", `/domains/${NAME}/primary`))).toBe("400 invalid_request");
});

test("a removed wildcard stops immediately, with its certificate", async () => {
  const { makeLive, store, https, statusOf, certificates } = await open();
  await makeLive();
  expect(https.certificates.find(BELOW)).toBeDefined();
  const dropped: string[] = [];
  https.certificates.attach({ serverNames: () => [BELOW], drop: (name) => void dropped.push(name) });
  expect((await store.call("DELETE", `/platform/projects/docs/domains/${NAME}`)).status).toBe(204);
  expect(await statusOf(BELOW)).toBe(421);
  expect(https.certificates.find(BELOW)).toBeUndefined();
  expect(dropped).toEqual([BELOW]);
  expect(await certificates.find(NAME)).toBeUndefined();
});

test("a wildcard goes to the project that its records name", async () => {
  const { makeLive, add, verify, show, delegate, valueFor, clock } = await open();
  await makeLive();
  clock.advance(MINUTE);
  await add(NAME, "other");
  await verify(NAME, "other");
  expect((await show(NAME)).stage).toBe("live");
  delegate(await valueFor("other"));
  await verify(NAME, "other");
  expect((await show(NAME)).stage).toBe("dns_conflict");
});

test.each([
  [`*.${DOMAIN}`, "own_name"],
  ["*.example.net", "own_name"],
  ["*.co.uk", "public_suffix"],
  ["*.internal", "single_label"],
  ["*.x.internal", "special_use"],
  ["*.*.example.org", "wildcard"],
  ["a.*.example.org", "wildcard"],
  ["*", "wildcard"],
  [`*.${"a.".repeat(118)}example.org`, "too_long"],
])("the wildcard %s is refused: %s", async (hostname, reason) => {
  const { store } = await open();
  const refused = await store.call("POST", "/platform/projects/docs/domains", { json: { hostname } });
  expect(refused.status).toBe(400);
  expect(refused.headers.get("invalid-fields")).toContain(`reason=${reason}`);
});

test("a service that cannot publish records refuses wildcards", async () => {
  const { store } = await openIssuing();
  const refused = await store.call("POST", "/platform/projects/docs/domains", { json: { hostname: NAME } });
  expect(refused.status).toBe(400);
  expect(refused.headers.get("invalid-fields")).toContain("wildcard_unsupported");
});
