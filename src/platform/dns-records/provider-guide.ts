import { within } from "../dns-checks/dns-access.ts";
import {
  type Needed,
  type NewRecord,
  type RecordChange,
  creations,
  distinct,
} from "../dns-checks/finding-kind.ts";
import { type DomainFinding, changesFor } from "../dns-checks/finding.ts";
import type { Provider } from "../dns-checks/providers.ts";
import { type Hostname, isWithin } from "../../lib/hostname.ts";
import type { ConnectOffer, ProviderGuide } from "./model.ts";

// Steps at a DNS provider, in the words of its panel.

/** A zone at a listed provider. */
interface PanelZone {
  provider: Provider;
  name: string | undefined;
}

const SAVE = "If the form asks for a TTL, choose 1 hour (3600 seconds). Save.";
const SWITCH_OFF = "Switch the proxy off: the status must be DNS only.";

/** A name without its zone, which may be a delegated subdomain. */
const nameWithin = (owner: string, zone: string | undefined): string => {
  if (owner === zone) return "@";
  return zone !== undefined && owner.endsWith(`.${zone}`) ? owner.slice(0, -zone.length - 1) : owner;
};

/** A name as the panel lists it. */
const listedName = (owner: string, { name, provider }: PanelZone): string => {
  const isWhole = provider.listsWholeNames || (owner === name && provider.apexName === "");
  return isWhole ? owner : nameWithin(owner, name);
};

const openPanel = ({ provider: { name, where } }: PanelZone): string =>
  `Sign in at ${name}, and open: ${where}.`;

const plural = (word: string, values: readonly string[]): string => (values.length > 1 ? `${word}s` : word);

const deletionStep = ({ type, name, found = [] }: RecordChange, zone: PanelZone): string =>
  // Only the panel shows whether an apex has an alias or addresses.
  type.includes(" or ")
    ? `Delete each ${type} record with the name ${listedName(name, zone)}.`
    : `Delete the ${type} ${plural("record", found)} with the name ${listedName(name, zone)} and the ${plural("value", found)} ${found.join(", ")}.`;

const nameStep = (owner: string, zone: PanelZone): string => {
  const { nameField, apexName } = zone.provider;
  if (owner === zone.name && apexName === "") return `Leave the field ${nameField} empty.`;
  return `Enter ${nameWithin(owner, zone.name)} in the field ${nameField}.`;
};

const CAA_VALUE = /^0 (\S+) "(.*)"$/;
const NAMED: ReadonlySet<string> = new Set(["CNAME", "ALIAS", "ANAME"]);

/** @param isDotted true if the panel has added the zone to the value before */
const valueStep = (
  { type, value }: Omit<NewRecord, "name">,
  provider: Provider,
  isDotted = false,
): string => {
  if (type === "CAA") {
    const [, tag, issuer] = CAA_VALUE.exec(value) ?? [];
    return `Enter the flags 0, the tag ${tag} and the value ${issuer}. If the form has one field for all three, enter ${value}.`;
  }
  if (NAMED.has(type) && (provider.needsFinalDot || isDotted))
    return `Enter ${value}. in the field ${provider.valueField}, with the final dot.`;
  const written = type === "TXT" && provider.wantsQuotes ? `"${value}"` : value;
  return `Enter ${written} in the field ${provider.valueField}.`;
};

/** Only CNAME and address records can be proxied. */
const proxySteps = (type: string, { terraform }: Provider): string[] =>
  terraform === "cloudflare" && type !== "TXT" && type !== "CAA" ? [SWITCH_OFF] : [];

const creationSteps = ({ type, name, value = "" }: RecordChange, zone: PanelZone): string[] => {
  const { provider } = zone;
  return [
    provider.add === undefined
      ? `Add a record of the type ${type}.`
      : `Choose ${provider.add}, then the type ${type}.`,
    nameStep(name, zone),
    valueStep({ type, value }, provider),
    ...proxySteps(type, provider),
    SAVE,
  ];
};

