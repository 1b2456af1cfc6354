import { expect, test } from "bun:test";
import { explain } from "../../../src/platform/certificates/summary.ts";
import { commandRooms } from "../../../src/app/command-rooms.ts";
import { createTestCa } from "../../support/certificates.ts";
import { DAY, openIssuing } from "./issuing.ts";

const ca = await createTestCa();

/** The service with a certificate of ten days for this name that came from elsewhere. */
const openImported = async (name: string, env: Record<string, string> = {}) => {
  const room = await openIssuing({}, { env });
  const { store, clock, certificates } = room;
  const { key, cert: chain } = await ca.issue([name]);
  const service = commandRooms({ ...store.context, clock }).certificates;
  const imported = await service.import(name, { key, chain });
  const end = imported.issued?.notAfter ?? 0;
  const said = async () => {
    const found = await certificates.find(name);
    return found && explain(found, clock.now(), false);
  };
  return { ...room, end, said };
};

test("HSTS begins once another imported certificate has replaced the first", async () => {
  const name = "docs.example.org";
  const { store, clock, https, verified } = await openIssuing();
  await verified(name);
  const service = commandRooms({ ...store.context, clock }).certificates;
  const [first, second] = [await ca.issue([name]), await ca.issue([name])];
  const lastingAfter = async ({ key, cert }: typeof first) => {
    await service.import(name, { key, chain: cert });
    https.certificates.clear();
    https.certificates.find(name);
    return https.certificates.hstsMaxAge(name);
  };
  expect(await lastingAfter(first)).toBe(0);
  expect(await lastingAfter(first)).toBe(0);
  expect(await lastingAfter(second)).toBe(DAY / 1000);
});

const SERVED: [string, string, Record<string, string>][] = [
  ["of the API", "api.home.arpa", { API_HOSTS: "api.home.arpa" }],
  ["of a project below localhost", "docs.localhost", {}],
  ["of a project below .internal", "docs.sites.internal", { PLATFORM_DOMAIN: "sites.internal" }],
];

test.each(SERVED)(
  "an imported certificate for a name %s that no CA certifies stays in use until it expires, with advice to import another",
  async (_, name, env) => {
    const { ca, clock, https, pass, end, said } = await openImported(name, env);
    expect(await said()).toBeUndefined();
    await pass(end - DAY - clock.now());
    expect(https.certificates.hasValid(name)).toBe(true);
    expect(await said()).toContain("Import its next one: adoption-store certificates import");
    await pass(2 * DAY);
    expect(https.certificates.hasValid(name)).toBe(false);
    expect(await said()).toContain("Import its next one: adoption-store certificates import");
    expect(ca.orders()).toEqual([]);
  },
);

test("an imported certificate for a name that is no longer served stays until it expires, then is removed and logged", async () => {
  const name = "later.example.net";
  const { store, certificates, clock, pass, end } = await openImported(name);
  const gone = () =>
    store.log.filter(({ msg, hostname }) => /unused name/.test(String(msg)) && hostname === name);
  await pass(end - DAY - clock.now());
  expect(certificates.keyPair(name)).toBeDefined();
  expect(gone()).toEqual([]);
  await pass(2 * DAY);
  expect(await certificates.find(name)).toBeUndefined();
  expect(gone()).toHaveLength(1);
});
