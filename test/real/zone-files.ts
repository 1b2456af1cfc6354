import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Line } from "../support/zones.ts";
import { run } from "./support.ts";

/** How long resolvers cache the absence of a record: an hour, as at many providers. */
const ABSENCE_TTL = 3600;

/** A name in zone file syntax: bytes that are not part of a usual name are escaped as numbers (RFC 1035 section 5.1). */
const escape = (name: string): string =>
  [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_.*-]/.test(character) ? character : `\\${String(byte).padStart(3, "0")}`;
    })
    .join("");

const dataOf = ({ type, value }: Line): string => {
  if (type === "CNAME" || type === "NS") return `${escape(value)}.`;
  if (type === "MX") return `${value}.`;
  return type === "TXT" ? JSON.stringify(value) : value;
};

export const zoneFile = (zone: string, records: readonly Line[], serial: number): string =>
  [
    `${zone}. 300 IN SOA ns1.${zone}. root.${zone}. ${serial} 60 60 60 ${ABSENCE_TTL}`,
    ...records.map((one) => `${escape(one.name)}. ${one.ttl} IN ${one.type} ${dataOf(one)}`),
    "",
  ].join("\n");

/** The key of a signed zone. */
export interface ZoneKey {
  directory: string;
  /** The DNSKEY as a trust anchor of `named`, instead of a DS record at the registry. */
  anchor: string;
}

export const makeKey = async (directory: string, zone: string): Promise<ZoneKey> => {
  mkdirSync(directory);
  const argv = ["dnssec-keygen", "-q", "-a", "ECDSAP256SHA256", "-f", "KSK", "-K", directory, zone];
  const { stdout, stderr } = await run(argv);
  if (stdout === "") throw new Error(stderr);
  const record = readFileSync(join(directory, `${stdout.trim()}.key`), "utf8");
  const [, key = ""] = /DNSKEY 257 3 13 (.+)/.exec(record) ?? [];
  return { directory, anchor: `trust-anchors { ${zone}. static-key 257 3 13 "${key}"; };` };
};

const EXPIRED = ["-s", "20250101000000", "-e", "20250201000000"];

/** Signs a zone file in place. */
export const signZone = async (
  file: string,
  zone: string,
  { directory }: ZoneKey,
  isExpired: boolean,
): Promise<void> => {
  const places = ["-K", directory, "-d", directory, "-o", zone, "-f", file];
  const times = isExpired ? EXPIRED : [];
  const { code, stderr } = await run(["dnssec-signzone", "-S", "-P", "-z", ...times, ...places, file]);
  if (code !== 0) throw new Error(stderr);
};
