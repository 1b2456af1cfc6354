import { commandPlatform } from "../app/platform.ts";
import type { Config } from "../config/config.ts";
import { describeFaults } from "../platform/fault.ts";
import type { Probe } from "./doctor-finding.ts";

/** Asks the DNS about the platform's own names, and tries its ports. @param config with the settings of the server */
export const platformProbe =
  (config: Config): Probe =>
  async () => {
    const report = await commandPlatform(config);
    if (!report) return "PLATFORM_DOMAIN is for this machine only: nothing to probe";
    const { faults, right, unknown } = report;
    if (faults.length > 0) return { warning: [describeFaults(faults), ...unknown].join(" ") };
    return [...right, ...unknown].join(" ");
  };
