import { isIP } from "node:net";
import { wildcardAbove } from "../lib/hostname.ts";
import { type FindingKind, type FindingOf, type Responsible, CAA_PARAMETERS } from "./finding.ts";
import { settingOf } from "./providers.ts";

// Explains why the value of a CNAME record is wrong: a sentence with a leading space, or an empty string.

/** Text that is invalid in a host name, and the mistake. Values are printable: invisible characters are escaped. */
const VALUE_MISTAKES: readonly (readonly [pattern: RegExp, mistake: string])[] = [
  [/^\W*[a-z]+:\/\//, "starts with a protocol such as https://: enter only the host name"],
  [/["'\u201c\u201d]/, "is in quotation marks: enter it without them"],
  [/[\s\\]/, "contains a space, a backslash or an invisible character: enter only the host name"],
  [/\//, "contains a path: enter only the host name"],
  [/:/, "contains a port: enter only the host name"],
];

/** Explains a value that is not a host name. */
const mistakeHint = (found: readonly string[]): string => {
  const first = VALUE_MISTAKES.find(([pattern]) => found.some((value) => pattern.test(value)));
  return first ? ` The value ${first[1]}.` : "";
};

/** True if one of the values is the right one, followed by more labels. */
const hasDoubledValue = (found: readonly string[], expected: readonly string[]): boolean =>
  found.some((value) => expected.some((one) => value.startsWith(`${one}.`)));

/** Many panels read a value without a final dot as a name below the zone. */
const finalDotHint = (found: readonly string[], expected: readonly string[]): string =>
  hasDoubledValue(found, expected)
    ? " The DNS provider added the zone to the value: enter the value with a final dot."
    : "";

interface Explanation<Kind extends FindingKind> {
  /** For the documents of the API, and the manual. */
  meaning: string;
  responsible: Responsible;
  /** True if the domain works all the same. */
  isHint?: true;
  /** The problem and the remedy, in one sentence. */
  describe(finding: FindingOf<Kind>): string;
}

const list = (values: readonly string[]): string => values.join(", ");

/** A name as the panel of its zone asks for it. @param doubled the same name, with the zone twice */
const nameInPanel = (name: string, doubled: string): string => {
  const zone = doubled.slice(name.length + 1);
  return name === zone ? "@" : name.slice(0, -zone.length - 1);
};

/** "an MX record", "CAA records". @param count of the records */
export const countedRecords = (type: string, count: number): string =>
  count > 1 ? `${type} records` : `${/^[AHM]/.test(type) ? "an" : "a"} ${type} record`;

/** The steps that point a name here: a CNAME cannot be created before addresses are deleted. */
const moveStep = ({ type, found, expected }: FindingOf<"not_moved">): string => {
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
const duration = (seconds: number): string => {
  if (seconds < 2 * MINUTE) return `${seconds} s`;
  return seconds < 2 * HOUR
    ? `${Math.ceil(seconds / MINUTE)} minutes`
    : `${Math.round(seconds / HOUR)} hours`;
};

/** "2026-11-20 09:30 UTC". @param time in RFC 3339 */
const minute = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** Who must end the silence of a name server. */
const REPAIR = {
  dns_provider: "Ask the DNS provider to repair the name servers of the zone.",
  operator: "The operator of this service must find out why its resolver gives no usable response.",
} as const;

/** Whether this service can be reached through the proxy. */
const THROUGH_PROXY = {
  true: "Requests through the proxy reach this service, so the record behind it seems right.",
  false: "Requests through the proxy do not reach this service.",
  undefined: "",
} as const;

/** Everything about each kind of finding. It is not stored with a finding, so old findings get the current text. */
export const FINDINGS: { readonly [Kind in FindingKind]: Explanation<Kind> } = {
  no_record: {
    meaning: "The record does not exist.",
    responsible: "holder",
    describe: ({ name, type, expected, wildcard }) =>
      `${name} has no ${type} record: create one with the value ${list(expected)}.${wildcard ? ` The wildcard record ${wildcard} does not answer for it, because the zone has another record at or below ${name}.` : ""}`,
  },
  wrong_target: {
    meaning: "The record has another value. It must match exactly.",
    responsible: "holder",
    describe({ name, type, found, expected }) {
      if (type === "ALIAS")
        return `${name} points to ${list(found)}: delete the A, AAAA, ALIAS or ANAME records that do this. Create ones that point to ${list(expected)}.`;
      if (found.length > 1)
        return `${name} has ${found.length} CNAME records, but only one is allowed, with the value ${list(expected)}: delete ${list(found.filter((value) => !expected.includes(value)))}.`;
      return `${name}'s ${type} record points to ${list(found)}: change it to ${list(expected)}.${finalDotHint(found, expected)}${mistakeHint(found)}`;
    },
  },
  doubled_name: {
    meaning:
      "The name of the record contains the zone twice: the holder entered the whole name, and the DNS provider added the zone.",
    responsible: "holder",
    describe: ({ name, type, found: [found = ""], expected }) =>
      `The ${type} record for ${name} is at ${found}: the DNS provider adds the zone to every name. Delete this record, and create it with the name ${nameInPanel(name, found)} and the value ${list(expected)}.`,
  },
  conflicting_record: {
    meaning: "Another record has the name that the CNAME needs. DNS providers refuse a CNAME there.",
    responsible: "holder",
    describe({ name, type, found, expected }) {
      const them = found.length > 1 ? "them" : "it";
      return `${name} has ${countedRecords(type, found.length)} (${list(found)}) where the CNAME belongs: delete ${them}, and create a CNAME with the value ${list(expected)}.${name.startsWith("_") ? "" : lossOf(type)}`;
    },
  },
  delegated_away: {
    meaning:
      "NS records delegate the name, or a parent of it, to other name servers, which do not have the record.",
    responsible: "holder",
    describe: ({ name, zone, found }) =>
      zone === name
        ? `${name} has NS records (${list(found)}), which cannot coexist with a CNAME. In the parent zone, delete the NS records, and create the CNAME there. Other records on those name servers then stop working: copy the ones that you need.`
        : `${zone} has NS records (${list(found)}), so the records of ${name} belong on those name servers. Create the CNAME there. If those name servers are no longer in use, delete the NS records instead, and create the CNAME in the parent zone.`,
  },
  https_record: {
    meaning: "An HTTPS record sends browsers to another host, although the addresses are right.",
    responsible: "holder",
    isHint: true,
    describe: ({ name, found }) =>
      `${name} has ${countedRecords("HTTPS", found.length)} (${list(found)}) of another host. Browsers prefer HTTPS records to the addresses. Delete these values.`,
  },
  apex_cname: {
    meaning: "The apex of a zone has a CNAME record, which hides its MX and TXT records.",
    responsible: "holder",
    isHint: true,
    describe: ({ name, expected }) =>
      `${name} has a CNAME record, which hides all other records of this name: mail to addresses at ${name} can fail. Create an ALIAS or ANAME record with the value ${list(expected)} instead.`,
  },
  caa_forbids: {
    meaning:
      "CAA records forbid the CA from issuing a certificate for the name, or forbid the account or the methods of this service.",
    responsible: "holder",
    describe({ name, found, expected, parameter, tag, challenge }) {
      const forbid = `The CAA records of ${name} (${list(found)}) forbid the certificate:`;
      const withTag = tag === undefined ? "" : ` with the tag ${tag}`;
      if (expected.length === 0)
        return `${forbid} no CA recognizes the tag of a critical record, so no CA may issue one. Delete ${found.length > 1 ? "them" : "it"}.`;
      if (parameter === undefined) return `${forbid} add one${withTag} that allows ${expected.join(" or ")}.`;
      const add = challenge
        ? `Create a CNAME record with the name ${challenge.name} and the value ${challenge.value}, so that this service can use dns-01. Or add`
        : "Add";
      return `${forbid} ${CAA_PARAMETERS[parameter]}. ${add} a record${withTag} with the value ${expected.map((value) => `"${value}"`).join(" or ")}.`;
    },
  },
  caa_unanswered: {
    meaning:
      "CAA queries to the name servers of the zone fail. CAs must then refuse the certificate (RFC 8659).",
    responsible: "dns_provider",
    describe: ({ name, server, reason }) =>
      `CAA queries for ${name} to the name servers of the zone fail (${server}: ${reason}). CAs must refuse the certificate until they succeed. Ask the DNS provider to repair these name servers. If there are no CAA records, the correct response is NOERROR with no records.`,
  },
  not_propagated: {
    meaning:
      "The domain's own name servers have the right record, but a resolver still has the old one. This does not delay the domain.",
    responsible: "nobody",
    isHint: true,
    describe({ name, server, seconds }) {
      const until = seconds === undefined ? "for a while" : `for up to ${duration(seconds)}`;
      return `The name servers of ${name} have the right record. The resolver ${server} and others may return the old one ${until}.`;
    },
  },
  ownership_unproven: {
    meaning: "An apex has the right addresses, but all projects share them. It also needs a TXT record.",
    responsible: "holder",
    describe({ name, found, expected }) {
      const instead = found.length > 0 ? ` instead of ${list(found)}` : "";
      return `The addresses are right, but they do not identify the project. Create a TXT record with the name ${name} and the value ${list(expected)}${instead}.`;
    },
  },
  unreachable: {
    meaning:
      "A name server gave no usable response. This never counts against the domain. If no server of the zone responds, the DNS provider must act. If only a resolver of this service fails, the operator must act. If one of several servers fails for a day (`since`), the DNS provider must act.",
    responsible: "nobody",
    describe({ name, server, reason, since, responsible }) {
      const silence = `${server} gave no usable response for ${name}: ${reason}.`;
      if (responsible === undefined) return silence;
      const length = since === undefined ? "" : ` No check has received a response since ${minute(since)}.`;
      return `${silence}${length} ${REPAIR[responsible]}`;
    },
  },
  proxied: {
    meaning:
      "A proxy hides the record behind its own addresses. While it is on, renewals of the certificate can fail.",
    responsible: "proxy",
    describe: ({ name, found, expected, provider, reachesService }) =>
      [
        `${name} is behind ${provider}'s proxy, which hides its record.`,
        THROUGH_PROXY[`${reachesService}`],
        `In the DNS settings of ${provider}, set the record to ${settingOf(provider)}, with the value ${list(expected)}.`,
        "While the proxy is on, renewals of the certificate can fail without notice.",
        `If your DNS provider is not ${provider}, delete the A and AAAA records (${list(found)}), and create a CNAME or ALIAS record with that value.`,
      ]
        .filter((part) => part !== "")
        .join(" "),
  },
  wildcard_record: {
    meaning: "A wildcard record answers for the name, with another value.",
    responsible: "holder",
    describe: ({ name, type, found, expected }) =>
      `${name} itself has no record: a wildcard ${type} record, such as ${wildcardAbove(name)}, answers for it (${list(found)}). Create a CNAME record with the name ${name} and the value ${list(expected)}. The wildcard can stay.`,
  },
  stray_address: {
    meaning: "Some address records are right, but others point elsewhere, so some visitors do not arrive.",
    responsible: "holder",
    describe: ({ name, type, found }) =>
      `Some addresses of ${name} are right, but other ${type} records point elsewhere (${list(found)}). Delete those.`,
  },
  addresses_changed: {
    meaning:
      "The operator has changed the addresses of the service, and the records still have the old ones.",
    responsible: "holder",
    describe: ({ name, found, expected }) =>
      `The addresses of this service have changed: ${name} still has ${list(found)}. Change its A and AAAA records to ${list(expected)}. An ALIAS record needs no change.`,
  },
  mixed_answers: {
    meaning: "The name servers of the zone have different records.",
    responsible: "dns_provider",
    describe: ({ name, server, found, expected }) =>
      `The name servers of the zone do not agree about ${name}: ${server} has ${found.length > 0 ? list(found) : "no record"}, and others have ${list(expected)}. If this lasts longer than an hour, ask the DNS provider to repair ${server}.`,
  },
  lame_delegation: {
    meaning: "The domain is delegated to a name server that does not serve its zone.",
    responsible: "dns_provider",
    describe: ({ name, server, reason, responsible }) =>
      responsible === "registrar"
        ? `The registry delegates ${name} to the name server ${server}, which does not serve the zone (${reason}). At the registrar, enter the name servers of your DNS provider.`
        : `${name} is delegated to the name server ${server}, which does not serve the zone (${reason}). Ask the DNS provider to repair the name servers of the zone.`,
  },
  dnssec_failure: {
    meaning: "Resolvers reject the records because DNSSEC validation fails.",
    responsible: "dns_provider",
    describe: ({ name, server, reason, responsible }) =>
      `${server} rejects the records of ${name} because DNSSEC validation fails (${reason}). Ask the DNS provider to sign the zone again${responsible === "registrar" ? ", or remove the DS record of the domain at the registrar" : ""}.`,
  },
  registration_expired: {
    meaning: "The registered domain does not exist, or its registration has expired.",
    responsible: "registrar",
    describe: ({ name, found }) =>
      found.length > 0
        ? `The registration of ${name} has expired: its name servers are now ${list(found)}. Renew it at the registrar.`
        : `${name} is not registered, or its registration has expired. Register or renew it at the registrar.`,
  },
  registration_on_hold: {
    meaning: "The registrar has put the domain on hold until its holder confirms the contact details.",
    responsible: "registrar",
    describe: ({ name, found, provider }) =>
      `The registrar has put ${name} on hold (${list(found)}). Confirm your contact details: ${provider} has sent an e-mail about it.`,
  },
  parked: {
    meaning: "The domain uses the name servers of a parking page.",
    responsible: "registrar",
    describe: ({ name, found, provider }) =>
      `${name} uses the name servers of ${provider}'s parking page (${list(found)}). At the registrar, enter the name servers of your DNS provider.`,
  },
  long_ttl: {
    meaning: "The record has a TTL of a day or more, so changes take long to reach everybody.",
    responsible: "holder",
    isHint: true,
    describe: ({ name, type, seconds }) =>
      `The ${type} record of ${name} has a TTL of ${duration(seconds)}: a change takes up to ${duration(seconds)} to reach everybody. Set its TTL to 3600 before you change it.`,
  },
  not_moved: {
    meaning: "The DNS proves that the domain belongs to the project, but its records do not point here yet.",
    responsible: "holder",
    isHint: true,
    describe(finding) {
      const { name, found, challenge } = finding;
      const state = found.length > 0 ? `still points to ${list(found)}` : "has no record yet";
      const missing = challenge
        ? ` To get a certificate before the move, create a CNAME record with the name ${challenge.name} and the value ${challenge.value}.`
        : "";
      return `${name} belongs to this project, but ${state}.${missing} Wait until the domain is live and its certificate is ready. Then ${moveStep(finding)}.`;
    },
  },
  platform_unready: {
    meaning: "This service is not ready for custom domains. The domain's records are not the cause.",
    responsible: "operator",
    describe: ({ name, reason, found }) =>
      `This service is not ready for custom domains: ${name} ${reason}${found ? ` (${list(found)})` : ""}. Its operator must correct this; the domain's records are not the cause.`,
  },
  domain_taken: {
    meaning: "The TXT record names two projects, and the other one holds the domain.",
    responsible: "holder",
    describe: ({ name }) =>
      `The DNS names both this project and another one for ${name}, and the other project holds the domain. Remove the other project's value from the TXT record.`,
  },
  domain_lost: {
    meaning: "The DNS now names another project, which holds the domain.",
    responsible: "holder",
    describe: ({ name }) =>
      `The DNS names another project for ${name}, which holds it now. To get it back, create this project's record, then verify.`,
  },
};

export const FINDING_KINDS = Object.keys(FINDINGS) as FindingKind[];

/** The problem and the remedy, for the person who must act. */
export const describeFinding = <Kind extends FindingKind>(finding: FindingOf<Kind>): string =>
  (FINDINGS[finding.kind] as Explanation<Kind>).describe(finding);
