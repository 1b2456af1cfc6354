import { fieldFault } from "../lib/errors.ts";
import { type OfferConnect, patientOffer } from "../dns-records/connect-offer.ts";
import type { ConnectOffer } from "../dns-records/model.ts";
import { type Hostname, parseHostname } from "../lib/hostname.ts";
import type { Report } from "../dns-checks/model.ts";
import type { Inspect } from "../dns-checks/inspect.ts";
import { type JudgedName, judgeWithTarget, judgeWithoutTarget } from "./verdict.ts";
import { type ReservedNames, acceptableHostname, refusedName } from "../dns-checks/names.ts";

/** A name to check, as a person typed it. */
export interface TypedName {
  hostname: string;
  /** What its record must point to. Without it, the check only says what the name has. */
  target?: string | undefined;
}

/** A name that can be checked. */
export interface CheckableName {
  hostname: Hostname;
  /** In A-labels. */
  target: string | undefined;
}

export interface NameCheck extends JudgedName, CheckableName {
  report: Report;
  /** Only for a target of this service, and a name that needs records. */
  connect?: ConnectOffer | undefined;
}

/** The project's label in a target of this service. */
const labelIn = (target: string | undefined, zone: string): string | undefined => {
  const label = target?.endsWith(`.${zone}`) ? target.slice(0, -zone.length - 1) : undefined;
  return label?.includes(".") ? undefined : label;
};

/** @throws Fault invalid_request */
const acceptableTarget = (typed: string, hostname: Hostname): string => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw refusedName(parsed.refusal, "target");
  const { ascii } = parsed.hostname;
  if (ascii === hostname.ascii)
    throw fieldFault("invalid_request", { field: "target", rule: "conflict" }, "target: is the name itself");
  return ascii;
};

/** Parses a name by the rules for the domains of projects. @throws Fault invalid_request */
export const parseCheckable = (typed: TypedName, reservedNames: ReservedNames): CheckableName => {
  const hostname = acceptableHostname(typed.hostname, reservedNames);
  const target = typed.target === undefined ? undefined : acceptableTarget(typed.target, hostname);
  return { hostname, target };
};

interface NameCheckerOptions {
  inspect: Inspect;
  /** The domain of all targets. */
  targetZone: string;
  /** Undefined without Domain Connect, and for people without a key: it causes requests to servers that strangers choose. */
  offerConnect?: OfferConnect | undefined;
}

/** Checks a name that need not belong to a project. Stores nothing. */
export const nameChecker = ({ inspect, targetZone, offerConnect }: NameCheckerOptions) => {
  const connectOf = patientOffer(offerConnect);
  return async ({ hostname, target }: CheckableName, isUrgent: () => boolean): Promise<NameCheck> => {
    // Only a project that holds the name needs no proof, and this check knows no project.
    const options = { isUrgent, needsProof: target !== undefined };
    const inspection = await inspect(hostname, target ?? hostname.ascii, options);
    const judged =
      target === undefined
        ? judgeWithoutTarget(inspection, { hostname, targetZone })
        : judgeWithTarget(inspection);
    const { report } = inspection;
    const label = judged.verdict === "right" ? undefined : labelIn(target, targetZone);
    const connect = label && (await connectOf({ hostname, zone: report.zone, label }));
    return { hostname, target, ...judged, report, ...(connect && { connect }) };
  };
};

export type CheckName = ReturnType<typeof nameChecker>;
