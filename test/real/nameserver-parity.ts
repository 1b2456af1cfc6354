import { parseLine, SOA, TTL } from "../support/served-zones.ts";
import type { Random } from "../support/random.ts";

export const ORIGINS = ["parity.test", "other.test"] as const;

const LABELS = ["a", "b", "c", "*", "deep", "_acme-challenge"];

const pick = <Value>(random: Random, values: readonly Value[], fallback: Value): Value =>
  values[random(values.length)] ?? fallback;

const labels = (random: Random, most: number): string[] =>
  Array.from({ length: 1 + random(most) }, () => pick(random, LABELS, "a"));

const nameIn = (random: Random, origin: string): string => [...labels(random, 3), origin].join(".");

const dataOf = (random: Random, type: string): string => {
  const number = random(250);
  if (type === "A") return `192.0.2.${number}`;
  if (type === "AAAA") return `2001:db8::${number.toString(16)}`;
  if (type === "TXT") return number > 240 ? "x".repeat(2 * number) : `text-${number}`;
  if (type === "CAA") return `ca${number}.test`;
  return pick(random, ["h2", "h2,http/1.1"], "h2");
};

const TYPES = ["A", "AAAA", "TXT", "CAA", "HTTPS"];

/** A few records of a name. */
const linesOf = (random: Random, origin: string): string[] => {
  const name = nameIn(random, origin);
  return Array.from({ length: 1 + random(4) }, () => {
    const type = pick(random, TYPES, "A");
    return `${name} ${type} ${dataOf(random, type)}`;
  });
};

const isHttps = (line: string): boolean => parseLine(line).type === "HTTPS";

/** An HTTPS record has no second one with its priority. */
const withoutConflicts = (lines: string[]): string[] => {
  const byName = Map.groupBy(new Set(lines), (line) => parseLine(line).name);
  return [...byName.values()].flatMap((group) => {
    const https = group.find(isHttps);
    return group.filter((line) => !isHttps(line) || line === https);
  });
};

/** Random zones as lines, with wildcards and empty non-terminals. */
export const randomZones = (random: Random): Record<string, string[]> =>
  Object.fromEntries(
    ORIGINS.map((origin) => {
      const apex = [`${origin} NS ns1.${origin}`, `${origin} A 192.0.2.1`, `ns1.${origin} A 192.0.2.53`];
      const more = Array.from({ length: 25 }, () => linesOf(random, origin)).flat();
      return [origin, withoutConflicts([...apex, ...more])];
    }),
  );

const presentation: Record<string, (value: string) => string> = {
  NS: (value) => `${value}.`,
  TXT: (value) => (value.match(/.{1,255}/g) ?? [""]).map((part) => JSON.stringify(part)).join(" "),
  CAA: (value) => `0 issue ${JSON.stringify(value)}`,
  HTTPS: (value) => `1 . alpn=${value}`,
};

/** The zone file of a zone's lines. */
export const zoneFileOf = (origin: string, lines: readonly string[]): string => {
  const { ttl, serial, refresh, retry, expire, minimum } = SOA;
  const times = [serial, refresh, retry, expire, minimum].join(" ");
  const records = lines.map(parseLine).map(({ name, type, value }) => {
    const data = presentation[type]?.(value) ?? value;
    return `${name}. ${TTL} IN ${type} ${data}`;
  });
  return [`${origin}. ${ttl} IN SOA ns1.${origin}. hostmaster.${origin}. ${times}`, ...records, ""].join(
    "\n",
  );
};

export interface Asked {
  name: string;
  type: string;
  edns: boolean;
  recursive: boolean;
}

const ASKED_TYPES = [...TYPES, "CNAME", "NS", "SOA", "DS", "ANY", "MX", "TYPE99", "TYPE1000"];

/** Names of the zones, names next to, above and below them, and names of no zone. */
const askedName = (random: Random, owners: readonly string[]): string => {
  const owner = pick(random, owners, "parity.test");
  switch (random(8)) {
    case 0:
      return `${pick(random, LABELS, "a")}.${owner}`;
    case 1:
      return owner.split(".").slice(1).join(".");
    case 2:
      return nameIn(random, pick(random, ORIGINS, "parity.test"));
    case 3:
      return owner.replaceAll("*", "x");
    case 4:
      return random(10) === 0 ? `${labels(random, 2).join(".")}.nobody.invalid` : `x.y.${owner}`;
    default:
      return owner;
  }
};

const withRandomCase = (random: Random, name: string): string =>
  [...name].map((letter) => (random(2) === 0 ? letter.toUpperCase() : letter)).join("");

export const randomQuestion = (random: Random, owners: readonly string[]): Asked => {
  const name = askedName(random, owners);
  return {
    name: random(4) === 0 ? withRandomCase(random, name) : name,
    type: pick(random, ASKED_TYPES, "A"),
    edns: random(2) === 0,
    recursive: random(2) === 0,
  };
};
