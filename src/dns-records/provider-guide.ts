import type { DomainFinding } from "../dns-checks/finding.ts";
import { providerOf } from "../dns-checks/providers.ts";
import type { Report } from "../dns-checks/model.ts";
import type { Hostname } from "../lib/hostname.ts";
import type { NeededRecord, ProviderGuide } from "./model.ts";
import { recordFor } from "./needed-record.ts";
import { openPanel } from "./panel-steps.ts";
import { creations, neededAt, repairs } from "./repair-steps.ts";
import type { KnownZone } from "./terraform.ts";

const NS_RECORD = /^\S+ \d+ IN NS (\S+)$/;

/** The names of a zone's servers, from the responses of a check. */
const serverNamesIn = ({ zone, questions }: Report): string[] => {
  const records = questions.flatMap(({ name, type, records: lines }) =>
    type === "NS" && name === zone ? lines : [],
  );
  return [...new Set(records.flatMap((line) => NS_RECORD.exec(line)?.[1] ?? []))];
};

/** What a check says of the zone. */
export const zoneIn = (report: Report | undefined): KnownZone => ({
  name: report?.zone,
  provider: report && providerOf(serverNamesIn(report)),
  addresses: report?.targetAddresses ?? [],
});

/** What to do at the DNS provider of a name's zone: what the findings ask for, or else how to create the records. */
export const guideFor = (
  owner: string,
  record: NeededRecord,
  zone: KnownZone,
  findings: readonly DomainFinding[] = [],
): ProviderGuide | undefined => {
  const { provider } = zone;
  // The NS records belong to the parent zone, or the record to the child zone. Each may be at another provider.
  if (!provider || findings.some(({ kind }) => kind === "delegated_away")) return undefined;
  const { name, apexType } = provider;
  const needed = neededAt(owner, record, zone, provider);
  const steps = repairs(findings, needed);
  return {
    provider: name,
    ...(apexType && { apexType }),
    steps: [openPanel(needed), ...(steps.length > 0 ? steps : creations(needed))],
  };
};

/**
 * The record that a name needs, and what to do in the zone of the last check.
 * @param addresses of the target, if they are known better than by that check
 * @param findings of that check
 */
export const recordAndGuide = (
  hostname: Hostname,
  target: string,
  report: Report | undefined,
  {
    addresses = [],
    findings = [],
  }: { addresses?: readonly string[] | undefined; findings?: readonly DomainFinding[] } = {},
) => {
  const zone = { ...zoneIn(report), ...(addresses.length > 0 && { addresses }) };
  const record = recordFor(hostname, target, zone);
  const guide = guideFor(hostname.ascii, record, zone, findings);
  return { record, ...(guide && { guide }) };
};
