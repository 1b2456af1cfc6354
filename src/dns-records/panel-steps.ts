import type { Provider } from "../dns-checks/providers.ts";

// Steps at a DNS provider, in the words of its panel.

/** A record to create, by its whole name. */
export interface PanelRecord {
  type: string;
  owner: string;
  value: string;
  /** Of a CAA record, `issue` if it is absent. */
  tag?: string | undefined;
}

/** A zone at a provider that is known. */
export interface PanelZone {
  provider: Provider;
  name: string | undefined;
}

export const SAVE = "If the form asks for a TTL, choose 1 hour (3600 seconds). Save.";
export const SWITCH_OFF = "Switch the proxy off: the status must be DNS only.";

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

export const openPanel = ({ provider: { name, where } }: PanelZone): string =>
  `Sign in at ${name}, and open: ${where}.`;

const plural = (word: string, values: readonly string[]): string => (values.length > 1 ? `${word}s` : word);

/** Deletes the records of a type with these values. */
export const deletion = (type: string, owner: string, values: readonly string[], zone: PanelZone): string =>
  `Delete the ${type} ${plural("record", values)} with the name ${listedName(owner, zone)} and the ${plural("value", values)} ${values.join(", ")}.`;

/** Deletes whatever leads a name elsewhere: in a response, an ALIAS looks like addresses. */
export const deletionOfAddresses = (owner: string, zone: PanelZone): string => {
  const { apexType } = zone.provider;
  const types = apexType === undefined ? "A or AAAA" : `A, AAAA or ${apexType}`;
  return `Delete each ${types} record with the name ${listedName(owner, zone)}.`;
};

const nameStep = (owner: string, zone: PanelZone): string => {
  const { fields, apexName } = zone.provider;
  if (owner === zone.name && apexName === "") return `Leave the field ${fields.name} empty.`;
  return `Enter ${nameWithin(owner, zone.name)} in the field ${fields.name}.`;
};

const NAMED: ReadonlySet<string> = new Set(["CNAME", "ALIAS", "ANAME"]);

/** @param isDotted true if the panel has added the zone to the value before */
const valueStep = (
  { type, value, tag = "issue" }: Omit<PanelRecord, "owner">,
  { fields, ...provider }: Provider,
  isDotted = false,
): string => {
  if (type === "CAA")
    return `Enter the flags 0, the tag ${tag} and the value ${value}. If the form has one field for all three, enter 0 ${tag} "${value}".`;
  if (NAMED.has(type) && (provider.needsFinalDot || isDotted))
    return `Enter ${value}. in the field ${fields.value}, with the final dot.`;
  const written = type === "TXT" && provider.wantsQuotes ? `"${value}"` : value;
  return `Enter ${written} in the field ${fields.value}.`;
};

/** Only CNAME and address records can be behind the proxy. */
const proxySteps = (type: string, { terraform }: Provider): string[] =>
  terraform === "cloudflare" && type !== "TXT" && type !== "CAA" ? [SWITCH_OFF] : [];

/** Creates a record. */
export const creation = (record: PanelRecord, zone: PanelZone): string[] => {
  const { type, owner } = record;
  const { provider } = zone;
  return [
    provider.add === undefined
      ? `Add a record of the type ${type}.`
      : `Choose ${provider.add}, then the type ${type}.`,
    nameStep(owner, zone),
    valueStep(record, provider),
    ...proxySteps(type, provider),
    SAVE,
  ];
};

/** Gives a record another value. */
export const correction = (
  { type, owner, value }: PanelRecord,
  found: readonly string[],
  zone: PanelZone,
): string[] => {
  const isDotted = found.some((one) => one.startsWith(`${value}.`));
  return [
    `Open the ${type} record with the name ${listedName(owner, zone)} and the value ${found.join(", ")} to edit it.`,
    valueStep({ type, value }, zone.provider, isDotted),
    ...proxySteps(type, zone.provider),
    SAVE,
  ];
};

/** Switches off the proxy that hides a record. */
export const proxyRemoval = ({ type, owner, value }: PanelRecord, zone: PanelZone): string[] => [
  `Open the record with the name ${listedName(owner, zone)} to edit it. If it is not of the type ${type} with the value ${value}, delete it, and add that record.`,
  SWITCH_OFF,
  SAVE,
];
