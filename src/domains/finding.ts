import type { Server } from "../protocols/dns/network.ts";

/** The record that a domain needs: CNAME for a subdomain, ALIAS or ANAME for an apex. */
export type NeededType = "CNAME" | "ALIAS";

/** What a check found, naming the record to change. Names are in A-labels. */
export type Finding =
  | { kind: "no_record"; name: string; type: NeededType; expected: string[] }
  | { kind: "wrong_target"; name: string; type: NeededType; found: string[]; expected: string[] }
  | { kind: "conflicting_record"; name: string; type: "A" | "AAAA"; found: string[]; expected: string[] }
  /** `found` are the CAA records at `name`; `expected` the issuers; the records must allow one. */
  | { kind: "caa_forbids"; name: string; found: string[]; expected: string[] }
  /** Right at the source, not yet at this server; `seconds` is how long it may keep the old records, if known. */
  | { kind: "not_propagated"; name: string; server: string; seconds?: number }
  /** The apex's addresses are right, but they are those of every project. */
  | { kind: "ownership_unproven"; name: string; type: "TXT"; found: string[]; expected: string[] }
  /** The server gave no useful response, which says nothing about the domain. */
  | { kind: "unreachable"; name: string; server: string; reason: string };

/** `192.0.2.1`, `[2001:db8::1]:5353`: the port only where it is not DNS's own. */
export const formatServer = ({ address, port }: Server): string => {
  if (port === 53) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
};

const list = (values: string[]): string => values.join(", ");

/** One sentence for whoever manages the domain's DNS. */
export const describeFinding = (finding: Finding): string => {
  const { name } = finding;
  switch (finding.kind) {
    case "no_record":
      return `${name} has no ${finding.type} record: create one with the value ${list(finding.expected)}.`;
    case "wrong_target":
      return `${name}'s ${finding.type} record leads to ${list(finding.found)}: it must be ${list(finding.expected)}.`;
    case "conflicting_record":
      return `${name} has an ${finding.type} record (${list(finding.found)}) where the CNAME belongs: remove it, and create a CNAME with the value ${list(finding.expected)}.`;
    case "caa_forbids":
      return `The CAA records of ${name} (${list(finding.found)}) forbid the certificate: add one that allows ${finding.expected.join(" or ")}.`;
    case "not_propagated": {
      const left = finding.seconds === undefined ? "" : `, for at most ${finding.seconds} s more`;
      return `${name}'s record is right, but ${finding.server} still has the old records${left}.`;
    }
    case "ownership_unproven": {
      const found = finding.found.length > 0 ? `, where it is ${list(finding.found)}` : "";
      return `The addresses are right, but they do not say which project the domain is for: create a TXT record with the name ${name} and the value ${list(finding.expected)}${found}.`;
    }
    case "unreachable":
      return `${finding.server} could not be asked about ${name}: ${finding.reason}.`;
  }
};
