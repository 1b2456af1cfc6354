import { type Trial, portTrials } from "../platform/certificates/probes.ts";
import type { Config } from "../config/config.ts";
import { isDataDirLocked } from "../data/data-dir/lock.ts";
import { type Inspect, dnsInspector } from "../platform/dns-checks/inspect.ts";
import { ownNames } from "../platform/dns-checks/names.ts";
import {
  type PlatformFault,
  type PlatformReport,
  platformWatch,
  probePlatform,
  readPlatform,
} from "../platform/dns-checks/platform-probe.ts";
import { type Context, systemRuntime } from "../data/context.ts";

/** The inputs of a probe of a server with HTTPS. */
interface ProbeInput {
  trial: Trial;
  /** The names that CAA records may use for the CAs. */
  issuers: string[];
}

/** True if the names of the platform may be in the public DNS, unlike `localhost`. */
const isProbed = (config: Config): boolean => ownNames(config).publicPlatformDomain !== undefined;

const probe = (config: Config, inspect: Inspect, input: ProbeInput | undefined): Promise<PlatformReport> =>
  probePlatform(config, {
    inspect,
    issuers: input?.issuers,
    ports: input && portTrials(input.trial, config.dnsPrivate),
  });

/** Probes the platform's names while the server runs. */
export const serverPlatform = (
  context: Context,
  { inspect, openProbe }: { inspect: Inspect; openProbe: (() => Promise<ProbeInput>) | undefined },
) => {
  const { config } = context;
  const run = async () => {
    const input = await openProbe?.();
    return { report: await probe(config, inspect, input), input };
  };
  return platformWatch(context, isProbed(config) ? run : undefined);
};

const savedBy = (config: Config) =>
  isDataDirLocked(config.dataDir) ? readPlatform<ProbeInput | undefined>(config.dataDir) : undefined;

/** The running server's last findings. */
export const platformFaults = (config: Config): readonly PlatformFault[] => savedBy(config)?.faults ?? [];

/**
 * Probes the platform's names from a command; undefined without any. The command recognises a running server by its
 * identity on its ports.
 */
export const commandPlatform = async (config: Config): Promise<PlatformReport | undefined> =>
  isProbed(config) ? probe(config, dnsInspector(config, systemRuntime), savedBy(config)?.input) : undefined;
