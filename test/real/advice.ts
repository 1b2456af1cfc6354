import type { FindingKind } from "../../src/platform/dns-checks/finding.ts";
import type { Line } from "../support/zones.ts";

/** A finding as the API has it. */
export interface FoundFault {
  kind: FindingKind;
  responsible?: string;
  message: string;
  name: string;
  type?: string;
  found?: string[];
  expected?: string[];
  tag?: string;
  zone?: string;
  challenge?: { name: string; value: string };
  isHint: boolean;
  changes?: RecordChange[];
}

/** A change as the API has it. */
interface RecordChange {
  action: "create" | "change" | "delete";
  type: string;
  fullName: string;
  found?: string[];
  value?: string;
}

/** The records that a domain needs, as its page shows them. */
export interface NeededRecords {
  value: string;
  addresses?: { type: string; value: string }[];
  proof?: { name: string; value: string };
}

/** The holder's page at the DNS provider. */
interface Desk {
  zone: string;
  records: Line[];
  needed: NeededRecords;
}

type Act = (desk: Desk, finding: FoundFault) => void;

/** Values are compared without quotation marks, escapes, final dots and case. */
const essence = (value: string): string => value.replaceAll(/["\\]|\.$/g, "").toLowerCase();

const add = ({ records }: Desk, name: string, type: string, value: string): void => {
  const same = records.filter((one) => one.name === name);
  // RFC 1034 section 3.6.2.
  const blocking = same.find((one) => type === "CNAME" || one.type === "CNAME");
  if (blocking && !(type === "CNAME" && blocking.type === "CNAME" && same.length > 1))
    throw new Error(`the panel refuses ${type} ${name}: ${blocking.type} ${blocking.value} exists`);
  if (!same.some((one) => one.type === type && one.value === value))
    records.push({ name, ttl: 3600, type, value });
};

const remove = ({ records }: Desk, name: string, type: string, value: string): void => {
  const at = records.findIndex(
    (one) => one.name === name && one.type === type && essence(one.value) === essence(value),
  );
  if (at === -1) throw new Error(`there is no ${type} record ${name} ${value} to delete`);
  records.splice(at, 1);
};

const removeAll = ({ records }: Desk, name: string, ...types: string[]): void => {
  for (const one of records.filter((record) => record.name === name && types.includes(record.type)))
    records.splice(records.indexOf(one), 1);
};

const typeOf = (address: string): string => (address.includes(":") ? "AAAA" : "A");

/** The address of the service, which the panel's ALIAS record shows. */
const SERVICE_ADDRESS = "127.0.0.1";

/** An ALIAS shows as addresses, and the page also shows the TXT record. */
const createAlias = (desk: Desk): void => {
  const { zone, needed } = desk;
  add(desk, zone, "A", SERVICE_ADDRESS);
  if (needed.proof) add(desk, `${needed.proof.name}.${zone}`, "TXT", needed.proof.value);
};

const create: Act = (desk, { name, type = "", expected = [] }) =>
  type === "ALIAS" ? createAlias(desk) : add(desk, name, type, expected[0] ?? "");

/** The steps of a holder who reads a finding: the words of the instruction, and its effect. */
const ACTS: Partial<Record<FindingKind, [words: RegExp, act: Act]>> = {
  no_record: [/has no \S+ record: create one with the value \S+\./, create],
  wrong_target: [
    /change it to \S+\.|delete the A, AAAA, ALIAS or ANAME records that do this\. Create ones|only one is allowed, with the value \S+: delete /,
    (desk, finding) => {
      const { name, type = "" } = finding;
      removeAll(desk, name, ...(type === "ALIAS" ? ["A", "AAAA", "CNAME"] : [type]));
      create(desk, finding);
    },
  ],
  doubled_name: [
    /Delete this record, and create it with the name \S+ and the value \S+\./,
    (desk, finding) => {
      const { name, type = "", found = [], expected = [] } = finding;
      for (const one of found) remove(desk, one, type, expected[0] ?? "");
      add(desk, name, type, expected[0] ?? "");
    },
  ],
  conflicting_record: [
    /: delete (?:it|them), and create a CNAME with the value \S+\./,
    (desk, { name, type = "", found = [] }) => {
      for (const value of found) remove(desk, name, type, value);
    },
  ],
  wildcard_record: [
    /Create a CNAME record with the name \S+ and the value \S+\. The wildcard can stay\./,
    (desk, { name, expected = [] }) => add(desk, name, "CNAME", expected[0] ?? ""),
  ],
  stray_address: [
    /Delete those\.$/,
    (desk, { name, found = [] }) => {
      for (const value of found) remove(desk, name, typeOf(value), value);
    },
  ],
  proxied: [
    /In the DNS settings of Cloudflare, set the record to "DNS only".* with the value \S+\./,
    (desk, { name, found = [], expected = [] }) => {
      for (const value of found) remove(desk, name, typeOf(value), value);
      if (name === desk.zone) createAlias(desk);
      else add(desk, name, "CNAME", expected[0] ?? "");
    },
  ],
  ownership_unproven: [
    /Create a TXT record with the name \S+ and the value \S+/,
    (desk, { name, found = [], expected = [] }) => {
      for (const value of found) remove(desk, name, "TXT", value);
      add(desk, name, "TXT", expected[0] ?? "");
    },
  ],
  delegated_away: [
    /[Dd]elete the NS records.*, and create the CNAME /,
    (desk, { name, zone = "" }) => {
      removeAll(desk, zone, "NS");
      add(desk, name, "CNAME", desk.needed.value);
    },
  ],
  https_record: [
    /Delete these values\.$/,
    (desk, { name, found = [] }) => {
      for (const value of found) remove(desk, name, "HTTPS", value);
    },
  ],
  caa_forbids: [
    /: add one.* that allows ca\.test\.$|(?:Add|Create a CNAME record .* Or add) a record.* with the value "[^"]+"\.$|Delete (?:it|them)\.$/,
    (desk, { name, tag = "issue", found = [], expected = [], challenge }) => {
      const [value] = expected;
      if (challenge) add(desk, challenge.name, "CNAME", challenge.value);
      else if (value === undefined) for (const one of found) remove(desk, name, "CAA", one);
      else add(desk, name, "CAA", `0 ${tag} "${value}"`);
    },
  ],
};

/** The kinds after which the CNAME record is created once everything in its way is deleted. */
const BLOCKING: readonly FindingKind[] = ["conflicting_record"];

/** Follows the messages of findings, as a holder who reads them. */
const followMessages = (desk: Desk, findings: readonly FoundFault[]): void => {
  for (const finding of findings) {
    const [words, act] = ACTS[finding.kind] ?? [];
    if (!words?.test(finding.message) || !act)
      throw new Error(`the holder does not know what to do: ${finding.kind}: ${finding.message}`);
    act(desk, finding);
  }
  for (const { name, expected = [] } of findings.filter(({ kind }) => BLOCKING.includes(kind)))
    if (!desk.records.some((one) => one.name === name && one.type === "CNAME"))
      add(desk, name, "CNAME", expected[0] ?? "");
};

/** Makes one of the changes of a finding, as a program would. */
const makeChange = (desk: Desk, { action, type, fullName, found = [], value = "" }: RecordChange): void => {
  // Only the panel shows whether an apex has an alias, and what a proxy hides.
  if (type.includes(" or ") || (action === "change" && found.length === 0))
    removeAll(desk, fullName, "A", "AAAA", "CNAME");
  else for (const one of found) remove(desk, fullName, type, one);
  if (action === "delete") return undefined;
  // Cloudflare's CNAME at an apex is an alias.
  const isAlias = type === "ALIAS" || (type === "CNAME" && fullName === desk.zone);
  return isAlias ? createAlias(desk) : add(desk, fullName, type, value);
};

/** Makes the changes of findings, each once, deletions first. */
const followChanges = (desk: Desk, changes: readonly RecordChange[]): void => {
  const distinct = [...new Map(changes.map((one) => [JSON.stringify(one), one])).values()];
  for (const isDeletion of [true, false])
    for (const change of distinct) if ((change.action === "delete") === isDeletion) makeChange(desk, change);
};

const linesIn = ({ records }: Desk): string[] =>
  records.map(({ name, type, value }) => `${name} ${type} ${essence(value)}`).toSorted();

/**
 * Follows the messages of the findings for the holder.
 * @throws if a message has no instruction, or an impossible one, or if the findings' changes lead to other records
 */
export const followAdvice = (desk: Desk, findings: readonly FoundFault[]): void => {
  const own = findings.filter(({ responsible }) => responsible === "holder" || responsible === "proxy");
  const copy = { ...desk, records: [...desk.records] };
  followMessages(desk, own);
  // A message can leave a choice, and then there are no changes.
  if (own.some(({ changes = [] }) => changes.length === 0)) return;
  followChanges(
    copy,
    own.flatMap(({ changes = [] }) => changes),
  );
  if (linesIn(copy).join("\n") !== linesIn(desk).join("\n"))
    throw new Error(
      `the changes of ${own.map(({ kind }) => kind).join(", ")} lead to other records than the messages: ${JSON.stringify([linesIn(copy), linesIn(desk)])}`,
    );
};
