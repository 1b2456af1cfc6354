import type { Hostname } from "../lib/hostname.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";
import type { Delegation } from "./delegation.ts";
import type { Finding } from "./finding.ts";
import { type Inspect, type Inspection, sanitizeFinding } from "./inspect.ts";
import { isSibling } from "./ownership.ts";

// A site moves here without downtime: the DNS proves ownership, the certificate is issued, and then the records change.

/** True if a check found that the project may have the name. */
export const mayHold = (event: Inspection["event"]): boolean =>
  event === "records_right" || event === "ownership_proven";

/** Findings that only report where the records point. */
const POINTING_ELSEWHERE: ReadonlySet<Finding["kind"]> = new Set([
  "no_record",
  "wrong_target",
  "conflicting_record",
  "stray_address",
  "wildcard_record",
  "proxied",
]);

/** Faults of the records, regardless of their destination. */
const FAULTS: ReadonlySet<Finding["kind"]> = new Set(["no_record", "stray_address", "proxied"]);

/** True for records that have no destination but still block the CNAME. */
const isInTheWay = (finding: Finding): boolean =>
  finding.kind === "conflicting_record" && finding.type !== "A" && finding.type !== "AAAA";

const isReplaced = (finding: Finding): boolean => !FAULTS.has(finding.kind) && !isInTheWay(finding);

const foundIn = (findings: readonly Finding[]): string[] => [
  ...new Set(findings.flatMap((finding) => ("found" in finding && finding.found) || [])),
];

/** True if the records point to the target of another project. This outweighs any proof. */
const pointsToRival = ({ findings }: Inspection, target: string): boolean =>
  foundIn(findings).some((value) => value !== target && isSibling(value, target));

/** The inspection of a proven name that points elsewhere. @param elsewhere the findings that show it @param challenge a missing value */
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
 * Inspects names whose records may still point to an old host. Either of two records proves a name: a TXT record with the project's
 * target, or a challenge that is delegated to the project. A wildcard can have only the second.
 */
export const cutOverInspector =
  (inspect: Inspect, delegation: Delegation | undefined): Inspect =>
  async (hostname, target, options) => {
    const inspection = await inspect(hostname, target, options);
    const { isClaimed = false, findings } = inspection;
    const elsewhere = findings.filter(
      ({ kind, name }) => POINTING_ELSEWHERE.has(kind) && name === hostname.ascii,
    );
    if (!options.acceptsProof || elsewhere.length === 0 || pointsToRival(inspection, target))
      return inspection;
    const [label = ""] = target.split(".");
    const delegated = await delegation?.lookUp(hostname.ascii, label);
    const isProven = isClaimed || delegated?.kind === "delegated";
    if (!isProven) return inspection;
    const challenge = delegated?.kind === "elsewhere" && !options.isServed ? delegated.expected : undefined;
    return provenElsewhere(inspection, elsewhere, hostname, target, challenge);
  };
