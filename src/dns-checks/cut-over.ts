import type { Hostname } from "../lib/hostname.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";
import type { Delegation } from "./delegation.ts";
import type { Finding } from "./finding.ts";
import { type Inspect, type Inspection, sanitizeFinding } from "./inspect.ts";
import { isSibling } from "./ownership.ts";

// A site moves here without a gap: the DNS proves whose the name is, the certificate is issued, and then the records change.

/** True if a check found that the project may have the name. */
export const mayHold = (event: Inspection["event"]): boolean =>
  event === "records_right" || event === "ownership_proven";

/** Findings that only say where the records lead. */
const LEADING_ELSEWHERE: ReadonlySet<Finding["kind"]> = new Set([
  "no_record",
  "wrong_target",
  "conflicting_record",
  "stray_address",
  "wildcard_record",
  "proxied",
]);

/** Faults of the records, wherever they lead. */
const FAULTS: ReadonlySet<Finding["kind"]> = new Set(["no_record", "stray_address", "proxied"]);

/** True for records that lead nowhere, and block the CNAME all the same. */
const isInTheWay = (finding: Finding): boolean =>
  finding.kind === "conflicting_record" && finding.type !== "A" && finding.type !== "AAAA";

const isReplaced = (finding: Finding): boolean => !FAULTS.has(finding.kind) && !isInTheWay(finding);

const foundIn = (findings: readonly Finding[]): string[] => [
  ...new Set(findings.flatMap((finding) => ("found" in finding && finding.found) || [])),
];

/** True if the records lead to the target of another project. They count more than any proof. */
const leadsToRival = ({ findings }: Inspection, target: string): boolean =>
  foundIn(findings).some((value) => value !== target && isSibling(value, target));

/** The inspection of a name that is proven, and leads elsewhere. @param elsewhere the findings that say so @param challenge a value that is missing */
const provenElsewhere = (
  inspection: Inspection,
  elsewhere: readonly Finding[],
  { ascii: name, isApex }: Hostname,
  target: string,
  challenge: string | undefined,
): Inspection => {
  const others = inspection.findings.filter((one) => !elsewhere.includes(one) || !isReplaced(one));
  const finding = sanitizeFinding({
    kind: "not_moved",
    name,
    type: isApex ? "ALIAS" : "CNAME",
    found: foundIn(elsewhere.filter((one) => !isInTheWay(one))),
    expected: [target],
    ...(challenge && { challenge: { name: challengeNameOf(name), value: challenge } }),
  });
  return { ...inspection, event: "ownership_proven", isProven: true, findings: [finding, ...others] };
};

/**
 * Inspects names whose records may still lead to an old host. Two records prove a name: a TXT record with the project's target, and
 * a challenge that is delegated to the project. A wildcard has only the second.
 */
export const cutOverInspector =
  (inspect: Inspect, delegation: Delegation | undefined): Inspect =>
  async (hostname, target, options) => {
    const inspection = await inspect(hostname, target, options);
    const { isClaimed = false, findings } = inspection;
    const elsewhere = findings.filter(
      ({ kind, name }) => LEADING_ELSEWHERE.has(kind) && name === hostname.ascii,
    );
    if (!options.acceptsProof || elsewhere.length === 0 || leadsToRival(inspection, target))
      return inspection;
    const [label = ""] = target.split(".");
    const delegated = await delegation?.lookUp(hostname.ascii, label);
    const isProven = isClaimed || delegated?.kind === "delegated";
    if (!isProven) return inspection;
    const challenge = delegated?.kind === "elsewhere" && !options.isServed ? delegated.expected : undefined;
    return provenElsewhere(inspection, elsewhere, hostname, target, challenge);
  };
