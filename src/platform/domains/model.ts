import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { DomainFinding, DomainTrace, Findings, fromFindings, withCommands } from "../dns-checks/model.ts";
import {
  ChallengeRecord,
  ConnectOffer,
  NeededRecord,
  ProofRecord,
  ProviderGuide,
} from "../dns-records/model.ts";
import { adviceFor, challengeRecordFor, ownershipRecordFor, zoneIn } from "../dns-records/needed-record.ts";
import {
  AnyText,
  Cursor,
  ErrorBody,
  Id,
  Limit,
  OneOf,
  OptionalText,
  ResponseText,
  Rule,
  Time,
  checked,
} from "../../http/schemas.ts";
import { MAX_DOMAIN_ROWS } from "../../lib/domain-list.ts";
import { statusOf } from "../../lib/errors.ts";
import { hostnameOf, pairOf } from "../../lib/hostname.ts";
import { hasAtMost } from "../../lib/text.ts";
import { formatTime } from "../../lib/time.ts";
import { DomainCertificate } from "./certificate-model.ts";
import type { InspectedDomain, ListedDomain } from "./domain.ts";
import type { RowResult } from "./service.ts";
import { type DomainEvent as StoredEvent, EVENTS, ROLES } from "./domain.ts";
import { STAGES, STORED_STAGES } from "./stage.ts";

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
    ...adviceFor(hostname, target, trace, domain),
    ...(challengeTarget !== undefined && {
      challengeRecord: challengeRecordFor(hostname, challengeTarget, zoneIn(trace)),
    }),
    ...(challengeTarget === undefined &&
      !hostname.isApex &&
      !hostname.isWildcard && { ownershipRecord: ownershipRecordFor(hostname, target, zoneIn(trace)) }),
    ...(connect && { domainConnect: connect }),
    createdAt: formatTime(domain.createdAt),
    ...times({ checkedAt, nextCheckAt, failingSince, verifiedAt, liveAt }),
    ...(domain.certificate && { certificate: domain.certificate }),
    ...(trace && { trace: withCommands(trace) }),
  };
};

const DomainEvent = t.Object(
  {
    at: Time("When the event happened.", "2026-11-20T09:32:00.000Z"),
    actor: OneOf("DomainActor", ["key", "person", "operator", "service"], {
      description:
        "Who caused the event. `key`: an API key. `person`: a person at the console. `operator`: the command line, or a user of its sign-in link. `service`: the service itself.",
      examples: ["key"],
    }),
    key: t.Optional(Id("Id of the API key. Only for callers with the scope `audit:read`.", 1)),
    person: t.Optional(Id("Id of the person. Only for callers with the scope `audit:read`.", 1)),
    name: OptionalText(
      "Name of the key or person at that time. Only for callers with the scope `audit:read`.",
      "website",
    ),
    event: OneOf("DomainEventName", EVENTS, {
      description: "What happened. A check with the same result as the previous one has no event.",
      examples: ["records_right"],
    }),
    stage: OneOf("DomainEventStage", STAGES, {
      description: "The stage of the domain after the event.",
      examples: ["live"],
    }),
    findings: t.Array(DomainFinding, { description: "The findings of a check." }),
  },
  { $id: "DomainEvent", description: "An event in the history of a domain." },
);

export const DomainHistory = t.Array(DomainEvent, {
  $id: "DomainHistory",
  maxItems: 100,
  description: "The events of a domain, newest first.",
});

/** The wire form of a row of the history. @param isNamed false returns only the actor's kind */
export const fromEvent = (
  { at, actor, event, stage, findings }: StoredEvent,
  { isNamed }: { isNamed: boolean },
): Static<typeof DomainEvent> => ({
  at: formatTime(at),
  actor: actor.kind,
  ...(isNamed && actor.kind === "key" && { key: actor.id }),
  ...(isNamed && actor.kind === "person" && { person: actor.id }),
  ...(isNamed && "name" in actor && actor.name !== null && { name: actor.name }),
  event,
  stage,
  findings: fromFindings(findings),
});

const STAGE_LIST = `^(${STORED_STAGES.join("|")})(,(${STORED_STAGES.join("|")}))*$`;
const STAGE_LIST_PATTERN = new RegExp(STAGE_LIST);

const text = (description: string, example: string) =>
  AnyText("DomainListText", { max: 255, description, examples: [example] });

export const AllDomainsQuery = t.Object(
  {
    q: t.Optional(text("Part of the host name, in Unicode or in Punycode. Case is ignored.", "example.org")),
    project: t.Optional(text("Filter by the slug of the project.", "docs")),
    stage: t.Optional(
      checked<string>(
        "DomainStages",
        {
          type: "string",
          pattern: STAGE_LIST,
          description: "Filter by stage: one stage, or several separated by commas.",
          examples: ["dns_conflict,issue_failed"],
        },
        `must be stages separated by commas, of ${STORED_STAGES.join(", ")}`,
        (value) => typeof value === "string" && STAGE_LIST_PATTERN.test(value),
      ),
    ),
    limit: Limit,
    // A host name in a cursor can have 253 characters.
    cursor: t.Optional({ ...Cursor, maxLength: 500 }),
  },
  { additionalProperties: false },
);

