import { commandPlatform } from "../app/platform.ts";
import { describeFaults } from "../platform/fault.ts";
import type { Probe } from "./doctor-finding.ts";
import { configBeside } from "./settings.ts";

/** Asks the DNS about the platform's own names, and tries its ports. */
export const platformProbe =
  (options: Readonly<Record<string, unknown>>): Probe =>
  async () => {
    const report = await commandPlatform(configBeside(options));
    if (!report) return "PLATFORM_DOMAIN is for this machine only: nothing to probe";
    const { faults, right, unknown } = report;
    if (faults.length > 0) return { warning: [describeFaults(faults), ...unknown].join(" ") };
    return [...right, ...unknown].join(" ");
  };
