import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemRuntime } from "../../../src/data/context.ts";
import { dnsAccess } from "../../../src/platform/dns-checks/dns-access.ts";
import { issuanceBy } from "../../../src/platform/dns-checks/issuance.ts";
import { inspector } from "../../../src/platform/dns-checks/inspect.ts";
import { describeFaults, platformWarnings } from "../../../src/platform/dns-checks/platform-probe.ts";
import {
  platformWatch,
  type PortTrials,
  probePlatform,
  readPlatform,
} from "../../../src/platform/dns-checks/platform-probe.ts";
import { dnsServer } from "../../support/dns.ts";
import { temporaryDirectory, testClock } from "../../support/store.ts";
import type { Zones } from "../../support/zones.ts";

const NAMES = { platformDomain: "apps.test", platformCnameTarget: "cname.apps.test" };
const ZONE = ["apps.test NS ns.apps.test", "ns.apps.test A 127.0.0.1"];
const WILDCARD = ["*.apps.test A 203.0.113.7", "*.cname.apps.test A 203.0.113.7"];

const open = async () => {};
const refuse = () => Promise.reject(new Error("connection refused"));
const portTrials = ({ http = open, https = open } = {}): PortTrials => ({
  http: { port: 80, connect: http },
  https: { port: 443, connect: https },
});

/** Probes the platform over a name server on loopback. */
const probe = async (
  zones: Zones,
  { ports, issuers }: { ports?: PortTrials | undefined; issuers?: readonly string[] } = {
    ports: portTrials(),
  },
  isSilent = false,
) => {
  const server = await dnsServer({ zones });
  if (isSilent) server.behaviours.set("*", "silent");
  const settings = {
    dnsResolvers: [`127.0.0.1:${server.server.port}`],
    dnsPort: server.server.port,
    dnsPrivate: true,
  };
  const access = dnsAccess(settings, systemRuntime, { timeoutMs: isSilent ? 200 : 3000, attempts: 1 });
  const inspect = inspector({ ...access, issuance: issuanceBy([]) });
  return probePlatform(NAMES, { inspect, issuers, ports });
};

test("a platform with its wildcard and both ports has no fault", async () => {
  const { faults, right, unknown } = await probe({ "apps.test": [...ZONE, ...WILDCARD] });
  expect(faults).toEqual([]);
  expect(right).toEqual([
    "*.apps.test has 203.0.113.7.",
    "*.cname.apps.test has 203.0.113.7.",
    "Tried from this machine, port 80 at 203.0.113.7 reaches this service.",
    "Tried from this machine, port 443 at 203.0.113.7 reaches this service.",
  ]);
  expect(unknown).toEqual(["This machine cannot tell whether other networks reach these ports."]);
});

test("a wildcard that is missing is a fault, and so is that of the target", async () => {
  const { faults } = await probe({ "apps.test": ZONE });
  expect(faults.map(({ part }) => part)).toEqual(["wildcard", "target"]);
  expect(describeFaults(faults.slice(0, 1))).toBe(
    "No name below apps.test has an address: *.apps.test is missing. Create a wildcard record in the zone of PLATFORM_DOMAIN, with the addresses of this service.",
  );
});

test("name servers that are silent are no fault", async () => {
  const { faults, unknown } = await probe({}, {}, true);
  expect(faults).toEqual([]);
  expect(unknown).toContain("*.apps.test could not be looked up.");
});

const CAA = { "apps.test": [...ZONE, ...WILDCARD, 'apps.test CAA 0 issue "other.example"'] };

test("CAA records that forbid the CA are a fault, where certificates are ordered", async () => {
  const parts = async (issuers?: readonly string[]) =>
    (await probe(CAA, issuers ? { issuers } : {})).faults.map(({ part }) => part);
  expect(await parts(["ca.example"])).toEqual(["caa"]);
  expect(await parts(["other.example"])).toEqual([]);
  expect(await parts()).toEqual([]);
});

test.each(["http", "https"] as const)("a port that leads elsewhere is a fault: %s", async (part) => {
  const { faults } = await probe(
    { "apps.test": [...ZONE, ...WILDCARD] },
    { ports: portTrials({ [part]: refuse }) },
  );
  const port = part === "http" ? 80 : 443;
  expect(faults).toEqual([
    {
      part,
      detail: `Tried from this machine, port ${port} at 203.0.113.7 does not reach this service: connection refused.`,
    },
  ]);
});

test("without a server the ports are not tried", async () => {
  const { faults, unknown } = await probe({ "apps.test": [...ZONE, ...WILDCARD] }, {});
  expect(faults).toEqual([]);
  expect(unknown).toEqual(["The ports were not tried: no server with HTTPS_PORT runs here."]);
});

const FAULT = { part: "wildcard", detail: "No name has an address." } as const;
const MINUTE = 60_000;

/** A watch whose probes have the test's findings. */
const openWatch = () => {
  const [clock, dataDir] = [testClock(), temporaryDirectory()];
  const lines: string[] = [];
  const log = { debug() {}, warn: () => lines.push("warn"), info: () => lines.push("info") };
  const state = { faults: [] as (typeof FAULT)[], probes: 0 };
  const watch = platformWatch({ config: { dataDir }, clock, log } as never, async () => {
    state.probes++;
    return { report: { faults: state.faults, right: [], unknown: [] }, input: { token: "probe-1" } };
  });
  return { watch, clock, dataDir, lines, state };
};

test("the server probes daily, and every ten minutes while something is wrong", async () => {
  const { watch, clock, state } = openWatch();
  const probesAfter = async (ms: number) => {
    clock.advance(ms);
    await watch.tick();
    return state.probes;
  };
  expect(await probesAfter(0)).toBe(1);
  expect(await probesAfter(23 * 60 * MINUTE)).toBe(1);
  state.faults = [FAULT];
  expect(await probesAfter(60 * MINUTE)).toBe(2);
  expect(await probesAfter(9 * MINUTE)).toBe(2);
  expect(await probesAfter(MINUTE)).toBe(3);
});

test("the log has each change once", async () => {
  const { watch, clock, lines, state } = openWatch();
  for (const faults of [[], [FAULT], [FAULT], []]) {
    state.faults = faults;
    await watch.tick();
    clock.advance(24 * 60 * MINUTE);
  }
  expect(lines).toEqual(["warn", "info"]);
});

test("commands read the findings of a running server", async () => {
  const { watch, dataDir, state } = openWatch();
  expect(readPlatform(dataDir)).toBeUndefined();
  state.faults = [FAULT];
  await watch.tick();
  expect(readPlatform<object>(dataDir)).toEqual({ faults: [FAULT], input: { token: "probe-1" } });
  expect(watch.faults()).toEqual([FAULT]);
});

test("with a PLATFORM_DOMAIN of this machine only, nothing is probed, and an old file is removed", async () => {
  const dataDir = temporaryDirectory();
  const path = join(dataDir, "platform.json");
  writeFileSync(path, '{"faults":[]}');
  await platformWatch({ config: { dataDir } } as never, undefined).tick();
  expect(existsSync(path)).toBe(false);
});

test("the warning counts the faults, and explains what to do", () => {
  expect(platformWarnings([])).toEqual([]);
  expect(platformWarnings([FAULT])).toEqual([
    {
      code: "platform_unready",
      count: 1,
      message:
        "This service is not ready for custom domains. No name has an address. Create a wildcard record in the zone of PLATFORM_DOMAIN, with the addresses of this service. To check the repair, run adoption-store doctor.",
    },
  ]);
});