export const NewDomains = t.Array(
  t.Object(
    {
      // An empty one is refused as a row.
      hostname: checked<string>(
        "DomainRowName",
        {
          type: "string",
          maxLength: 1000,
          description: "The domain or subdomain, in Unicode or in Punycode.",
          examples: ["docs.example.org"],
        },
        "must be a string of at most 1000 characters",
        (value) => typeof value === "string" && hasAtMost(value, 1000),
      ),
      project: t.Optional(text("The slug of the project. The default is `?project=`.", "docs")),
      role: t.Optional(
        text(
          "`primary`: the domain replaces the primary domain of its project. `redirect`: it redirects to the primary domain, if the project has one. `served`, the default: it shows the site.",
          "redirect",
        ),
      ),
    },
    { $id: "NewDomainRow", additionalProperties: false, description: "A domain to add to a project." },
  ),
  {
    $id: "NewDomains",
    minItems: 1,
    maxItems: MAX_DOMAIN_ROWS,
    [Rule]: `must be a list of 1 to ${MAX_DOMAIN_ROWS} domains`,
    description:
      "Domains to add. As `text/csv`, the columns are `domain`, `project` and `role`. An optional header line names them, in any order.",
  },
);

export const NewDomainsQuery = t.Object(
  { project: t.Optional(text("The project of rows without one.", "docs")) },
  { additionalProperties: false },
);

export const DomainAdditions = t.Array(
  t.Object(
    {
      hostname: ResponseText("The domain, as in the request.", "docs.example.org"),
      project: t.Optional(ResponseText("The slug of the project.", "docs")),
      result: OneOf("DomainAdditionResult", ["added", "present", "refused"], {
        description: "`present`: the project already has the domain. It is left unchanged.",
        examples: ["added"],
      }),
      domain: t.Optional(Domain),
      error: t.Optional(ErrorBody),
    },
    { $id: "DomainAddition", description: "`domain`, or `error` if it was refused." },
  ),
  {
    $id: "DomainAdditions",
    maxItems: MAX_DOMAIN_ROWS,
    description: "A result for each domain, in the same order.",
  },
);

/** The wire form of the result for a row. */
export const fromRowResult = (result: RowResult): Static<typeof DomainAdditions>[number] => {
  const { hostname, project } = result;
  const row = { hostname, ...(project !== undefined && { project }) };
  if ("domain" in result)
    return { ...row, result: result.isNew ? "added" : "present", domain: fromDomain(result.domain) };
  const { code, message } = result.fault;
  return { ...row, result: "refused", error: { code, message, status: statusOf(code) } };
};

const redirect = {
  from: ResponseText("A domain of the project.", "www.example.org"),
  to: ResponseText("The primary domain.", "docs.example.org"),
  status: Type.Integer({ minimum: 301, maximum: 301, examples: [301] }),
};

const NewRedirect = t.Object(redirect, {
  $id: "NewRedirect",
  additionalProperties: false,
  description: "A domain that redirects to the primary domain.",
});

const Redirect = t.Object(redirect, {
  $id: "Redirect",
  description: "A domain that redirects to the primary domain.",
});

const REDIRECTS = {
  maxItems: 100,
  description: "Domains that redirect to the primary domain. Path and query are kept.",
};

const NewDomainRoles = t.Object(
  {
    primary: ResponseText("A domain of the project.", "docs.example.org"),
    redirects: t.Optional(t.Array(NewRedirect, REDIRECTS)),
  },
  { $id: "NewDomainRoles", additionalProperties: false, description: "The new roles of the domains." },
);

const DomainRoles = t.Object(
  {
    primary: OptionalText("The primary domain. Absent if no domain is.", "docs.example.org"),
    redirects: t.Array(Redirect, REDIRECTS),
  },
  { $id: "DomainRoles", description: "The roles of the domains." },
);

/** Documented by its form; every fault of it is named by `readDomainsConfig`. */
export const NewDomainsConfig = checked<unknown>(
  "NewDomainsConfig",
  {
    $id: "NewDomainsConfig",
    description: "Which domain is primary, and which domains redirect to it.",
    ...(t.Object({ domains: NewDomainRoles }, { additionalProperties: false }) as object),
  },
  "",
  () => true,
);

export const DomainsConfig = t.Object(
  { domains: DomainRoles },
  { $id: "DomainsConfig", description: "Which domain is primary, and which domains redirect to it." },
);

/** Without `primary` only while the project has no primary domain. */
export type DomainsConfig = Static<typeof DomainsConfig>;