/** Gives a record another value. Without the current one, a proxy may hide it. */
const correctionSteps = ({ type, name, value = "", found = [] }: RecordChange, zone: PanelZone): string[] => {
  const listed = listedName(name, zone);
  const isDotted = found.some((one) => one.startsWith(`${value}.`));
  return [
    ...(found.length > 0
      ? [
          `Open the ${type} record with the name ${listed} and the value ${found.join(", ")} to edit it.`,
          valueStep({ type, value }, zone.provider, isDotted),
        ]
      : [
          `Open the record with the name ${listed} to edit it. If it is not of the type ${type} with the value ${value}, delete it, and add that record.`,
        ]),
    ...proxySteps(type, zone.provider),
    SAVE,
  ];
};

const STEPS = {
  delete: (change, zone) => [deletionStep(change, zone)],
  change: correctionSteps,
  create: creationSteps,
} satisfies Record<RecordChange["action"], (change: RecordChange, zone: PanelZone) => string[]>;

/** For an apex at a provider without ALIAS. */
const aliasHint = ({ name }: Provider, [own]: Needed["own"]): string =>
  own?.type === "ALIAS"
    ? `${name} has no ALIAS record for an apex domain. Use a subdomain such as www instead.`
    : `${name} has no ALIAS record for an apex domain. Create the addresses of the target instead.`;

const needsAlias = (finding: DomainFinding): boolean => "type" in finding && finding.type === "ALIAS";

/** Panels refuse a CNAME alongside other records, so deletions come first. */
const repairs = (findings: readonly DomainFinding[], needed: Needed, zone: PanelZone): string[] => {
  const { own, proof } = needed;
  const { provider, name = "" } = zone;
  // CAA records of another zone may be at another provider.
  const found = findings
    .flatMap((finding) => changesFor(finding, needed))
    .filter((change) => change.type !== "CAA" || isWithin(change.name, name));
  const changes = found.length > 0 ? found : creations(...own, ...proof);
  const isWithoutAlias = proof.length > 0 && provider.apexType === undefined;
  const hint = isWithoutAlias && (found.length === 0 || findings.some(needsAlias));
  // Several servers can have the same records.
  const possible = distinct(changes).filter(({ type }) => !(isWithoutAlias && type === "ALIAS"));
  const stepsOf = (isDeletion: boolean) =>
    possible
      .filter(({ action }) => (action === "delete") === isDeletion)
      .flatMap((change) => STEPS[change.action](change, zone));
  return [...stepsOf(true), ...(hint ? [aliasHint(provider, own)] : []), ...stepsOf(false)];
};

/** The steps in a zone: those for the findings, or else how to create the records. */
export const guideFor = (
  needed: Needed,
  zone: PanelZone,
  findings: readonly DomainFinding[] = [],
): ProviderGuide | undefined => {
  // The NS records belong to the parent zone, or the record to the child zone. Each may be at another provider.
  if (findings.some(({ kind }) => kind === "delegated_away")) return undefined;
  const { name: provider, apexType } = zone.provider;
  return {
    provider,
    ...(apexType && { apexType }),
    steps: [openPanel(zone), ...repairs(findings, needed, zone)],
  };
};

/** A name whose records a DNS provider may create. */
export interface ConnectRequest {
  hostname: Hostname;
  /** The zone of the name, if the last check found it. */
  zone: string | undefined;
  /** The label of the project's target. */
  label: string;
  /** The project that has the domain. */
  slug?: string;
}

/** Undefined if the provider of the zone does not support it. */
export type OfferConnect = (request: ConnectRequest) => Promise<ConnectOffer | undefined>;

/** How long clients wait for an offer, in milliseconds. */
const OFFER_PATIENCE_MS = 4000;

/** Leaves out an offer that takes too long. The lookup continues, and the next request gets its result. */
export const patientOffer =
  (offer: OfferConnect | undefined): OfferConnect =>
  async (request) =>
    offer && within(OFFER_PATIENCE_MS, offer(request), "").catch(() => undefined);
