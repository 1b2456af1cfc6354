import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { domainToASCII } from "node:url";
import { parseLine, type Line } from "../support/zones.ts";
import { publish } from "./site.ts";
import { type FoundFault, followAdvice, type NeededRecords } from "./advice.ts";
import { surroundings } from "./authorities.ts";
import { freeServer, namesOf, NEEDED, type Updatable } from "./dns-servers.ts";
import { type FaultyZone, faultServers, REFUSING } from "./fault-servers.ts";
import { isServedBy } from "./https.ts";
import { directory, real, run, serve, type Server, until } from "./support.ts";
import { FAULT_GROUPS, type ZoneFault, zoneOf } from "./zone-faults.ts";
import { type Outcome, writeReport } from "./fault-report.ts";

const test = real(...NEEDED, "pebble", "tsig-keygen", "dnssec-keygen", "dnssec-signzone");

/** The limit for all faults together: the checks before and after the repair, and the certificates. */
const MAX_MS = 180_000;
/** More than the advice of any fault needs. */
const MAX_ROUNDS = 4;
/** `named` has loaded a zone by then. */
const LOADED_MS = 1500;
/** The service's zones, for targets and for the names of challenges. */
const TARGETS = "pages.test";
const SITES = "sites.test";

interface Domain {
  stage: string;
  checkedAt?: string;
  findings: FoundFault[];
  record: NeededRecords;
  certificate?: object;
}

interface Project {
  slug: string;
  target: string;
}

const makeProject = async (server: Server, slug: string): Promise<Project> => ({
  slug,
  target: await publish(server, slug),
});

/** Completes the names with the zone, and fills in the placeholders. */
const linesOf = (zone: string, lines: readonly string[], values: Record<string, string>): Line[] =>
  lines.map((text) => {
    const line = parseLine(text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ""));
    return { ...line, name: line.name === "@" ? zone : `${line.name}.${zone}` };
  });

const faultyZone = (fault: ZoneFault, { target }: Project, other: Project): FaultyZone => {
  const zone = zoneOf(fault);
  const values = { target, TARGET: target.toUpperCase(), other: other.target, zone, refusing: REFUSING };
  const subzones = Object.entries(fault.subzones ?? {}).map(([label, lines]): [string, Line[]] => [
    `${label}.${zone}`,
    linesOf(`${label}.${zone}`, lines, values),
  ]);
  return {
    zone,
    fault,
    records: linesOf(zone, fault.records, values),
    ...(fault.instead && { instead: linesOf(zone, fault.instead, values) }),
    subzones: Object.fromEntries(subzones),
  };
};

const hostnameOf = (fault: ZoneFault): string =>
  fault.host === "@" ? zoneOf(fault) : `${fault.host}.${zoneOf(fault)}`;

const updateKey = async (path: string): Promise<Updatable & { file: string }> => {
  const { stdout: key } = await run(["tsig-keygen", "-a", "hmac-sha256", "acme.key"]);
  const file = join(path, "update.key");
  writeFileSync(file, key, { mode: 0o600 });
  return { zone: SITES, key, keyName: "acme.key", file };
};

/** The service with a CA, and a zone for each fault. */
const open = async (path: string, faults: readonly ZoneFault[]) => {
  const { servers, authority, env, httpsPort } = await surroundings(path);
  const resolver = await freeServer();
  const key = await updateKey(path);
  const settings = {
    ...env,
    DNS_RESOLVERS: namesOf({ ...servers, resolver }).resolver,
    PLATFORM_DOMAIN: SITES,
    DNS_UPDATE_SERVER: namesOf(servers).authority,
    DNS_UPDATE_KEY_FILE: key.file,
  };
  const server = await serve({ cwd: path, env: settings });
  const projects = await Promise.all(
    ["shelter", "rescue", "strict"].map((slug) => makeProject(server, slug)),
  );
  const [shelter, rescue, strict] = projects as [Project, Project, Project];
  const zones = faults.map((fault, index) => {
    const project = fault.isTargetForbidden ? strict : index % 2 === 0 ? shelter : rescue;
    const other = project === shelter ? rescue : shelter;
    return { project, zone: faultyZone(fault, project, other) };
  });
  const targets = [`*.${TARGETS} A 127.0.0.1`, `${TARGETS} A 127.0.0.1`, `${strict.target} 5 A 127.0.0.1`];
  const dns = await faultServers({
    zones: zones.map(({ zone }) => zone),
    authority: servers.authority,
    resolver,
    caResolver: servers.resolver,
    platform: {
      [TARGETS]: [...targets, `${strict.target} 5 CAA 0 issue "other.test"`],
      [SITES]: [`*.${SITES} A 127.0.0.1`],
    },
    updatable: key,
  });
  const root = readFileSync(authority.rootFile, "utf8");
  return {
    server,
    dns,
    zones,
    root,
    httpsPort,
    allowTarget: () => dns.publishPlatform(TARGETS, targets),
  };
};

