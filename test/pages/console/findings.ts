import type { Domain, Finding } from "../../../src/pages/console/ui/domains/model.ts";
import type { DomainFinding } from "../../../src/platform/dns-checks/finding.ts";
import { fromFindings } from "../../../src/platform/dns-checks/model.ts";
import { PROVIDERS } from "../../../src/platform/dns-checks/providers.ts";
import { neededAt } from "../../../src/platform/dns-records/needed-record.ts";
import { hostnameOf } from "../../../src/lib/hostname.ts";

/** The fields of a finding that a test needs. */
export type Stored = Partial<Finding> & Pick<Finding, "kind">;
export type Shown = Partial<Domain> & Pick<Domain, "hostname" | "record" | "stage">;

/** Findings as the API returns them with a domain. Absent fields have values that no test reads. */
export const findingsOf = (findings: readonly Stored[], domain: Shown): Finding[] => {
  const { hostname: name, record, stage, guide } = domain;
  const [{ apexType: _, ...provider }] = PROVIDERS as [(typeof PROVIDERS)[number]];
  const known = guide && { ...provider, ...(guide.apexType && { apexType: guide.apexType }) };
  const stored = findings.map((one) => ({ name, found: [], expected: [record.value], ...one }));
  return fromFindings(
    // A row of the database is any of them.
    stored as unknown as DomainFinding[],
    neededAt(hostnameOf(name), record, known, stage === "live"),
  );
};
