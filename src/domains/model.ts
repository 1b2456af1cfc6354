import { type Static, t } from "elysia";
import { AnyText, Cursor, Limit, OneOf, OptionalText, ResponseText, Time } from "../http/schemas.ts";
import { formatTime } from "../lib/time.ts";
import { DomainTrace, Findings, fromFindings, withCommands } from "../dns-checks/model.ts";
import { DomainCertificate } from "./certificate-model.ts";
import { ROLES } from "./domain.ts";
import { hostnameOf, pairOf } from "../lib/hostname.ts";
import {
  ChallengeRecord,
  ConnectOffer,
  NeededRecord,
  ProofRecord,
  ProviderGuide,
} from "../dns-records/model.ts";
import { challengeRecordFor, ownershipRecordFor } from "../dns-records/needed-record.ts";
import { recordAndGuide, zoneIn } from "../dns-records/provider-guide.ts";
import { STORED_STAGES } from "./stage.ts";
import type { InspectedDomain, ListedDomain } from "./views.ts";

const optionalTime = (description: string, example: string) => t.Optional(Time(description, example));

/** The only cause of a suspension. */
const PLAN_BELOW_PRO =
  "The project's plan is below Pro, so the domain is not served. Change the plan to Pro or Enterprise to serve it again.";

export const NewDomain = t.Object(
  {
    hostname: AnyText("NewHostname", {
      max: 1000,
      description:
        "The domain or subdomain, in Unicode or in Punycode. A wildcard such as `*.example.org` serves every name directly below the domain. IP addresses, single labels and public suffixes are refused.",
      examples: ["docs.example.org"],
    }),
    pair: t.Optional(
      t.Boolean({
        description:
          "`true` also adds the name with `www` in front of a domain, or the domain of a name with `www`. It redirects to the primary domain. Ignored if the domain has no such name.",
        examples: [true],
      }),
    ),
  },
  { $id: "NewDomain", additionalProperties: false, description: "A custom domain to add." },
);

const Stage = OneOf("DomainStage", STORED_STAGES, {
  description:
    "`awaiting_dns`: the DNS record does not exist yet. `dns_conflict`: another record is in its place. `verified`, `issuing`, `issue_failed`: the domain waits for its certificate. `live`: the domain is served. `suspended`: the plan is below Pro.",
  examples: ["awaiting_dns"],
});

const Suspension = t.Object(
  {
    reason: OneOf("SuspensionReason", ["plan_below_pro"], { examples: ["plan_below_pro"] }),
    message: ResponseText("The reason and the remedy.", PLAN_BELOW_PRO),
  },
  { $id: "Suspension", description: "Why a domain is suspended." },
);

export const Domain = t.Object(
  {
    hostname: ResponseText("The domain, in Punycode.", "docs.example.org"),
    unicode: ResponseText("The domain in Unicode, for display.", "docs.example.org"),
    project: ResponseText("The slug of its project.", "docs"),
    pair: OptionalText(
      "The name that visitors also type, with or without `www`. Absent if the domain is neither an apex nor its `www`.",
      "www.example.org",
    ),
    stage: Stage,
    suspension: t.Optional(Suspension),
    role: OneOf("DomainRole", ROLES, {
      description:
        "`redirect`: while the primary domain is live, visitors are redirected to it with status 301. Other domains show the site.",
      examples: ["primary"],
    }),
    record: NeededRecord,
    guide: t.Optional(ProviderGuide),
    challengeRecord: t.Optional(ChallengeRecord),
    ownershipRecord: t.Optional(ProofRecord),
    domainConnect: t.Optional(ConnectOffer),
    findings: Findings,
    createdAt: Time("When the domain was added.", "2026-11-20T09:30:00.000Z"),
    checkedAt: optionalTime("When the DNS records were last checked.", "2026-11-20T09:31:00.000Z"),
    nextCheckAt: optionalTime(
      "When the service checks the DNS records next. If absent, it checks them only on request.",
      "2026-11-20T09:32:00.000Z",
    ),
    failingSince: optionalTime(
      "Since when a live domain no longer verifies. After 7 days, it is no longer served.",
      "2026-12-20T09:30:00.000Z",
    ),
    verifiedAt: optionalTime(
      "When the records were first right. Absent while the old host still serves a domain that is only proven.",
      "2026-11-20T09:32:00.000Z",
    ),
    liveAt: optionalTime("Since when the domain is served.", "2026-11-20T09:32:00.000Z"),
    certificate: t.Optional(DomainCertificate),
    trace: t.Optional(DomainTrace),
  },
  { $id: "Domain", description: "A custom domain, and what it needs to become live." },
);

export const Domains = t.Array(Domain, {
  $id: "Domains",
  maxItems: 100,
  description: "A page of domains.",
});

const slug = t.String({ description: "The project's slug.", examples: ["docs"] });

export const ProjectParams = t.Object({ slug });

export const DomainParams = t.Object({
  slug,
  hostname: t.String({
    description: "The domain, in Unicode or in Punycode. Case makes no difference.",
    examples: ["docs.example.org"],
  }),
});

export const PageQuery = t.Object(
  { limit: t.Optional(Limit), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
);

const times = (fields: Record<string, number | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, time]) => (time === null ? [] : [[name, formatTime(time)]])),
  );

/** The wire form of a domain. */
export const fromDomain = (domain: ListedDomain | InspectedDomain): Static<typeof Domain> => {
  const { stage, role, target, challengeTarget, connect } = domain;
  const { checkedAt, nextCheckAt, failingSince, verifiedAt, liveAt } = domain;
  const hostname = hostnameOf(domain.hostname);
  const pair = pairOf(hostname);
  const trace = "trace" in domain ? domain.trace : undefined;
  return {
    hostname: hostname.ascii,
    unicode: hostname.unicode,
    project: domain.project,
    ...(pair !== undefined && { pair }),
    stage,
    ...(stage === "suspended" && {
      suspension: { reason: "plan_below_pro" as const, message: PLAN_BELOW_PRO },
    }),
    role,
    ...recordAndGuide(hostname, target, trace, domain),
    ...(challengeTarget !== undefined && {
      challengeRecord: challengeRecordFor(hostname, challengeTarget, zoneIn(trace)),
    }),
    ...(challengeTarget === undefined &&
      !hostname.isApex &&
      !hostname.isWildcard && { ownershipRecord: ownershipRecordFor(hostname, target, zoneIn(trace)) }),
    ...(connect && { domainConnect: connect }),
    findings: fromFindings(domain.findings),
    createdAt: formatTime(domain.createdAt),
    ...times({ checkedAt, nextCheckAt, failingSince, verifiedAt, liveAt }),
    ...(domain.certificate && { certificate: domain.certificate }),
    ...(trace && { trace: withCommands(trace) }),
  };
};
