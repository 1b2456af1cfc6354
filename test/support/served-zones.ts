import {
  aaaaSet,
  aSet,
  caaSet,
  httpsSet,
  nsSet,
  type OwnedSet,
  type RecordSet,
  type Soa,
  txtSet,
} from "../../src/protocols/dns-server/records.ts";
import { type AddedRecords, createZone, type Zone } from "../../src/protocols/dns-server/zone.ts";

export const SOA: Omit<Soa, "mname" | "rname"> = {
  ttl: 3600,
  serial: 1,
  refresh: 3600,
  retry: 600,
  expire: 86_400,
  minimum: 60,
};

/** `name TYPE value`; absolute names without a final dot, and a TTL of 300 seconds. */
interface Line {
  name: string;
  type: string;
  value: string;
}

export const TTL = 300;

export const parseLine = (line: string): Line => {
  const [name = "", type = "", ...values] = line.split(" ");
  return { name, type, value: values.join(" ") };
};

const MAKERS: Record<string, (values: string[]) => RecordSet> = {
  A: (values) => aSet(TTL, values),
  AAAA: (values) => aaaaSet(TTL, values),
  NS: (values) => nsSet(TTL, values),
  TXT: (values) => txtSet(TTL, values),
  CAA: (values) => caaSet(TTL, values),
  HTTPS: ([value = ""]) => httpsSet(TTL, value.split(",")),
};

const recordsOf = (lines: readonly string[]): OwnedSet[] => {
  const groups = Map.groupBy(lines.map(parseLine), ({ name, type }) => `${name} ${type}`);
  return [...groups.values()].map((group) => {
    const [{ name, type } = parseLine("")] = group;
    const make = MAKERS[type];
    if (!make) throw new Error(`no such type: ${type}`);
    return { name, set: make(group.map(({ value }) => value)) };
  });
};

/** A zone of lines, as our server holds it. */
export const zoneOfLines = (origin: string, lines: readonly string[], added?: AddedRecords): Zone =>
  createZone({
    origin,
    soa: { ...SOA, mname: `ns1.${origin}`, rname: `hostmaster.${origin}` },
    records: recordsOf(lines),
    ...(added && { added }),
  });
