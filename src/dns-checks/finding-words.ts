import { isIP } from "node:net";
import type { NeededType } from "./finding-kind.ts";

// The words of the findings' messages. Some explain the value of a CNAME record: a sentence with a leading space, or "".

/** Text that is invalid in a host name, and the mistake. Values are printable: invisible characters are escaped. */
const VALUE_MISTAKES: readonly (readonly [pattern: RegExp, mistake: string])[] = [
  [/^\W*[a-z]+:\/\//, "starts with a protocol such as https://: enter only the host name"],
  [/["'\u201c\u201d]/, "is in quotation marks: enter it without them"],
  [/[\s\\]/, "contains a space, a backslash or an invisible character: enter only the host name"],
  [/\//, "contains a path: enter only the host name"],
  [/:/, "contains a port: enter only the host name"],
];

/** Explains a value that is not a host name. */
export const mistakeHint = (found: readonly string[]): string => {
  const first = VALUE_MISTAKES.find(([pattern]) => found.some((value) => pattern.test(value)));
  return first ? ` The value ${first[1]}.` : "";
};

/** True if one of the values is the right one, followed by more labels. */
const hasDoubledValue = (found: readonly string[], expected: readonly string[]): boolean =>
  found.some((value) => expected.some((one) => value.startsWith(`${one}.`)));

/** Many panels read a value without a final dot as a name below the zone. */
export const finalDotHint = (found: readonly string[], expected: readonly string[]): string =>
  hasDoubledValue(found, expected)
    ? " The DNS provider added the zone to the value: enter the value with a final dot."
    : "";

export const list = (values: readonly string[]): string => values.join(", ");

/** A name as the panel of its zone asks for it. @param doubled the same name, with the zone twice */
export const nameInPanel = (name: string, doubled: string): string => {
  const zone = doubled.slice(name.length + 1);
  return name === zone ? "@" : name.slice(0, -zone.length - 1);
};

/** "An MX record" */
export const oneRecord = (type: string): string => `${/^[AHM]/.test(type) ? "An" : "A"} ${type} record`;

/** "an MX record", "CAA records". @param count of the records */
export const countedRecords = (type: string, count: number): string =>
  count > 1 ? `${type} records` : oneRecord(type).replace("A", "a");

/** The steps that point a name here: a CNAME cannot be created before addresses are deleted. */
export const moveStep = ({
  type,
  found,
  expected,
}: {
  type: NeededType;
  found: string[];
  expected: string[];
}): string => {
  if (found.some((value) => isIP(value) === 0)) return `change its ${type} record to ${list(expected)}`;
  const deletion = found.length > 0 ? "delete the records that point there, and " : "";
  return `${deletion}create ${countedRecords(type, 1)} with the value ${list(expected)}`;
};

/** The side effects of deleting records of a type. */
const LOSSES: Partial<Record<string, string>> = {
  MX: " Addresses at this name then receive no mail. If you need them, choose another name for the site.",
  TXT: " If another service still uses this record, choose another name for the site.",
};

/** The warning for records that must be deleted before a CNAME can be created. */
export const lossOf = (type: string): string => LOSSES[type] ?? "";

const MINUTE = 60;
const HOUR = 3600;

/** "24 hours", "60 minutes", "77 s" */
export const duration = (seconds: number): string => {
  if (seconds < 2 * MINUTE) return `${seconds} s`;
  return seconds < 2 * HOUR
    ? `${Math.ceil(seconds / MINUTE)} minutes`
    : `${Math.round(seconds / HOUR)} hours`;
};

/** "2026-11-20 09:30 UTC". @param time in RFC 3339 */
export const minute = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** Who must end the silence of a name server. */
export const REPAIR = {
  dns_provider: "Ask the DNS provider to repair the name servers of the zone.",
  operator: "The operator of this service must find out why its resolver gives no usable response.",
} as const;

/** Whether this service can be reached through the proxy. */
export const THROUGH_PROXY = {
  true: "Requests through the proxy reach this service, so the record behind it seems right.",
  false: "Requests through the proxy do not reach this service.",
  undefined: "",
} as const;
