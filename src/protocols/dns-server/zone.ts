import { canonicalName, isWithin } from "../../lib/hostname.ts";
import { parentOf, type OwnedSet, type RecordSet, type Soa, soaSet } from "./records.ts";

/** The record sets of one name. */
type Node = readonly RecordSet[];

/**
 * Looks up record sets that are added at run time, for every question. The zone itself has no records of their types. They do not hide a
 * wildcard: a name keeps the records that it has without them, and so do its sibling names.
 * @param name canonical
 * @param type of the question: a set of another type may be left out
 * @returns undefined if nothing is added at the name or below it; an empty list for a name with additions only below it
 */
export type AddedRecords = (name: string, type: number) => Node | undefined;

interface ZoneOptions {
  origin: string;
  soa: Soa;
  /** All other records. Only the origin has NS records: nothing is delegated. */
  records: Iterable<OwnedSet>;
  added?: AddedRecords;
}

/** An authoritative zone. It does not lie in another one. */
export interface Zone {
  origin: string;
  /** By canonical name, with an empty node for each empty non-terminal (RFC 4592 section 2.2.2). */
  nodes: ReadonlyMap<string, Node>;
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

/** @throws Error for a record outside the zone */
export const createZone = ({ origin: name, soa, records, added = () => undefined }: ZoneOptions): Zone => {
  const origin = canonicalName(name);
  const ttl = Math.min(soa.ttl, soa.minimum);
  return {
    origin,
    nodes: nodesOf(origin, [{ name: origin, set: soaSet(soa) }, ...records]),
    negative: { name: origin, set: soaSet({ ...soa, ttl }) },
    added,
  };
};

export const zoneOf = (zones: readonly Zone[], name: string): Zone | undefined =>
  zones.find(({ origin }) => isWithin(name, origin));

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
  return own && added ? [...own, ...added] : (own ?? added);
};
