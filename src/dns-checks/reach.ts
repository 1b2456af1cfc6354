import type { Finding } from "./finding.ts";
import type { Inspect, Inspection } from "./inspect.ts";

/** Tries to reach this service under a name at addresses, as a CA does. Returns why that fails; undefined if it works. */
export type TryToReach = (hostname: string, addresses: readonly string[]) => Promise<string | undefined>;

/** True for a name whose records are right, but which is not served yet. */
const isArriving = ({ event, report }: Inspection, isServed = false): boolean =>
  event === "records_right" && !isServed && report.targetAddresses.length > 0;

/** The holder of a name chooses its addresses, and each costs two connections at the same time. */
const MAX_TRIED = 8;

/** Inspects a name, and tries to reach it: through a proxy, or once its records are right. Never changes the event. */
export const reachingInspector =
  (inspect: Inspect, tryToReach: TryToReach): Inspect =>
  async (hostname, target, options) => {
    const tryFirst = (addresses: readonly string[]) =>
      tryToReach(hostname.ascii, addresses.slice(0, MAX_TRIED));
    const inspection = await inspect(hostname, target, options);
    // No request can be for the wildcard itself.
    if (hostname.isWildcard) return inspection;
    const tried = inspection.findings.map(async (finding): Promise<Finding> => {
      if (finding.kind !== "proxied") return finding;
      const obstacle = await tryFirst(finding.found);
      return { ...finding, reachesService: obstacle === undefined };
    });
    const findings = await Promise.all(tried);
    const obstacle = isArriving(inspection, options.isServed)
      ? await tryFirst(inspection.report.targetAddresses)
      : undefined;
    if (obstacle === undefined) return { ...inspection, findings };
    const reason = `cannot be reached (${obstacle.replace(/\.$/, "")})`;
    return { ...inspection, findings: [...findings, { kind: "platform_unready", name: target, reason }] };
  };
