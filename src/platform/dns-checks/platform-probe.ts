import { rmSync } from "node:fs";
import { join } from "node:path";
import { describeFinding } from "./finding.ts";
import type { Inspect } from "./inspect.ts";
import { writeDurably } from "../../lib/durable.ts";
import { hostnameOf } from "../../lib/hostname.ts";
import type { Logger } from "../../lib/log.ts";
import { type Poller, repeat } from "../../lib/poller.ts";
import { reasonOf } from "../../lib/reason.ts";
import { DAY_MS, formatTime } from "../../lib/time.ts";
import type { Warning } from "../../http/health.ts";
import type { Context } from "../../data/context.ts";
import { readJson } from "../../lib/files.ts";

/** The parts of the platform that the operator provides for custom domains, with advice for each. */
const PLATFORM_PARTS = {
  wildcard: "Create a wildcard record in the zone of PLATFORM_DOMAIN, with the addresses of this service.",
  target: "Create a wildcard record below PLATFORM_CNAME_TARGET, with the addresses of this service.",
  caa: "Change the CAA records of PLATFORM_DOMAIN so that they allow the CA.",
  http: "Forward port 80 of the address to HTTP_PORT.",
  https: "Forward port 443 of the address to HTTPS_PORT.",
} as const;

type PlatformPart = keyof typeof PLATFORM_PARTS;
const PLATFORM_PART_NAMES = Object.keys(PLATFORM_PARTS) as PlatformPart[];

/** Something that the operator must correct. */
export interface PlatformFault {
  part: PlatformPart;
  /** A sentence that names it. */
  detail: string;
}

/** One sentence for the operator: the problems and their remedies. */
export const describeFaults = (faults: readonly PlatformFault[]): string => {
  const parts = new Set(faults.map(({ part }) => part));
  return [...faults.map(({ detail }) => detail), ...[...parts].map((part) => PLATFORM_PARTS[part])].join(" ");
};

/** How many faults each part has, for `/metrics`. */
export const faultCounts = (faults: readonly PlatformFault[]): Map<string, number> =>
  new Map(PLATFORM_PART_NAMES.map((name) => [name, faults.filter(({ part }) => part === name).length]));

/** The warning of `/readyz` and `status`. */
export const platformWarnings = (faults: readonly PlatformFault[]): Warning[] =>
  faults.length === 0
    ? []
    : [
        {
          code: "platform_unready",
          count: faults.length,
          message: `This service is not ready for custom domains. ${describeFaults(faults)} To check the repair, run adoption-store doctor.`,
        },
      ];

export interface PlatformReport {
  faults: PlatformFault[];
  /** The correct parts, in sentences. */
  right: string[];
  /** The parts that could not be checked, in sentences. They never count as faults. */
  unknown: string[];
}

type PortName = "http" | "https";

/** A port to which CAs connect. */
interface PortTrial {
  port: number;
  /** Connects to this service at an address. @throws if nothing or another server responds */
  connect(address: string): Promise<void>;
}

export type PortTrials = Readonly<Record<PortName, PortTrial>>;

interface PlatformProbeOptions {
  inspect: Inspect;
  /** The names that CAA records may use for the CAs; undefined if that is not to be checked. */
  issuers: readonly string[] | undefined;
  /** Undefined if this process cannot recognise the service at its ports. */
  ports: PortTrials | undefined;
}

const NOTHING: PlatformReport = { faults: [], right: [], unknown: [] };

/** One try for each of more addresses would take too long. */
const MAX_ADDRESSES = 8;

const joined = (reports: readonly PlatformReport[]): PlatformReport => ({
  faults: reports.flatMap(({ faults }) => faults),
  right: reports.flatMap(({ right }) => right),
  unknown: reports.flatMap(({ unknown }) => unknown),
});

const OPTIONS = { isUrgent: () => false, needsProof: false };

/** Random, because resolvers may remember that an earlier name did not exist. */
const randomName = (zone: string): string => `probe-${crypto.randomUUID().slice(0, 8)}.${zone}`;

const ANSWERED: ReadonlySet<string> = new Set(["NOERROR", "NXDOMAIN"]);

/** Looks up a random name below a zone, which only a wildcard record can have. */
const probeNames = async (
  part: "wildcard" | "target",
  zone: string,
  issuers: readonly string[] | undefined,
  inspect: Inspect,
): Promise<{ report: PlatformReport; addresses: string[] }> => {
  const name = randomName(zone);
  const { findings, report } = await inspect(hostnameOf(name), name, { ...OPTIONS, issuers: issuers ?? [] });
  const addresses = report.targetAddresses;
  const caa = issuers && findings.find(({ kind }) => kind === "caa_forbids");
  const faults: PlatformFault[] = caa ? [{ part: "caa", detail: describeFinding(caa) }] : [];
  if (addresses.length > 0)
    return { addresses, report: { ...NOTHING, faults, right: [`*.${zone} has ${addresses.join(", ")}.`] } };
  // A server that was not reached says nothing about the name.
  if (report.questions.some(({ type, outcome }) => type === "A" && ANSWERED.has(outcome))) {
    const detail = `No name below ${zone} has an address: *.${zone} is missing.`;
    return { addresses, report: { ...NOTHING, faults: [...faults, { part, detail }] } };
  }
  return { addresses, report: { ...NOTHING, faults, unknown: [`*.${zone} could not be looked up.`] } };
};

