import { isIP } from "node:net";
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { OneOf, OptionalText, ResponseText, ResponseTexts, Time } from "../../http/schemas.ts";
import { parseServer } from "../../lib/name-server.ts";
import {
  type CaaParameter,
  type Needed,
  type RecordChange as CheckChange,
  type Responsible,
  CAA_PARAMETERS,
  RESPONSIBLE,
} from "./finding-kind.ts";
import {
  type DomainFinding as CheckFinding,
  FINDINGS,
  FINDING_KINDS,
  adviceOn,
  changesFor,
} from "./finding.ts";

export const TARGET = "k3vq7zj5n2xw4ryt6mbd.cname.example.net";

const RecordChange = t.Object(
  {
    action: OneOf("ChangeAction", ["create", "change", "delete"], { examples: ["create"] }),
    type: ResponseText(
      "The type of the record. An alias of an apex looks like addresses in the DNS: a deletion then names all types that it can have at the DNS provider.",
      "CNAME",
    ),
    name: ResponseText("The name of the record, as DNS providers ask for it.", "docs"),
    fullName: ResponseText("The name of the record, in full.", "docs.example.org"),
    found: t.Optional(
      ResponseTexts("The current values. Absent in a creation, and if they are not known.", ["203.0.113.7"]),
    ),
    value: OptionalText("The new value. Absent in a deletion.", TARGET),
  },
  { $id: "RecordChange", description: "A change to make at the DNS provider." },
);

