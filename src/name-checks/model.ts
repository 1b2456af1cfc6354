import { type Static, t } from "elysia";
import { AnyText, OneOf, ResponseText } from "../http/schemas.ts";
import { DomainTrace, Findings, TARGET, fromFindings } from "../dns-checks/model.ts";
import { withCommands } from "../dns-checks/dig-command.ts";
import { countedRecords, lossOf } from "../dns-checks/finding-kinds.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { NeededRecord, ProviderGuide, recordAndGuide } from "../dns-records/model.ts";
import { ConnectOffer } from "../dns-records/connect-offer-model.ts";
import type { NameCheck } from "./name-check.ts";
import { NAME_VERDICTS, type NameVerdict, verdictSentence } from "./verdict.ts";

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

/** Without a target, an existing record is not a mistake, and its new value is not known. */
const withoutTarget = (wire: WireFinding): WireFinding => {
  const { expected: _, ...finding } = wire;
  const { kind, name, type = "CNAME", found = [] } = finding;
  const values = found.join(", ");
  if (kind === "wrong_target" && type === "ALIAS")
    return { ...finding, message: `${name} points to ${values}: replace these records with the new one.` };
  if (kind === "wrong_target")
    return {
      ...finding,
      message: `${name} has a CNAME record with the value ${values}: change it to the new value.`,
    };
  if (kind === "conflicting_record")
    return {
      ...finding,
      message: `${name} has ${countedRecords(type, found.length)} (${values}): replace ${found.length > 1 ? "them" : "it"} with the CNAME.${lossOf(type)}`,
    };
  if (kind === "wildcard_record")
    return { ...finding, message: `A wildcard record answers for ${name} (${values}): it can stay.` };
  if (kind === "proxied")
    return {
      ...finding,
      message: `${name} is behind ${finding.provider}'s proxy: switch the proxy off for the new record.`,
    };
  return finding;
};

const ABOUT_RECORDS: ReadonlySet<DomainFinding["kind"]> = new Set([
  "wrong_target",
  "conflicting_record",
  "wildcard_record",
  "proxied",
]);

/** The wire form of a check. */
export const fromNameCheck = (check: NameCheck): Static<typeof DomainCheck> => {
  const { hostname, target, verdict, report, connect } = check;
  const { ascii, unicode, apex } = hostname;
  const findings = fromFindings(check.findings);
  return {
    hostname: ascii,
    unicode,
    verdict,
    message: verdictSentence(verdict, unicode === ascii ? ascii : `${unicode} (${ascii})`, apex),
    ...(target !== undefined && recordAndGuide(hostname, target, report, check)),
    ...(connect && { domainConnect: connect }),
    findings:
      target === undefined
        ? findings.map((one) => (ABOUT_RECORDS.has(one.kind) ? withoutTarget(one) : one))
        : findings,
    trace: withCommands(report),
  };
};
