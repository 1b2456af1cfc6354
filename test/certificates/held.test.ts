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

test("a deleted project's own name is asked for no longer, and its key is gone with it", async () => {
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

test("a name that no setting gives any more leaves when it would be renewed, not before: settings may be mistaken", async () => {
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

test("a name that nobody holds and that has no certificate leaves at once", async () => {
  const { clock, pass, listed, certificates } = await openOwn();
  await certificates.want(["gone.example.net"], clock.now());
  await pass();
  expect(await listed()).toEqual([OWN]);
});

test("a domain that a project has and has not verified stays, for it may be verified yet", async () => {
  const { add, pass, listed, certificates, clock } = await openOwn();
  await add("docs.example.org");
  await certificates.want(["docs.example.org"], clock.now());
  await pass();
  expect(await listed()).toEqual(["docs.example.org", OWN]);
});

test("a name that another project proves leaves no certificate with who had it, and gets one of its own", async () => {
  const { store, ca, add, show, verify, verified, pass, clock, certificates, events } = await openIssuing();
  const name = "docs.example.org";
  await makeProject(store, "other");
  await verified(name);
  await pass();
  const before = certificates.keyPair(name);
  expect(await show(name)).toMatchObject({ stage: "live", certificate: { status: "in_use" } });
  expect(before?.chain).toBeString();
  await add(name, "other");
  // It is not this project's to look at.
  expect(await show(name, "other")).not.toHaveProperty("certificate");
  clock.advance(1);
  await verify(name, "other");
  expect(certificates.keyPair(name)).toBeUndefined();
  expect((await store.visit(`http://${name}/`)).status).toBe(421);
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

test("an order that was under way for who lost the name ends with that", async () => {
  const { store, told, add, show, verify, verified, pass, clock, certificates } = await openIssuing();
  const name = "docs.example.org";
  await makeProject(store, "other");
  await verified(name);
  await add(name, "other");
  let isTaken = false;
  // The look before the order is the moment in which the other project proves the name.
  told.delay = async () => {
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

test("a project's own name is asked for once the project has something to show", async () => {
  const { store, pass, listed } = await openOwn();
  await makeProject(store, "new", "free", false);
  await pass();
  expect(await listed()).toEqual([OWN]);
  await makeProject(store, "new", "free");
  await pass();
  expect(await listed()).toEqual([OWN, `new.${ZONE}`]);
});