type Place = Awaited<ReturnType<typeof open>>;

/** Findings that need an action before the domain is live. */
const withoutHints = (findings: readonly FoundFault[]) =>
  findings.filter(({ kind, isHint }) => kind === "unreachable" || !isHint);

/** Waits until a condition holds for a domain. @param end the deadline */
const watch = (place: Place, path: string, end: number) => {
  const read = async (): Promise<Domain> => {
    const response = await place.server.call(path);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Domain;
  };
  return async (isSo: (domain: Domain) => boolean): Promise<Domain> => {
    for (;;) {
      const domain = await read();
      if (isSo(domain)) return domain;
      const { stage, findings, certificate } = domain;
      if (performance.now() > end)
        throw new Error(`deadline exceeded: ${JSON.stringify({ stage, findings, certificate })}`);
      await Bun.sleep(500);
    }
  };
};

/** True for a finding that someone other than the holder must act on. */
const isForOthers = ({ responsible = "" }: FoundFault): boolean => !["holder", "proxy"].includes(responsible);

/** Follows the advice of a check. @returns false if nothing changed */
const follow = async (place: Place, zone: FaultyZone, { record }: Domain, found: readonly FoundFault[]) => {
  const before = JSON.stringify(zone.records);
  followAdvice({ zone: zone.zone, records: zone.records, needed: record }, found);
  const mustRepair = found.some(isForOthers) && !place.dns.isRepaired(zone);
  if (!mustRepair && before === JSON.stringify(zone.records)) return false;
  if (zone.fault.isTargetForbidden) place.allowTarget();
  await place.dns.publish(zone, mustRepair);
  return true;
};

/** Adds a domain, and follows its page exactly, without Verify. */
const repair = async (
  place: Place,
  { project, zone }: Place["zones"][number],
  end: number,
): Promise<Outcome> => {
  const { fault } = zone;
  const hostname = hostnameOf(fault);
  const domains = `/platform/projects/${project.slug}/domains`;
  await place.server.send(domains, { hostname });
  const waitUntil = watch(place, `${domains}/${encodeURIComponent(hostname)}`, end);
  let since = performance.now();
  let domain = await waitUntil(({ checkedAt }) => checkedAt !== undefined);
  // The contents of a resolver's cache differ from run to run.
  const seen = domain.findings.filter(({ kind }) => kind !== "not_propagated");
  const outcome = { id: fault.id, target: project.target, findings: seen };
  try {
    for (let round = 1; domain.stage !== "live"; round++) {
      const found = withoutHints(domain.findings);
      if (round > MAX_ROUNDS) throw new Error(`the advice never ends: ${JSON.stringify(found)}`);
      if (await follow(place, zone, domain, found)) since = performance.now();
      const loaded = new Date(Date.now() + LOADED_MS).toISOString();
      domain = await waitUntil(
        ({ stage, checkedAt = "", findings }) =>
          stage === "live" || (checkedAt > loaded && withoutHints(findings).length > 0),
      );
    }
    const servername = domainToASCII(hostname.replace("*", "any"));
    await until("HTTPS", () => isServedBy(place.httpsPort, servername, place.root));
    return { ...outcome, ms: performance.now() - since };
  } catch (error) {
    return { ...outcome, problem: String(error) };
  }
};

const FAULTS = FAULT_GROUPS.flatMap(({ faults }) => faults);

/** `UPDATE_FAULTS=1` writes the findings and the times into the manual. */
const MUST_UPDATE = process.env["UPDATE_FAULTS"] === "1";

test(
  "each fault of a zone has its finding, and exactly its advice makes the domain live over HTTPS",
  async () => {
    const files = directory();
    const place = await open(files, FAULTS);
    const end = performance.now() + MAX_MS;
    const outcomes = await Promise.all(place.zones.map((zone) => repair(place, zone, end)));
    const seen = outcomes.map(({ id, findings, problem }) => ({
      id,
      findings: findings.map(({ kind }) => kind).toSorted(),
      responsible: findings[0]?.responsible,
      problem,
    }));
    const expected = FAULTS.map(({ id, findings, responsible = "holder" }) => ({
      id,
      findings: findings.toSorted(),
      responsible: findings.length > 0 ? responsible : undefined,
      problem: undefined,
    }));
    expect(seen).toEqual(expected);
    if (MUST_UPDATE) await writeReport(outcomes);
  },
  MAX_MS + 60_000,
);
