import { expect, test } from "bun:test";
import { makeProject } from "../projects.ts";
import { DAY, openIssuing } from "./issuing.ts";

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
  await certificates.imported(other, issued, clock.now() + DAY, clock.now());
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

test("a project's own name is asked for once the project has something to show", async () => {
  const { store, pass, listed } = await openOwn();
  await makeProject(store, "new", "free", false);
  await pass();
  expect(await listed()).toEqual([OWN]);
  await makeProject(store, "new", "free");
  await pass();
  expect(await listed()).toEqual([OWN, `new.${ZONE}`]);
});