export const DomainFinding = t.Object(
  {
    kind: OneOf("FindingKind", FINDING_KINDS, {
      description: FINDING_KINDS.map((kind) => `\`${kind}\`: ${FINDINGS[kind].meaning}`).join(" "),
      examples: ["no_record"],
    }),
    responsible: t.Optional(
      OneOf("FindingResponsible", Object.keys(RESPONSIBLE) as Responsible[], {
        description: `Who must act. ${Object.entries(RESPONSIBLE)
          .map(([who, words]) => `\`${who}\`: ${words}.`)
          .join(" ")}`,
        examples: ["holder"],
      }),
    ),
    isHint: t.Boolean({
      description: "`true` if the domain works all the same, or only needs time.",
      examples: [false],
    }),
    title: ResponseText(
      "What is wrong, in a few words.",
      "There is no CNAME record for docs.example.org yet",
    ),
    message: ResponseText("What is wrong, and what to do."),
    changes: t.Optional(
      t.Array(RecordChange, {
        description:
          "The records to change, deletions first. Empty if no record there resolves the finding, or if `message` leaves a choice. Absent in a history, and in a check without a target. Findings can have a change in common: make it once.",
      }),
    ),
    name: ResponseText("The name of the record.", "docs.example.org"),
    type: OptionalText("The type of the record.", "CNAME"),
    found: t.Optional(ResponseTexts("The values that the DNS has.", ["203.0.113.7"])),
    expected: t.Optional(ResponseTexts("The values that the DNS must have.", [TARGET])),
    parameter: t.Optional(
      OneOf("CaaParameter", Object.keys(CAA_PARAMETERS) as CaaParameter[], {
        description: `The parameter of the CAA records that forbids the certificate. ${Object.entries(
          CAA_PARAMETERS,
        )
          .map(([name, words]) => `\`${name}\`: ${words}.`)
          .join(" ")}`,
        examples: ["accounturi"],
      }),
    ),
    tag: OptionalText(
      "The tag of the CAA record to add, if it is not `issue`: a wildcard can need another.",
      "issuewild",
    ),
    challenge: t.Optional(
      t.Object(
        {
          name: ResponseText("Its name.", "_acme-challenge.docs.example.org"),
          value: ResponseText("Its value.", "k3vq7zj5n2xw4ryt6mbd._acme-challenge.sites.example.net"),
        },
        {
          $id: "FindingChallenge",
          description:
            "The CNAME record with which this service can get the certificate: by the method that CAA records allow, or before the domain moves.",
        },
      ),
    ),
    wildcard: OptionalText("A wildcard record that does not answer for the name.", "*.example.org"),
    zone: OptionalText("The name that has NS records, or a parent of it.", "docs.example.org"),
    provider: OptionalText("The company that runs the proxy or the name servers.", "Cloudflare"),
    reachesService: t.Optional(
      t.Boolean({
        description: "Whether requests through the proxy reach this service. Absent if not tried.",
      }),
    ),
    server: OptionalText("The DNS server that sent the response, or did not respond.", "192.0.2.53"),
    seconds: t.Optional(
      Type.Integer({
        minimum: 0,
        description: "How long caches can keep the records, in seconds.",
        examples: [300],
      }),
    ),
    since: t.Optional(
      Time("Since when no check has had a usable response from the server.", "2026-11-20T09:30:00.000Z"),
    ),
    reason: OptionalText("Why a server gave no useful response, or why the service is not ready."),
  },
  { $id: "DomainFinding", description: "What a check found, and which record to change." },
);

export const Findings = t.Array(DomainFinding, {
  description: "The findings of the last check. Empty if everything is right.",
});

const DomainQuestion = t.Object(
  {
    server: ResponseText("The DNS server.", "192.0.2.1"),
    name: ResponseText("The name in the query.", "docs.example.org"),
    type: ResponseText("The record type in the query.", "CNAME"),
    recursive: t.Boolean({ description: "`true` if the query asked for recursion." }),
    checkingDisabled: t.Optional(
      t.Boolean({ description: "`true` if the resolver was told not to check DNSSEC." }),
    ),
    transport: OneOf("Transport", ["udp", "tcp"], { examples: ["udp"] }),
    outcome: ResponseText(
      "The response code, or why there is no response: `timeout`, `refused`, ...",
      "NOERROR",
    ),
    detail: OptionalText("Details about a missing response."),
    records: ResponseTexts("The records as lines of a zone file, at most 20.", [
      `docs.example.org 3600 IN CNAME ${TARGET}`,
    ]),
    milliseconds: Type.Integer({
      minimum: 0,
      description: "How long the query took, in milliseconds.",
      examples: [12],
    }),
    command: OptionalText(
      "The command that repeats the query. Absent if no query was sent, or if the name has characters that are special to a shell.",
      "dig @192.0.2.1 docs.example.org. CNAME +norecurse +noadflag +nocookie",
    ),
  },
  { $id: "DomainQuestion", description: "A DNS query of a check, and its response." },
);

export type ReportedQuestion = Static<typeof DomainQuestion>;

export const DomainTrace = t.Object(
  {
    target: ResponseText(
      "The value that the record must have. In a check without a target, the name itself.",
      TARGET,
    ),
    zone: OptionalText("The zone of the name, if the resolvers know it.", "example.org"),
    nameServers: ResponseTexts("The zone's authoritative servers that were asked.", ["192.0.2.1"]),
    chain: ResponseTexts("The name, followed by the value of each CNAME record.", [
      "docs.example.org",
      TARGET,
    ]),
    targetAddresses: ResponseTexts("The addresses of the target.", ["192.0.2.80"]),
    formerAddresses: t.Optional(
      ResponseTexts("Addresses that the target had at earlier checks.", ["192.0.2.79"]),
    ),
    caa: ResponseTexts("The CAA records that apply.", ['example.org 3600 IN CAA 0 issue "letsencrypt.org"']),
    questions: t.Array(DomainQuestion, {
      description: "The queries in the order of their responses, at most 200.",
    }),
  },
  { $id: "DomainTrace", description: "Every DNS query of the last check, with its response." },
);

/** The queries of a check and their responses, as they are stored and shown. Commands are only shown. */
export type Report = Static<typeof DomainTrace>;

/** A name outside the registered domain stays as it is. */
const fromChange = ({ name, ...change }: CheckChange, { apex }: Needed): Static<typeof RecordChange> => {
  const label = name.endsWith(`.${apex}`) ? name.slice(0, -apex.length - 1) : name;
  return { ...change, name: name === apex ? "@" : label, fullName: name };
};

/**
 * The wire form of findings. Stored findings of kinds that this version does not know are omitted.
 * @param needed without it, the changes are not known
 */
export const fromFindings = (findings: readonly CheckFinding[], needed?: Needed): Static<typeof Findings> =>
  findings.flatMap((finding) => {
    if (!Object.hasOwn(FINDINGS, finding.kind)) return [];
    const advice = { ...adviceOn(finding, needed?.isLive), ...finding };
    return needed
      ? { ...advice, changes: changesFor(finding, needed).map((change) => fromChange(change, needed)) }
      : advice;
  });

/** Letters, digits, hyphens, underscores and dots. Strangers choose the names that CNAME records lead to. */
const SAFE_NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i;
const SAFE_TYPE = /^[A-Z]{1,10}$/;
const DNS_PORT = 53;

type Asked = Pick<
  ReportedQuestion,
  "server" | "name" | "type" | "recursive" | "checkingDisabled" | "transport" | "outcome"
>;

/**
 * The command that repeats a query; undefined if it was never sent, or if its name could mean something to a shell or to dig.
 * The final dot keeps dig from reading a name such as `in` or `mx` as a class or a type. dig would add the AD flag and a
 * cookie, which our queries do not have.
 */
export const digCommand = (asked: Asked): string | undefined => {
  const { server, name, type, recursive, checkingDisabled, transport, outcome } = asked;
  const parsed = parseServer(server);
  if (outcome === "forbidden" || !parsed || isIP(parsed.address) === 0) return undefined;
  if (!SAFE_NAME.test(name) || !SAFE_TYPE.test(type)) return undefined;
  return [
    `dig @${parsed.address}`,
    ...(parsed.port === DNS_PORT ? [] : [`-p ${parsed.port}`]),
    `${name}. ${type}`,
    recursive ? "+recurse" : "+norecurse",
    ...(checkingDisabled ? ["+cdflag"] : []),
    ...(transport === "tcp" ? ["+tcp"] : []),
    "+noadflag +nocookie",
  ].join(" ");
};

const withCommand = (question: ReportedQuestion) => {
  const command = digCommand(question);
  return { ...question, ...(command !== undefined && { command }) };
};

/** A report with the command that repeats each query. */
export const withCommands = (report: Report) => ({
  ...report,
  questions: report.questions.map(withCommand),
});
