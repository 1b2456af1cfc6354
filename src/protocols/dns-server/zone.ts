import { canonicalName } from "../../lib/hostname.ts";
import { isWithin, parentOf, type OwnedSet, type RecordSet, type Soa, soaSet, TYPE } from "./records.ts";

/** The record sets of one name. */
type Node = readonly RecordSet[];

/**
 * Looks up record sets that are added at run time, for every question. They do not hide a wildcard: a name keeps the records
 * that it has without them, and so do its sibling names. An added set replaces the zone's set of the same type.
 * @param name canonical
 * @param type of the question: a set of another type may be left out
 * @returns undefined if nothing is added at the name or below it; an empty list for a name with additions only below it
 */
export type AddedRecords = (name: string, type: number) => Node | undefined;

interface ZoneOptions {
  origin: string;
  soa: Soa;
  /** All other records; those of the origin include NS. */
  records: Iterable<OwnedSet>;
  added?: AddedRecords;
}

/** An authoritative zone. */
export interface Zone {
  origin: string;
  /** By canonical name, with an empty node for each empty non-terminal (RFC 4592 section 2.2.2). */
  nodes: ReadonlyMap<string, Node>;
  /** The names with NS records. The zone ends at those below the origin. */
  cuts: ReadonlySet<string>;
  /** The SOA record of negative responses. RFC 2308 section 3: its TTL limits how long the absence may be cached. */
  negative: OwnedSet;
  added: AddedRecords;
}

/** Collects the records by name, and adds the empty non-terminals. */
const nodesOf = (origin: string, records: Iterable<OwnedSet>): Map<string, RecordSet[]> => {
  const nodes = new Map<string, RecordSet[]>([[origin, []]]);
  for (const { name, set } of records) {
    const owner = canonicalName(name);
    if (!isWithin(owner, origin)) throw new Error(`${owner} is not within ${origin}`);
    if (set.data.length === 0) continue;
    for (let at = owner; !nodes.has(at); at = parentOf(at)) nodes.set(at, []);
    nodes.get(owner)?.push(set);
  }
  return nodes;
};

const isCut = ([, node]: [string, Node]): boolean => node.some(({ type }) => type === TYPE.NS);

/** @throws Error for a record outside the zone */
export const createZone = ({ origin: name, soa, records, added = () => undefined }: ZoneOptions): Zone => {
  const origin = canonicalName(name);
  const nodes = nodesOf(origin, [{ name: origin, set: soaSet(soa) }, ...records]);
  const ttl = Math.min(soa.ttl, soa.minimum);
  return {
    origin,
    nodes,
    cuts: new Set([...nodes].filter(isCut).map(([cut]) => cut)),
    negative: { name: origin, set: soaSet({ ...soa, ttl }) },
    added,
  };
};

/** The zone with the longest origin that holds the name. */
export const zoneOf = (zones: readonly Zone[], name: string): Zone | undefined => {
  let found: Zone | undefined;
  for (const zone of zones)
    if (isWithin(name, zone.origin) && (!found || zone.origin.length > found.origin.length)) found = zone;
  return found;
};

/** The delegation that a name of the zone lies at or below; the highest one, because the zone ends there. */
export const delegationOf = ({ cuts, origin }: Zone, name: string): string | undefined => {
  let found: string | undefined;
  for (let at = name; at !== origin; at = parentOf(at)) if (cuts.has(at)) found = at;
  return found;
};

/** RFC 4592 section 3.3.1: the wildcard below the closest encloser, the nearest name above that exists. */
const wildcardFor = ({ nodes }: Zone, name: string): Node | undefined => {
  let encloser = parentOf(name);
  while (!nodes.has(encloser)) encloser = parentOf(encloser);
  return nodes.get(`*.${encloser}`);
};

/** The record sets of a name of the zone; undefined if it does not exist. */
export const nodeOf = (zone: Zone, name: string, type: number): Node | undefined => {
  const own = zone.nodes.get(name) ?? wildcardFor(zone, name);
  const added = zone.added(name, type);
  if (!added || added.length === 0) return own ?? added;
  const isReplaced = (set: RecordSet) =>
    // RFC 1034 section 3.6.2: a CNAME excludes other records of the same name.
    set.type === TYPE.CNAME || added.some((one) => one.type === set.type);
  return [...(own ?? []).filter((set) => !isReplaced(set)), ...added];
};