/** Tries a port at every address. */
const probePort = async (
  part: PortName,
  { port, connect }: PortTrial,
  addresses: readonly string[],
): Promise<PlatformReport> => {
  const faults = await Promise.all(
    addresses.map((address) =>
      connect(address).then(
        () => [],
        (error: unknown) => [
          {
            part,
            detail: `Tried from this machine, port ${port} at ${address} does not reach this service: ${reasonOf(error)}.`,
          },
        ],
      ),
    ),
  );
  const isRight = faults.flat().length === 0;
  const right = `Tried from this machine, port ${port} at ${addresses.join(", ")} reaches this service.`;
  return { ...NOTHING, faults: faults.flat(), right: isRight ? [right] : [] };
};

const NOT_KNOWN = "This machine cannot tell whether other networks reach these ports.";
const NOT_TRIED = "The ports were not tried: no server with HTTPS_PORT runs here.";

const probePorts = async (
  addresses: readonly string[],
  ports: PortTrials | undefined,
): Promise<PlatformReport> => {
  if (addresses.length === 0) return NOTHING;
  if (!ports) return { ...NOTHING, unknown: [NOT_TRIED] };
  const tried = await Promise.all([
    probePort("http", ports.http, addresses),
    probePort("https", ports.https, addresses),
  ]);
  return joined([...tried, { ...NOTHING, unknown: [NOT_KNOWN] }]);
};

/** Finds out whether the platform's own names are ready for custom domains. */
export const probePlatform = async (
  config: Pick<Context["config"], "platformDomain" | "platformCnameTarget">,
  { inspect, issuers, ports }: PlatformProbeOptions,
): Promise<PlatformReport> => {
  const found = await Promise.all([
    probeNames("wildcard", config.platformDomain, issuers, inspect),
    probeNames("target", config.platformCnameTarget, undefined, inspect),
  ]);
  const addresses = [...new Set(found.flatMap((one) => one.addresses))].slice(0, MAX_ADDRESSES);
  return joined([...found.map(({ report }) => report), await probePorts(addresses, ports)]);
};

/** Until the next probe after one that found a fault. */
const RETRY_MS = 10 * 60_000;

/** The result of the server of a DATA_DIR, for commands next to it. With `input`, they probe as the server does. */
interface SavedPlatform<Input = unknown> {
  faults: PlatformFault[];
  input: Input;
}

const platformPath = (dataDir: string): string => join(dataDir, "platform.json");

/** Undefined if the server has not probed yet, or if the file cannot be read. */
export const readPlatform = <Input>(dataDir: string): SavedPlatform<Input> | undefined => {
  const value = readJson(platformPath(dataDir)) as SavedPlatform<Input> | null | undefined;
  return value && Array.isArray(value.faults) ? value : undefined;
};

/** Logs a change once. */
const logChange = (log: Logger, before: string, after: string): void => {
  if (before === after) return;
  if (after === "") log.info("the platform is ready for custom domains");
  else log.warn({ faults: after }, "the platform is not ready for custom domains");
};

/**
 * Probes the platform's own names at the start and daily, and more often while something is wrong.
 * @param probe undefined if there is nothing to probe
 */
export const platformWatch = (
  { config: { dataDir }, clock, log }: Context,
  probe: (() => Promise<{ report: PlatformReport; input: unknown }>) | undefined,
) => {
  let faults: readonly PlatformFault[] = [];
  let nextAt = 0;
  const run = async () => {
    if (!probe) return rmSync(platformPath(dataDir), { force: true });
    if (clock.now() < nextAt) return undefined;
    const { report, input } = await probe();
    nextAt = clock.now() + (report.faults.length > 0 ? RETRY_MS : DAY_MS);
    log.debug({ ...report, nextProbeAt: formatTime(nextAt) }, "probed the platform's names");
    logChange(log, describeFaults(faults), describeFaults(report.faults));
    faults = report.faults;
    const saved: SavedPlatform = { faults: report.faults, input };
    return writeDurably(platformPath(dataDir), `${JSON.stringify(saved, null, 2)}\n`);
  };
  const poller: Poller = repeat(RETRY_MS, run, {
    firstMs: 0,
    onError: (error) => log.warn({ err: error }, "the platform's names could not be probed"),
  });
  return { ...poller, faults: (): readonly PlatformFault[] => faults };
};
