import { expect, test } from "bun:test";
import { parseHostHeader } from "../../src/edge/hosts.ts";
import { certificateStore, servedBy } from "../../src/edge/certificate-store.ts";
import { DAY, openIssuing } from "../platform/certificates/issuing.ts";
import { testClock } from "../support/store.ts";
import { testCa } from "../protocols/tls/listeners.ts";

const NAME = "docs.example.org";

/** Names whose certificates a test sets, with the number of reads. */
const openNames = async () => {
  const clock = testClock();
  const pair = await testCa.issue([NAME]);
  const stored = new Map<string, { key: string; cert: string }>();
  const served = new Set([NAME]);
  const lookedFor: string[] = [];
  const asked: string[] = [];
  const belowWildcard: string[] = [];
  let version = 0;
  const validity = { notBefore: clock.now(), notAfter: clock.now() + 90 * DAY };
  const names = certificateStore({
    read(name) {
      lookedFor.push(name);
      const found = stored.get(name);
      return found && { ...found, ...validity, renewals: 1 };
    },
    hstsMaxAge: 1000,
    isServed(name) {
      asked.push(name);
      return served.has(name);
    },
    wildcardFor: (name) => void belowWildcard.push(name),
    version: () => version,
    now: clock.now,
    onError: (_, error) => {
      throw error;
    },
  });
  const write = () => void version++;
  return { clock, pair, stored, served, lookedFor, asked, belowWildcard, names, write };
};

test("a served name without a certificate is read once, and again after a write", async () => {
  const { names, lookedFor, stored, pair, write } = await openNames();
  for (let asked = 0; asked < 3; asked++) expect(names.hasValid(NAME)).toBe(false);
  expect(lookedFor).toEqual([NAME]);
  stored.set(NAME, pair);
  write();
  expect(names.hasValid(NAME)).toBe(true);
  expect(names.hasValid(NAME)).toBe(true);
  expect(lookedFor).toEqual([NAME, NAME]);
});

test("a wildcard is only looked up if the name itself has no valid certificate", async () => {
  const { clock, names, belowWildcard, stored, pair } = await openNames();
  stored.set(NAME, pair);
  expect(names.hasValid(NAME)).toBe(true);
  expect(names.hstsMaxAge(NAME)).toBe(1000);
  expect(belowWildcard).toEqual([]);
  clock.advance(91 * DAY);
  expect(names.hasValid(NAME)).toBe(false);
  expect(belowWildcard).toContain(NAME);
});

test("a name that is not served is neither read nor cached", async () => {
  const { names, lookedFor } = await openNames();
  expect(names.hasValid("stranger.example.org")).toBe(false);
  expect(names.find("stranger.example.org")).toBeUndefined();
  expect(lookedFor).toEqual([]);
});

test("after a write, only names with open connections are looked up, regardless of the names that clients have requested", async () => {
  const { names, stored, served, pair, asked } = await openNames();
  const below = Array.from({ length: 100 }, (_, index) => `n${index}.example.org`);
  for (const name of below) {
    stored.set(name, pair);
    served.add(name);
    expect(names.find(name)).toBeDefined();
  }
  const [open = "", closed = ""] = below;
  const dropped: string[] = [];
  names.attach({ serverNames: () => [open, NAME], drop: (name) => void dropped.push(name) });
  served.delete(open);
  served.delete(closed);
  asked.length = 0;
  names.withdraw();
  expect(asked).toEqual([open, NAME]);
  expect(dropped).toEqual([open]);
});

test("a served name has one spelling, so a stranger cannot fill the store with variants", () => {
  const hosts = { platformDomain: "sites.example.net", api: new Set(["adopt.example.net"]) };
  const site = { kind: "site", projectId: 1, deployId: 1, manifest: "" } as const;
  const isServed = servedBy({ bySlug: () => site, byHostname: () => site }, hosts);
  const names = [NAME, "docs.sites.example.net", "adopt.example.net"];
  expect(names.filter(isServed)).toEqual(names);
  const others = names.flatMap((name) => [`${name}:80`, `${name}.`, name.toUpperCase()]);
  expect(others.filter(isServed)).toEqual([]);
  expect(parseHostHeader(`${NAME}:80`, hosts)).toMatchObject({ hostname: NAME });
});

test("an expired certificate is presented, but without redirects to HTTPS and without HSTS", async () => {
  const { clock, names, stored, pair } = await openNames();
  stored.set(NAME, pair);
  const seen = () => [names.find(NAME) !== undefined, names.hasValid(NAME), names.hstsMaxAge(NAME)];
  expect(seen()).toEqual([true, true, 1000]);
  clock.advance(-1);
  expect(seen()).toEqual([true, false, 0]);
  clock.advance(90 * DAY);
  expect(seen()).toEqual([true, true, 1000]);
  clock.advance(1);
  expect(seen()).toEqual([true, false, 0]);
});

test("a site whose certificate has expired is served over HTTP, and redirects again with the next certificate", async () => {
  const { ca, clock, store, pass, verified } = await openIssuing({ ari: false });
  await verified(NAME);
  await pass();
  const status = async () => (await store.visit(`http://${NAME}/`)).status;
  expect(await status()).toBe(301);
  await ca.down();
  clock.advance(100 * DAY);
  expect(await status()).toBe(200);
  ca.up();
  await pass();
  expect(await status()).toBe(301);
});
