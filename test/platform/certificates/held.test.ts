import { expect, test } from "bun:test";
import { makeProject } from "../domains/projects.ts";
import { DAY, MINUTE, openIssuing } from "./issuing.ts";

const ZONE = "sites.example.net";
const OWN = `docs.${ZONE}`;
const env = { PLATFORM_DOMAIN: ZONE };

const openOwn = async () => {
  const room = await openIssuing({ ari: false }, { env });
  const listed = async () =>
    (await room.certificates.list({ after: "", limit: 10 })).map(({ hostname }) => hostname);
  return { ...room, listed };
};

test("a deleted project's own name gets no more certificates, and its key is deleted", async () => {
  const { ca, api, pass, listed, certificates } = await openOwn();
  await pass();
  expect(await listed()).toEqual([OWN]);
  expect((await api("DELETE", "")).status).toBe(204);
  expect(await listed()).toEqual([]);
  expect(certificates.keyPair(OWN)).toBeUndefined();
  await pass(65 * DAY);
  expect(await listed()).toEqual([]);
  expect(ca.orders()).toHaveLength(1);
});

test("a name removed from the settings goes when it would be renewed, not before: settings may be wrong", async () => {
  const { clock, pass, listed, certificates } = await openOwn();
  await pass();
  const other = "adopt.example.net";
  const issued = (await certificates.find(OWN))?.issued;
  if (!issued) throw new Error("there is no certificate");
  await certificates.want([other], clock.now());
  await certificates.installImported(other, issued, clock.now() + DAY, clock.now());
  await pass();
  expect(await listed()).toEqual([other, OWN]);
  await pass(65 * DAY);
  expect(await listed()).toEqual([OWN]);
  expect(certificates.keyPair(other)).toBeUndefined();
});

test("a name without a holder or a certificate is erased immediately", async () => {
  const { clock, pass, listed, certificates } = await openOwn();
  await certificates.want(["gone.example.net"], clock.now());
  await pass();
  expect(await listed()).toEqual([OWN]);
});

test("a project's unverified domain stays, because it may still be verified", async () => {
  const { add, pass, listed, certificates, clock } = await openOwn();
  await add("docs.example.org");
  await certificates.want(["docs.example.org"], clock.now());
  await pass();
  expect(await listed()).toEqual(["docs.example.org", OWN]);
});

test("a name that another project proves loses its certificate and gets a new one", async () => {
  const { store, ca, add, show, verify, pass, clock, certificates, events, attempted } = await openIssuing();
  const name = "docs.example.org";
  await makeProject(store, "other");
  await attempted(name);
  const before = certificates.keyPair(name);
  expect(await show(name)).toMatchObject({ stage: "live", certificate: { status: "in_use" } });
  expect(before?.chain).toBeString();
  await add(name, "other");
  // It is not this project's to look at.
  expect(await show(name, "other")).not.toHaveProperty("certificate");
  clock.advance(1);
  await verify(name, "other");
  expect(certificates.keyPair(name)).toBeUndefined();
  expect((await store.visit(`http://${name}/`)).status).toBe(503);
  await pass();
  const after = certificates.keyPair(name);
  expect([after?.key === before?.key, after?.chain === before?.chain]).toEqual([false, false]);
  expect(await show(name, "other")).toMatchObject({ stage: "live", certificate: { status: "in_use" } });
  const lost = await show(name);
  expect(lost).toMatchObject({ stage: "dns_conflict", findings: [{ kind: "domain_lost" }] });
  expect(lost).not.toHaveProperty("certificate");
  expect((await events(name)).at(-1)).toBe("yielded dns_conflict");
  expect(ca.orders()).toHaveLength(2);
});

test("an order under way ends when its project loses the name", async () => {
  const { store, fakeDns, add, show, verify, verified, pass, clock, certificates } = await openIssuing();
  const name = "docs.example.org";
  await makeProject(store, "other");
  await verified(name);
  await add(name, "other");
  let isTaken = false;
  // The look before the order is the moment in which the other project proves the name.
  fakeDns.delay = async () => {
    if (isTaken) return;
    isTaken = true;
    clock.advance(1);
    await verify(name, "other");
  };
  await pass();
  expect(isTaken).toBe(true);
  expect(certificates.keyPair(name)).toBeUndefined();
  expect(await show(name)).toMatchObject({ stage: "dns_conflict" });
  await pass(MINUTE);
  expect(await show(name, "other")).toMatchObject({ stage: "live" });
  expect(await show(name)).toMatchObject({ stage: "dns_conflict" });
});

test("a project's own name gets a certificate once the project has a deploy", async () => {
  const { store, pass, listed } = await openOwn();
  await makeProject(store, "new", "free", false);
  await pass();
  expect(await listed()).toEqual([OWN]);
  await makeProject(store, "new", "free");
  await pass();
  expect(await listed()).toEqual([OWN, `new.${ZONE}`]);
});

test("a domain whose certificate was issued after its verification has 7 days once its records are wrong", async () => {
  const { verified, verify, pass, show, stageOf, fakeDns, clock } = await openIssuing();
  await verified("docs.example.org");
  clock.advance(MINUTE);
  await pass();
  expect(await stageOf("docs.example.org")).toBe("live");
  fakeDns.outcome = "records_wrong";
  clock.advance(MINUTE);
  await verify("docs.example.org");
  expect(await show("docs.example.org")).toMatchObject({ stage: "live", failingSince: expect.any(String) });
});
