import { type Static, t } from "elysia";
import { AnyText, OneOf, ResponseText } from "../../../http/schemas.ts";
import { DomainTrace, Findings, TARGET, fromFindings, withCommands } from "../model.ts";
import { countedRecords, lossOf } from "../finding.ts";
import { ConnectOffer, NeededRecord, ProviderGuide } from "../../dns-records/model.ts";
import { adviceFor } from "../../dns-records/needed-record.ts";
import { type NameCheck, type NameVerdict, NAME_VERDICTS, VERDICT_SENTENCES } from "./name-check.ts";

const MAX_TYPED = 1000;

export const NewDomainCheck = t.Object(
  {
    hostname: AnyText("CheckedHostname", {
      max: MAX_TYPED,
      description:
        "The domain or subdomain, in Unicode or in Punycode. The rules are those of custom domains, but wildcards are refused.",
      examples: ["docs.example.org"],
    }),
    target: t.Optional(
      AnyText("CheckedTarget", {
        max: MAX_TYPED,
        description: "The name that the record must point to: the target of a project.",
        examples: [TARGET],
      }),
    ),
  },
  { $id: "NewDomainCheck", additionalProperties: false, description: "A name to check." },
);

const VERDICTS = Object.keys(NAME_VERDICTS) as NameVerdict[];

const verdictTexts = Object.entries(NAME_VERDICTS).map(([verdict, meaning]) => `\`${verdict}\`: ${meaning}`);

export const DomainCheck = t.Object(
  {
    hostname: ResponseText("The domain, in Punycode.", "docs.example.org"),
    unicode: ResponseText("The domain in Unicode, for display.", "docs.example.org"),
    verdict: OneOf("DomainCheckVerdict", VERDICTS, {
      description: verdictTexts.join(" "),
      examples: ["missing"],
    }),
    message: ResponseText("The verdict in one sentence, and what to do."),
    record: t.Optional(NeededRecord),
    guide: t.Optional(ProviderGuide),
    domainConnect: t.Optional(ConnectOffer),
    findings: Findings,
    trace: DomainTrace,
  },
  { $id: "DomainCheck", description: "What the DNS says about a name. Nothing is stored." },
);

type WireFinding = ReturnType<typeof fromFindings>[number];

/** The message without a target: an existing record is then not a mistake. Undefined for findings about anything else. */
const messageWithoutTarget = ({ kind, name, type = "CNAME", found = [], provider }: WireFinding) => {
  const values = found.join(", ");
  switch (kind) {
    case "wrong_target":
      return type === "ALIAS"
        ? `${name} points to ${values}: replace these records with the new one.`
        : `${name} has a CNAME record with the value ${values}: change it to the new value.`;
    case "conflicting_record":
      return `${name} has ${countedRecords(type, found.length)} (${values}): replace ${found.length > 1 ? "them" : "it"} with the CNAME.${lossOf(type)}`;
    case "wildcard_record":
      return `A wildcard record answers for ${name} (${values}): it can stay.`;
    case "proxied":
      return `${name} is behind ${provider}'s proxy: switch the proxy off for the new record.`;
    default:
      return undefined;
  }
};

/** The new value is not known either. */
const withoutTarget = (wire: WireFinding): WireFinding => {
  const { expected: _, ...finding } = wire;
  const message = messageWithoutTarget(finding);
  return message === undefined ? wire : { ...finding, message };
};

/** The wire form of a check. */
export const fromNameCheck = (check: NameCheck): Static<typeof DomainCheck> => {
  const { hostname, target, verdict, report, connect } = check;
  const { ascii, unicode, apex } = hostname;
  return {
    hostname: ascii,
    unicode,
    verdict,
    message: VERDICT_SENTENCES[verdict](unicode === ascii ? ascii : `${unicode} (${ascii})`, apex),
    ...(target === undefined
      ? { findings: fromFindings(check.findings).map(withoutTarget) }
      : adviceFor(hostname, target, report, check)),
    ...(connect && { domainConnect: connect }),
    trace: withCommands(report),
  };
};
