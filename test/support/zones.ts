import type { Answer } from "dns-packet";
import { withParents } from "../../src/protocols/dns/name.ts";

/** Zones by name, each a list of `name [ttl] type value` records. The TTL defaults to 3600, and the SOA record is implied. */
export type Zones = Record<string, string[]>;

/** The TTL of every zone's SOA record, and its last field, which limits how long a negative response is cached. */
export const SOA = { ttl: 300, minimum: 120 };

export interface Reply {
  rcode: number;
  authoritative: boolean;
  answers: Answer[];
  authorities: Answer[];
  /** The addresses of a referral's name servers. */
  glue?: Answer[];
}

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

export interface Line {
  name: string;
  ttl: number;
  type: string;
  value: string;
}

export const parseLine = (line: string): Line => {
  const [, name, ttl, type, value] = /^(\S+) (?:(\d+) )?([A-Z]+) (.*)$/.exec(line) ?? [];
  if (name === undefined || type === undefined || value === undefined)
    throw new Error(`not a record: ${line}`);
  return { name, ttl: Number(ttl ?? 3600), type, value };
};

const dataOf = (type: string, value: string): unknown => {
  const [first = "", second = "", third = ""] = value.split(" ");
  if (type === "CAA") return { flags: Number(first), tag: second, value: third.replaceAll('"', "") };
  if (type === "MX") return { preference: Number(first), exchange: second };
  return type === "HTTPS" ? httpsData(value) : value;
};

const sized = (bytes: Buffer, sizeBytes: 1 | 2): Buffer => {
  const size = Buffer.alloc(sizeBytes);
  size.writeUIntBE(bytes.length, 0, sizeBytes);
  return Buffer.concat([size, bytes]);
};

/** RFC 9460 section 2.2, for `alpn` and `ipv4hint`. */
const httpsData = (value: string): Buffer => {
  const [priority, target = "", ...parameters] = value.split(" ");
  const labels = target.split(".").filter(Boolean);
  return Buffer.concat([
    Buffer.from([0, Number(priority)]),
    ...labels.map((label) => sized(Buffer.from(label), 1)),
    Buffer.alloc(1),
    ...parameters.flatMap((parameter) => {
      const [key, text = ""] = parameter.split("=");
      const isHint = key === "ipv4hint";
      const values = text.split(",");
      const bytes = values.map((one) =>
        isHint ? Buffer.from(one.split(".").map(Number)) : sized(Buffer.from(one), 1),
      );
      return [Buffer.from([0, isHint ? 4 : 1]), sized(Buffer.concat(bytes), 2)];
    }),
  ]);
};

/** The name of HTTPS in `dns-packet`, which does not know the type. */
const wireType = (type: string): string => (type === "HTTPS" ? "UNKNOWN_65" : type);

const recordOf = (line: string): Answer => {
  const { name, ttl, type, value } = parseLine(line);
  return { name, type: wireType(type), class: "IN", ttl, data: dataOf(type, value) } as unknown as Answer;
};

/** RFC 2308 section 3: the SOA's TTL is how long a negative response may be cached. */
const soaOf = (zone: string): Answer => ({
  name: zone,
  type: "SOA",
  class: "IN",
  ttl: Math.min(SOA.ttl, SOA.minimum),
  data: { mname: `ns.${zone}`, rname: `root.${zone}`, serial: 1, minimum: SOA.minimum },
});

const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

const zoneOf = (zones: Zones, name: string): string | undefined =>
  Object.keys(zones)
    .filter((one) => isBelow(name, one))
    .toSorted((a, b) => b.length - a.length)[0];

const targetOf = (records: Answer[]): string | undefined => {
  const cname = records.find(({ type }) => type === "CNAME");
  return cname && String((cname as { data: unknown }).data).toLowerCase();
};

/** Looks up one name in one zone, without following CNAME records. */
const lookUpOnce = (zones: Zones, zone: string, name: string, type: string): Reply => {
  const records = (zones[zone] ?? []).map(recordOf);
  const owner = (record: Answer) => record.name.toLowerCase();
  const cut = records.filter(
    (record) => record.type === "NS" && owner(record) !== zone && isBelow(name, owner(record)),
  );
  if (cut.length > 0) {
    const servers = cut.map((record) => String((record as { data: unknown }).data));
    const glue = records.filter((record) => servers.includes(owner(record)));
    return { rcode: 0, authoritative: false, answers: [], authorities: cut, glue };
  }
  // RFC 4592 section 3.3.1: the wildcard below the closest encloser answers for names that do not exist.
  const existing = (one: string) => records.some((record) => isBelow(owner(record), one));
  const isThere = existing(name);
  const source = isThere ? name : `*.${withParents(name).find(existing)}`;
  const answers = records
    .filter((record) => owner(record) === source && (record.type === type || record.type === "CNAME"))
    .map((record) => Object.assign(record, { name }));
  const exists = isThere || records.some((record) => owner(record) === source || record.name === name);
  return {
    rcode: exists ? 0 : RCODES.NXDOMAIN,
    authoritative: true,
    answers,
    authorities: answers.length > 0 ? [] : [soaOf(zone)],
  };
};

/** Responds as an authoritative server of these zones: it follows CNAME records within a zone, and refers to others. */
export const lookUp = (zones: Zones, name: string, type: string): Reply => {
  const zone = zoneOf(zones, name);
  if (zone === undefined)
    return { rcode: RCODES.REFUSED, authoritative: false, answers: [], authorities: [] };
  let reply = lookUpOnce(zones, zone, name, type);
  const { authoritative } = reply;
  const answers = [...reply.answers];
  for (;;) {
    const next = type === "CNAME" ? undefined : targetOf(reply.answers);
    if (next === undefined || zoneOf(zones, next) !== zone) return { ...reply, authoritative, answers };
    // `named` responds to a loop with SERVFAIL and the records.
    if (answers.some((record) => record.name === next))
      return { rcode: RCODES.SERVFAIL, authoritative, answers, authorities: [] };
    reply = lookUpOnce(zones, zone, next, type);
    answers.push(...reply.answers);
  }
};

/** The names that a resolver has cached, and the older zones that it answers them from. */
export interface ResolverCache {
  zones: Zones;
  names: string[];
}

const UNRESOLVED: Reply = { rcode: RCODES.SERVFAIL, authoritative: false, answers: [], authorities: [] };

/** Responds as a resolver: it follows all CNAME records, and prefers its cache. */
export const resolve = (zones: Zones, cache: ResolverCache, name: string, type: string): Reply => {
  const answers: Answer[] = [];
  for (let at = name; ;) {
    const reply = lookUp(cache.names.includes(at) ? cache.zones : zones, at, type);
    // No authoritative server has responded.
    if (!reply.authoritative) return UNRESOLVED;
    answers.push(...reply.answers);
    const next = type === "CNAME" ? undefined : targetOf(reply.answers.slice(-1));
    if (next === undefined) return { ...reply, authoritative: false, answers };
    if (answers.some((record) => record.name === next)) return UNRESOLVED;
    at = next;
  }
};
